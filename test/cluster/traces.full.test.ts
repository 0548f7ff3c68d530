/** One message's trace, from the request at one node over the other to the webhook; that of an agent's run; and what is not kept. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { runTraceparent } from '../../runtime/observability/tracer.ts';
import type { Message } from '../../protocol/resources/message.ts';
import { answer as answered, bearer, connect, inbound } from '../gateway/grpc/grpc-fixture.ts';
import { AgentFixture, says, wants } from '../node/agent-fixture.ts';
import { Line } from '../node/client.ts';
import { newStitch, signUp } from '../node/tenant.ts';
import { eventually } from '../support/eventually.ts';
import type { LogLine } from '../support/test-log.ts';
import { OtlpReceiver, type CollectedSpan } from '../support/otlp-receiver.ts';
import { answer, Receiver } from '../support/receiver.ts';
import { TestCluster } from './support/cluster.ts';

/** A caller's trace. */
function newTrace(flags: '00' | '01'): { readonly traceId: string; readonly traceparent: string } {
  const traceId = randomBytes(16).toString('hex');
  return { traceId, traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-${flags}` };
}

/** What is wrong with a line (docs/operate/logs.md). */
function findFaults(line: LogLine, nodeId: string): string[] {
  const { level, time, pid, hostname, node, msg, err, ...others } = line;
  const isPlain = (value: unknown): boolean =>
    ['string', 'number', 'boolean'].includes(typeof value) ||
    (Array.isArray(value) && value.every(each => typeof each === 'string'));
  const faults = [
    ...(level >= 10 && typeof time === 'number' && typeof pid === 'number'
      ? []
      : ['no level, time or process']),
    ...(typeof hostname === 'string' && node === nodeId ? [] : ['no machine or node']),
    ...(typeof msg === 'string' && msg.length > 0 && msg.length < 200 ? [] : ['no sentence']),
    ...(err === undefined || (typeof err === 'object' && err !== null && 'message' in err)
      ? []
      : ['no error']),
    ...Object.entries(others).flatMap(([name, value]) => (isPlain(value) ? [] : [`${name} is not plain`])),
  ];
  return faults.map(fault => `${fault}: ${JSON.stringify(line)}`);
}

const named = (spans: readonly CollectedSpan[], name: string): CollectedSpan => {
  const found = spans.find(span => span.name === name);
  if (found === undefined)
    throw new Error(`no span ${name} among ${spans.map(each => each.name).join(', ')}`);
  return found;
};

t.test('traces of a cluster', async t => {
  const [otlp, webhooks, model] = await Promise.all([
    OtlpReceiver.start(t),
    Receiver.start(),
    Receiver.start(),
  ]);
  t.teardown(async () => void (await Promise.all([webhooks.stop(), model.stop()])));
  const cluster = await TestCluster.start(t, {
    nodes: 2,
    grpc: true,
    environment: {
      LLM_PROVIDER_1_URL: model.url('/v1'),
      OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=skein%20one',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      // Runs and requests of callers without a trace are kept, those of others as they say.
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '1.0',
    },
  });
  const [one, two] = cluster.running;
  if (one === undefined || two === undefined) throw new Error('two nodes were started');
  const tenant = await signUp(new Line(one.url, t));
  const { key, projectId, channelId } = tenant;
  const { stitchId } = await newStitch(tenant, webhooks.url('/hook?secret=hush'));
  const isOfTwo = await cluster.ownership(two);

  /** Sends a message to a thread of the other node, in a trace of its own. */
  const send = async (flags: '00' | '01', body = 'a text that nobody else may see') => {
    for (let n = 0; ; n++) {
      const { traceId, traceparent } = newTrace(flags);
      const message = await key.get<Message>('createInboundMessage', {
        params: { channelId },
        headers: { traceparent },
        body: { projectId, externalParticipantRef: `${flags} ${n}`, body },
      });
      if (isOfTwo(message.threadId)) return { traceId, traceparent, message };
    }
  };
  const received = async (messageId: string) => {
    await eventually('webhook', () =>
      Promise.resolve(webhooks.received.some(each => each.body.includes(messageId))),
    );
    return webhooks.received.find(each => each.body.includes(messageId))!;
  };

  await t.test('from REST over the other node to the webhook', async t => {
    const { traceId, traceparent, message } = await send('01');
    const { headers } = await received(message.messageId);
    await eventually('webhooks of both events', () =>
      Promise.resolve(
        otlp.spans.filter(each => each.traceId === traceId && each.name === 'webhook').length === 2,
      ),
    );
    const spans = await otlp.trace(
      traceId,
      ...['createInboundMessage', 'forward thread.receive', 'thread.receive', 'commit'],
    );
    const request = named(spans, 'createInboundMessage');
    t.equal(request.parentSpanId, traceparent.split('-')[2], 'below the span of the caller');
    t.match(request.attributes, {
      'http.request.method': 'POST',
      'http.route': '/v1/channels/{channelId}/inbound-messages',
      'http.response.status_code': 201,
      'skein.project.id': projectId,
      'skein.message.id': message.messageId,
      'skein.caller.type': 'key',
    });
    t.match(request.resource, {
      'service.name': 'skein',
      'service.instance.id': one.id,
      'deployment.environment.name': 'test',
    });
    const crossing = named(spans, 'forward thread.receive');
    t.equal(crossing.parentSpanId, request.spanId);
    const turn = named(spans, 'thread.receive');
    t.equal(turn.parentSpanId, crossing.spanId);
    t.equal(turn.attributes['skein.thread.id'], message.threadId);
    t.equal(turn.resource['service.instance.id'], two.id, 'on the node that owns the thread');
    t.same(turn.events, ['decided']);
    const commit = named(spans, 'commit');
    t.equal(commit.parentSpanId, turn.spanId);
    t.ok(commit.links.includes(turn.spanId), 'linked to its commits');
    // The thread's beginning is an event of its own.
    const deliveryId = String(headers['service-delivery-id']);
    const webhook = spans.find(({ attributes }) => attributes['skein.delivery.id'] === deliveryId);
    if (webhook === undefined) throw new Error('the delivery has no span');
    t.equal(webhook.parentSpanId, turn.spanId, 'below what made the event');
    t.match(webhook.attributes, {
      'skein.stitch.id': stitchId,
      'skein.thread.id': message.threadId,
      'skein.delivery.attempt': 1,
      'http.response.status_code': 204,
    });
    t.equal(headers['traceparent'], `00-${traceId}-${webhook.spanId}-01`, 'the receiver goes on from there');
    t.equal(otlp.requests[0]?.path, '/v1/traces');
    t.equal(otlp.requests[0]?.headers['x-tenant'], 'skein one');
  });

  await t.test('a refusal, and a replay of it, belong to the same trace', async t => {
    webhooks.behaviour = answer(400);
    const { traceId, message } = await send('01');
    await received(message.messageId);
    const refused = named(await otlp.trace(traceId, 'webhook'), 'webhook');
    t.ok(refused.failed);
    t.equal(refused.attributes['error.type'], '400');
    webhooks.behaviour = answer(204);
    await key.get('replayDelivery', {
      params: { deliveryId: String(refused.attributes['skein.delivery.id']) },
      body: { projectId },
    });
    await eventually('replay', () =>
      Promise.resolve(
        otlp.spans.some(
          ({ traceId: id, attributes }) =>
            id === traceId && attributes['skein.delivery.trigger'] === 'manual',
        ),
      ),
    );
  });

  await t.test('what the caller does not keep is not kept', async t => {
    const { traceId, message } = await send('00');
    const { headers } = await received(message.messageId);
    t.equal(headers['traceparent'], undefined);
    // What comes later has been sent: so would this have been.
    const later = await send('01');
    await received(later.message.messageId);
    await otlp.trace(later.traceId, 'createInboundMessage', 'webhook');
    t.same(
      otlp.spans.filter(span => span.traceId === traceId),
      [],
    );
  });

  await t.test('a call by gRPC', async t => {
    const client = connect(t, cluster.getGrpcAddress(one));
    const metadata = bearer(cluster.serviceToken);
    const { traceId, traceparent } = newTrace('01');
    metadata.set('traceparent', traceparent);
    await answered((...given) => client.ingestMessage(inbound(tenant, 'traced'), ...given), metadata);
    const spans = await otlp.trace(traceId, 'createInboundMessage', 'thread.receive', 'commit', 'webhook');
    t.match(named(spans, 'createInboundMessage').attributes, {
      'rpc.system': 'grpc',
      'skein.service': 'test',
    });
    t.equal(named(spans, 'createInboundMessage').parentSpanId, traceparent.split('-')[2]);
  });

  await t.test('a run: its model steps and tool calls', async t => {
    const fixture = await AgentFixture.start(t, tenant, model, { orders: 1 });
    fixture.script('Where is it?', wants('orders'), says('In the post.'));
    fixture.tool('orders', answer(200, { 'content-type': 'application/json' }, '{"ok":true}'));
    const run = await fixture.run('Where is it?');
    await fixture.end(run, 'succeeded');
    const { traceId, spanId } = runTraceparent(run.agentRunId);
    const spans = await otlp.trace(traceId, 'run', 'model step', 'tool call');
    await eventually('second step', () =>
      Promise.resolve(
        otlp.spans.filter(each => each.traceId === traceId && each.name === 'model step').length === 2,
      ),
    );
    t.equal(named(spans, 'run').spanId, spanId);
    const step = named(spans, 'model step');
    t.equal(step.parentSpanId, spanId);
    t.match(step.attributes, {
      'skein.run.id': run.agentRunId,
      'skein.thread.id': run.threadId,
      'skein.run.step': 1,
      'gen_ai.request.model': 'gpt-4o-mini',
      'gen_ai.usage.input_tokens': 2_000,
    });
    const call = named(spans, 'tool call');
    t.equal(call.parentSpanId, spanId);
    t.match(call.attributes, {
      'http.response.status_code': 200,
      'skein.tool.id': fixture.toolIds['orders'],
    });
    t.equal(fixture.tools.received[0]?.headers['traceparent'], `00-${traceId}-${call.spanId}-01`);
    t.equal(model.received[0]?.headers['traceparent'], `00-${traceId}-${step.spanId}-01`);
  });

  await t.test('metrics name traces as examples of what took how long', async t => {
    const texts = await Promise.all(
      [one, two].map(async ({ url }) => {
        const headers = { accept: 'application/openmetrics-text' };
        return (await fetch(`${url}/metrics`, { headers })).text();
      }),
    );
    for (const [metric, span] of [
      ['rest', /^[a-z]\w+$/],
      ['commit', /^[a-z]+\.\w+$/],
      ['webhook_attempt', /^webhook$/],
      ['webhook_delay', /^webhook$/],
      ['model', /^model step$/],
      ['tool', /^tool call$/],
      ['grpc', /^createInboundMessage$/],
    ] as const) {
      const pattern = new RegExp(
        `^skein_${metric}_milliseconds_bucket\\{le="[^"]+"(?:,method="IngestMessage")?\\} \\d+ # \\{trace_id="(\\w+)",span_id="(\\w+)"\\} [\\d.]+ \\d+\\.\\d{3}$`,
        'gm',
      );
      const named = texts.flatMap(text => [...text.matchAll(pattern)]);
      t.ok(named.length > 0, metric);
      for (const [, traceId, spanId] of named) {
        const find = () => otlp.spans.find(each => each.traceId === traceId && each.spanId === spanId);
        await eventually(`span of ${metric}`, () => Promise.resolve(find() !== undefined));
        t.match(find()?.name, span, metric);
      }
    }
  });

  t.notMatch(
    JSON.stringify(otlp.spans),
    /a text that nobody|hush|In the post|Where is it/,
    'no texts, no secrets',
  );

  await t.test('a collector that is away holds nothing up', async t => {
    otlp.status = 400;
    const told = one.said('spans could not be sent');
    const { message } = await send('01');
    await received(message.messageId);
    await told;
    t.equal((await one.stop()).code, 0);
    t.equal((await two.stop()).code, 0);
  });

  await t.test('every line of the log has the form that logs.md describes', async t => {
    for (const node of [one, two]) {
      t.ok(node.lines.length > 5, `${node.lines.length} lines`);
      t.equal(node.output.trim().split('\n').length, node.lines.length, 'nothing else is written');
      t.same(
        node.lines.flatMap(line => findFaults(line, node.id)),
        [],
      );
    }
  });
});
