/** Agents on a node: a question with a tool call, two operators with one suggestion, and kill -9 while tools are called. */
import t from 'tap';
import type { EventName } from '../../protocol/events.ts';
import type { AgentRun } from '../../protocol/resources/agent.ts';
import { Line, type ListOf, type Refusal } from './client.ts';
import type { MessageTimeline } from '../../protocol/resources/timeline.ts';
import type { Usage } from '../../protocol/resources/usage.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { answer, Receiver } from '../support/receiver.ts';
import { AgentFixture, Held, providerKey, says, toolSecret, wants } from './agent-fixture.ts';
import { keepsSecrets } from './secrets.ts';
import { newStitch, signUp } from './tenant.ts';
import { Webhooks } from './webhooks.ts';

const { url } = await startTestDatabase(t);
const model = await Receiver.start();
t.teardown(() => model.stop());
const environment = {
  DATABASE_URL: url,
  ALLOW_PRIVATE_ADDRESSES: 'true',
  LLM_PROVIDER_1_URL: model.url('/v1'),
};
const node = await NodeProcess.make(t, environment);
await node.start();
const line = new Line(node.url, t);
const tenant = await signUp(line);
const { key, person, projectId, channelId } = tenant;
const fixture = await AgentFixture.start(t, tenant, model, { orders: 2, count: 1, charge: 1 });
const webhooks = await Webhooks.listen(t);
webhooks.secret = (await newStitch(tenant, webhooks.url)).secret;

const json = (value: unknown) => answer(200, { 'content-type': 'application/json' }, JSON.stringify(value));

t.test(
  'a burst of messages, a tool call, an answer: on the Console, at a stitch, in the timeline',
  async t => {
    const setDefault = (defaultAgentId: string | null) =>
      key.get('updateChannel', { params: { channelId }, body: { projectId, defaultAgentId } });
    await setDefault(fixture.agentIds.auto);
    const question = 'Where is my order?';
    fixture.script(question, wants('orders'), says('It is ', 'in ', 'the post.'));
    // It repeats what it was sent.
    fixture.tool('orders', (request, response) =>
      json({ got: request.headers['authorization'] })(request, response),
    );
    const first = await fixture.ask('Hello', 'ada');
    const second = await fixture.ask(question, 'ada');
    const { threadId } = first;
    const queued = await fixture.event('agent.run.queued', threadId);
    const run = queued.data['agentRun'] as AgentRun;
    t.ok(Date.parse(run.createdAt) - Date.parse(second.createdAt) >= 1_500, 'after a while of quiet');
    t.equal(run.inputMessageId, second.messageId);
    const done = await fixture.end({ ...run, threadId }, 'succeeded');
    await setDefault(null);

    t.match(done, { agentId: fixture.agentIds.auto, mode: 'auto', totalTokens: 4_200, toolCallCount: 1 });
    t.ok((done.estimatedCostMicros ?? 0) > 0);
    const result = { got: '[redacted]' };
    const call = {
      name: 'orders',
      status: 'succeeded',
      arguments: { order: 17 },
      result,
      durationMs: Number,
    };
    const step = { promptCharacters: Number, durationMs: Number, promptTokens: 2_000, costMicros: 360 };
    const last = { ...step, output: 'It is in the post.', finishReason: 'stop' };
    t.match(done.trace, { steps: [{ ...step, toolCalls: [call] }, last] });
    const prompts = fixture.prompts.get(question) ?? [];
    t.match(
      prompts[0]?.messages.map(({ role }) => role),
      ['system', 'user', 'user'],
    );
    t.match(
      prompts[1]?.messages.map(({ role }) => role),
      ['system', 'user', 'user', 'assistant', 'tool'],
    );
    t.equal(prompts.length, 2);
    t.notMatch(JSON.stringify(prompts), toolSecret);
    t.strictSame(await fixture.sent(threadId), [{ by: 'agent', body: 'It is in the post.' }]);

    const events = fixture.stream.events.flatMap(({ event }) =>
      event.data['threadId'] === threadId ? event : [],
    );
    const names = events.map(({ eventName }) => eventName as EventName);
    t.strictSame(
      names.filter(name => name.startsWith('agent.')),
      ['agent.run.queued', 'agent.run.started', 'agent.tool.completed', 'agent.run.succeeded'],
    );
    t.ok(names.indexOf('thread.message.created') > names.indexOf('agent.tool.completed'));
    const deltas = fixture.stream.ephemeral.filter(({ data }) => data['agentRunId'] === run.agentRunId);
    t.equal(deltas.map(({ data }) => data['delta']).join(''), 'It is in the post.', 'live, piece by piece');
    await webhooks.arrived(events.map(({ eventId }) => eventId));
    t.same(webhooks.faults, []);
    t.notMatch([...webhooks.bodies.values()].join(), /agent\.output\.delta/);

    for (const messageId of [second.messageId, String(done.outputMessageId)]) {
      const timeline = await person.get<MessageTimeline>('getMessageTimeline', {
        params: { threadId, messageId },
      });
      t.match(timeline.runs, [{ agentRunId: run.agentRunId, outputMessageId: done.outputMessageId }]);
      const toolId = fixture.toolIds['orders'];
      t.match(timeline.toolCalls, [
        { eventName: 'agent.tool.completed', agentRunId: run.agentRunId, toolId },
      ]);
    }
    const [used] = (await key.get<ListOf<Usage>>('listUsage', { query: { projectId, groupBy: 'agent' } }))
      .data;
    t.match(used, { agentId: fixture.agentIds.auto, agentRuns: 1, toolCalls: 1, totalTokens: 4_200 });
    t.equal(used?.estimatedCostMicros, done.estimatedCostMicros);
  },
);

