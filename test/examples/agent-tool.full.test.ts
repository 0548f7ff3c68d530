/** examples/agent-tool: an agent refunds by it, once for each call, and nobody else does. */
import { LLMock } from '@copilotkit/aimock';
import t from 'tap';
import { ConsoleStream } from '../../bench/demo/console-stream.ts';
import { signedBody } from '../../protocol/signature.ts';
import { createChannelAgent } from './channel-agent.ts';
import { shareNodeWithChannel } from './example-node.ts';
import { Example } from './example.ts';

const model = new LLMock({ port: 0, strict: true, logLevel: 'silent' });
const refundCall = { id: 'call_1', name: 'refund_order', arguments: '{"orderId":"A17"}' };
model.on({ userMessage: /refund/, hasToolResult: false }, { toolCalls: [refundCall] });
model.on({ userMessage: /refund/ }, { content: 'You have your 49 euros back.' });
await model.start();
t.teardown(() => model.stop());

const { url: nodeUrl, models, api, accessToken, projectId, channelId } = await shareNodeWithChannel(t);
const { toolId, signingSecret } = await api.post<{ toolId: string; signingSecret: string }>('/tools', {
  projectId,
  name: 'refund_order',
  description: 'Refunds an order.',
  url: 'http://127.0.0.1:2',
  inputSchema: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
});
const { example, url } = await Example.listening(t, 'agent-tool', { TOOL_SECRET: signingSecret });
await api.patch(`/tools/${toolId}`, { projectId, url });

t.test('Skein calls it, and is told what it has done', async t => {
  const call = (input: object) => api.post(`/tools/${toolId}/test`, { projectId, arguments: input });
  const refund = { refundId: String, orderId: 'B42', amount: 12_900, currency: 'EUR' };
  t.match(await call({ orderId: 'B42' }), { status: 'succeeded', httpStatus: 200, result: refund });
  t.match(await call({ orderId: 'C99' }), {
    status: 'failed',
    httpStatus: 404,
    error: 'the tool answered 404',
    result: { body: '{"reason":"There is no order C99."}' },
  });
});

t.test('an agent calls it', async t => {
  await createChannelAgent(api, {
    projectId,
    channelId,
    name: 'Refunds',
    systemPrompt: 'Refund orders.',
    provider: 'llm_provider_1',
    model: 'gpt-4o-mini',
    toolId,
    secret: models.register(`${model.url}/v1`),
  });
  const stream = new ConsoleStream(nodeUrl, projectId, accessToken);
  await stream.open();
  t.teardown(() => stream.close());
  await api.post(
    `/channels/${channelId}/inbound-messages`,
    { projectId, externalParticipantRef: 'ada', body: 'I want a refund for A17.' },
    'ada-1',
  );
  const { event } = await stream.find(each => each.event.eventName === 'thread.message.created');
  t.match(event.data, { message: { body: 'You have your 49 euros back.' } });
  await example.said(/^refunded A17: 4900 cents/);
});

interface Call {
  readonly secret?: string;
  readonly at?: number;
  readonly target?: string;
  readonly participant?: string;
}

const body = '{"orderId":"A17"}';

/** The headers of such a call, as Skein would sign it. */
function sign(key: string, signed: string, { secret = signingSecret, at, target, participant }: Call = {}) {
  const seconds = at ?? Math.floor(Date.now() / 1_000);
  const ref = participant === undefined ? {} : { 'service-participant-ref': encodeURIComponent(participant) };
  const headers = { 'idempotency-key': key, ...ref };
  const request = { method: 'POST', target: target ?? new URL(url).pathname, headers };
  const [, signature = ''] = signedBody([secret], key, seconds, signed, request).headers;
  return { ...headers, 'content-type': 'application/json', 'service-signature': signature };
}

const post = (headers: Record<string, string>, sent = body): Promise<Response> =>
  fetch(url, { method: 'POST', headers, body: sent });

t.test('a call that is repeated gets the answer of the first, and another key another one', async t => {
  const [first, second] = await Promise.all([post(sign('one', body)), post(sign('one', body))]);
  const answer = (await first.json()) as { refundId: string };
  t.same(await second.json(), answer);
  const other = (await (await post(sign('two', body))).json()) as { refundId: string };
  t.not(other.refundId, answer.refundId);
});

t.test('it refunds nothing that Skein has not signed', async t => {
  const genuine = sign('forged', body);
  const [withoutNew = ''] = /^t=\d+,v1=[0-9a-f]+/.exec(genuine['service-signature']) ?? [];
  for (const headers of [
    { ...genuine, 'service-signature': '' },
    { ...genuine, 'service-signature': withoutNew },
    { ...genuine, 'idempotency-key': 'another' },
    { ...genuine, 'service-participant-ref': 'customer-42' },
    sign('forged', body, { secret: 'another secret' }),
    sign('forged', body, { target: '/elsewhere' }),
    sign('forged', body, { at: Math.floor(Date.now() / 1_000) - 301 }),
    sign('forged', '{"orderId":"B42"}'),
  ]) {
    t.equal((await post(headers)).status, 401);
  }
  const last = await post(sign('last', body));
  await example.said(new RegExp(((await last.json()) as { refundId: string }).refundId));
  // Of this test one; before it the test of the tool, the agent, and the keys one and two.
  t.equal(example.lines.filter(line => line.startsWith('refunded ')).length, 5);
});

t.test("it refunds nobody somebody else's order", async t => {
  const order = '{"orderId":"C63"}';
  const ask = async (key: string, participant: string): Promise<number> =>
    (await post(sign(key, order, { participant }), order)).status;
  t.equal(await ask('theirs', 'customer-43'), 404);
  t.equal(await ask('own', 'customer-42'), 200);
});