t.test('of two operators who resolve a suggestion at once one succeeds, and the other gets 409', async t => {
  fixture.script('May I have a refund?', says('Yes, of course.'));
  const run = await fixture.run('May I have a refund?', 'suggest');
  await fixture.event('agent.suggestion.created', run.threadId);
  const params = { agentRunId: run.agentRunId };
  const resolve = (by: typeof key, more: object) =>
    by.ask<Refusal & AgentRun>('resolveSuggestion', {
      params,
      body: { projectId, action: 'approve', ...more },
    });
  const both = await Promise.all([resolve(person, {}), resolve(key, { body: 'No.' })]);
  const [won] = both.filter(({ status }) => status === 200);
  t.strictSame(both.map(({ status }) => status).sort(), [200, 409]);
  const lost = both.find(({ status }) => status === 409);
  t.equal(lost?.body.error, 'svc/agent_runs/suggestion_already_resolved');
  const isPersons = won === both[0];
  const sent = isPersons ? { by: 'user', body: 'Yes, of course.' } : { by: 'api_key', body: 'No.' };
  t.strictSame(await fixture.sent(run.threadId), [sent]);
  const suggestion = { status: isPersons ? 'approved' : 'edited' };
  t.match((await fixture.read(run)).trace, { suggestion });
});

t.test(
  'killed while tools are at work: what has answered is not called again, nor what may be called once',
  async t => {
    const question = 'Cancel my order';
    const [orders, charge] = [new Held(), new Held()];
    fixture.script(question, wants('count'), wants('orders', 'charge'), says('It is cancelled.'));
    fixture.tool('count', json({ left: 3 }));
    fixture.tool('orders', orders.behaviour, json({ ok: true }));
    fixture.tool('charge', charge.behaviour);
    const before = fixture.getKeys('orders').length;
    const run = await fixture.run(question);
    await Promise.all([orders.asked, charge.asked]);
    await node.kill();
    fixture.stream.close();

    // By its clock, nobody can be at the calls any more.
    const clock = new URL('../cluster/support/skewed-clock.ts?ms=40000', import.meta.url);
    const next = await NodeProcess.make(t, {
      ...environment,
      DATA_DIR: node.folder,
      PORT: String(node.port),
      NODE_OPTIONS: `--import=${clock.href}`,
    });
    await next.start();
    await fixture.stream.open();
    const { trace } = await fixture.end(run, 'succeeded');
    const callId = (step: number, n: number): string => `${run.agentRunId}.${step}.${n}`;
    t.match(trace, {
      steps: [
        { toolCalls: [{ callId: callId(1, 1), status: 'succeeded', attempts: 1 }] },
        {
          toolCalls: [
            { callId: callId(2, 1), status: 'succeeded', attempts: 2 },
            { callId: callId(2, 2), status: 'interrupted', attempts: 1 },
          ],
        },
        { output: 'It is cancelled.', toolCalls: [] },
      ],
    });
    t.strictSame(fixture.getKeys('count'), [callId(1, 1)]);
    t.strictSame(fixture.getKeys('orders').slice(before), [callId(2, 1), callId(2, 1)], 'by the same key');
    t.strictSame(fixture.getKeys('charge'), [callId(2, 2)]);
    t.equal(fixture.prompts.get(question)?.length, 3, 'no step was asked again');
    t.strictSame(await fixture.sent(run.threadId), [{ by: 'agent', body: 'It is cancelled.' }]);
    t.equal(fixture.stream.disordered, 0);
    t.match(await next.stop(), { code: 0 });
    const errors = [...node.lines, ...next.lines].filter(({ level }) => level >= 50);
    t.same(errors, []);
    keepsSecrets(t, node.output + next.output, line, [providerKey, toolSecret]);
  },
);
