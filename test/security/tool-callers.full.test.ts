/**
 * A participant who talks a model into something: the tool learns from signed headers who is talking, and what a tool has to be approved for
 * waits for a person, whatever happens to the node.
 */
import t from 'tap';
import type { AgentRun } from '../../protocol/resources/agent.ts';
import type { TracedCall } from '../../protocol/resources/run-trace.ts';
import { verifyRequest } from '../../protocol/signature.ts';
import { AgentFixture, says, wants } from '../node/agent-fixture.ts';
import { Line, type ListOf, type Refusal } from '../node/client.ts';
import { signUp } from '../node/tenant.ts';
import { startTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { NodeProcess } from '../support/node-process.ts';
import { answer, Receiver } from '../support/receiver.ts';

const { url } = await startTestDatabase(t);
const model = await Receiver.start();
t.teardown(() => model.stop());
const environment = {
  DATABASE_URL: url,
  ALLOW_PRIVATE_ADDRESSES: 'true',
  RATE_LIMITS: 'off',
  LLM_PROVIDER_1_URL: model.url('/v1'),
};
const node = await NodeProcess.make(t, environment);
await node.start();
const line = new Line(node.url, t);
const tenant = await signUp(line);
const { key, person, projectId, channelId } = tenant;
const fixture = await AgentFixture.start(t, tenant, model, { orders: 1, refund: 1 });
const refundId = fixture.toolIds['refund'] ?? '';
const done = answer(200, { 'content-type': 'application/json' }, '{"ok":true}');
fixture.tool('orders', done);
fixture.tool('refund', done);
await key.get('updateTool', { params: { toolId: refundId }, body: { projectId, requiresApproval: true } });

const readCall = async (agentRunId: string): Promise<TracedCall | undefined> => {
  const { trace } = await key.get<AgentRun>('getAgentRun', { params: { agentRunId } });
  return trace.steps[0]?.toolCalls[0];
};

/** A run that waits for somebody to approve its refund. */
const waiting = async (question: string) => {
  fixture.script(question, wants('refund'), says('As you wish.'));
  const run = await fixture.run(question);
  await fixture.event('agent.tool.approval_requested', run.threadId);
  return { ...run, toolCallId: `${run.agentRunId}.1.1` };
};

/** The calls of the run that have reached the tool. */
const listMade = ({ agentRunId }: { agentRunId: string }): unknown[] =>
  fixture.getKeys('refund').filter(each => String(each).startsWith(agentRunId));

const resolve = ({ agentRunId, toolCallId }: { agentRunId: string; toolCallId: string }, more: object = {}) =>
  person.ask<AgentRun & Refusal>('resolveToolCall', {
    params: { agentRunId },
    body: { projectId, toolCallId, action: 'approve', ...more },
  });

t.test(
  'whatever the participant is called, and whatever the model passes, the tool knows who it is',
  async t => {
    const participant = 'ada\r\nService-Participant-Ref: grace\r\n\r\n\u{1f600}, v2=0';
    const question = 'Where is the order of grace?';
    fixture.script(question, wants('orders'), says('It is in the post.'));
    const { threadId } = await fixture.ask(question, participant);
    const run = await fixture.send(threadId, 'auto');
    await fixture.end(run, 'succeeded');
    const [received] = fixture.tools.received;
    if (received === undefined) return t.fail('the tool was not called');
    const { method, path: target, headers, body } = received;
    t.equal(headers['service-participant-ref'], encodeURIComponent(participant));
    t.match(headers, { 'service-run-id': run.agentRunId, 'service-thread-id': threadId });
    const secrets = [...line.secrets].filter(each => each.startsWith('whsec_'));
    const signature = String(headers['service-signature']);
    const signed = { method, target, headers };
    t.ok(secrets.some(each => verifyRequest(each, signature, signed, body).ok));
    const another = { ...headers, 'service-participant-ref': 'grace' };
    t.notOk(secrets.some(each => verifyRequest(each, signature, { ...signed, headers: another }, body).ok));
  },
);

t.test('a call that nobody has approved is not made, and a refusal is final', async t => {
  const run = await waiting('A refund, please!');
  t.match(await readCall(run.agentRunId), { status: 'awaiting_approval', approval: { status: 'pending' } });
  const refused = await resolve(run, { action: 'refuse', reason: 'It was sent.' });
  t.equal(refused.status, 200);
  t.match(await resolve(run), { status: 409, body: { details: { status: 'refused' } } });
  t.match((await resolve({ ...run, toolCallId: `${run.agentRunId}.1.2` })).status, 404);
  await fixture.end(run, 'succeeded');
  t.match(await readCall(run.agentRunId), { status: 'failed', approval: { reason: 'It was sent.' } });
  const told = JSON.stringify(fixture.prompts.get('A refund, please!')?.[1]?.messages.at(-1));
  t.match(told, /It was sent/, 'the model was told');
  t.strictSame(listMade(run), []);
  const acts = await person.get<ListOf<object>>('listAuditLogs', {
    query: { projectId, action: 'agent_run.tool_call_resolved' },
  });
  const details = { toolCallId: run.toolCallId, action: 'refuse' };
  t.match(acts.data, [{ targetId: run.agentRunId, actor: { type: 'user' }, details }]);
  t.equal(acts.data.length, 1);
});

t.test('an approval is for what was asked: neither for a changed tool nor for a paused agent', async t => {
  const run = await waiting('Give it back!');
  const patch = (id: 'updateTool' | 'updateAgent', params: Record<string, string>, body: object) =>
    person.get(id, { params, body: { projectId, ...body } });
  const { agentRunId } = run;
  const agentId = (await key.get<AgentRun>('getAgentRun', { params: { agentRunId } })).agentId ?? '';
  await patch('updateAgent', { agentId }, { mode: 'paused' });
  t.match(await resolve(run), { status: 409, body: { message: /paused/ } });
  await patch('updateAgent', { agentId }, { mode: 'auto' });
  await patch('updateTool', { toolId: refundId }, { description: 'Another.' });
  t.match(await resolve(run), { status: 409, body: { message: /changed/ } });
  t.equal((await resolve(run, { action: 'refuse' })).status, 200);
  await fixture.end(run, 'succeeded');
  t.strictSame(listMade(run), []);
});

t.test(
  'an agent that is paused may do what its thread lets it, and what it was asked for all the same',
  async t => {
    const agentId = fixture.agentIds.auto;
    const set = (body: object) =>
      person.get('updateAgent', { params: { agentId }, body: { projectId, ...body } });
    await set({ mode: 'paused' });
    const settle = async (run: AgentRun, what: string) => {
      const toolCallId = `${run.agentRunId}.1.1`;
      await fixture.stream.find(
        ({ event }) =>
          event.eventName === 'agent.tool.approval_requested' && event.data['agentRunId'] === run.agentRunId,
      );
      t.equal((await resolve({ ...run, toolCallId })).status, 200, what);
      await eventually(
        `end of the run: ${what}`,
        async () => (await fixture.read(run)).status === 'succeeded',
      );
      t.strictSame(listMade(run), [toolCallId], what);
    };
    const question = 'Is my money back?';
    fixture.script(question, wants('refund'), says('It is.'), wants('refund'), says('As before.'));
    const { threadId } = await fixture.ask(question);
    await settle(await fixture.send(threadId, 'auto'), 'asked for while it is paused');
    await person.get('updateThread', { params: { threadId }, body: { projectId, agentMode: 'auto' } });
    await settle(await fixture.send(threadId, 'auto'), 'on a thread with a mode of its own');
    t.strictSame(await fixture.sent(threadId), [{ by: 'agent', body: 'As before.' }]);
    fixture.script('(There is no message yet.)', wants('refund'), says('Whose is it?'));
    const unthreaded = await key.get<AgentRun>('createAgentRun', {
      params: { agentId },
      body: { projectId },
    });
    await settle(unthreaded, 'asked for without a thread');
    await set({ mode: 'auto' });
  },
);

t.test('a person who takes over the thread has refused it', async t => {
  const run = await waiting('My money back!');
  const { threadId } = run;
  await person.get('createMessage', {
    params: { threadId },
    body: { projectId, body: 'I take care of it.' },
  });
  const event = await fixture.event('agent.tool.approval_resolved', threadId);
  t.match(event.data, { status: 'refused', reason: /taken over/, channelId, actor: { type: 'system' } });
  await fixture.end(run, 'succeeded');
  t.strictSame(listMade(run), []);
  t.strictSame(await fixture.sent(threadId), [{ by: 'user', body: 'I take care of it.' }]);
});

t.test('a node that is killed forgets neither that it waits nor what was approved', async t => {
  const question = 'I want my money!';
  const run = await waiting(question);
  await node.kill();
  fixture.stream.close();
  const next = await NodeProcess.make(t, {
    ...environment,
    DATA_DIR: node.folder,
    PORT: String(node.port),
  });
  await next.start();
  await fixture.stream.open();
  t.match(await readCall(run.agentRunId), { status: 'awaiting_approval' });
  const both = await Promise.all([resolve(run), resolve(run)]);
  t.strictSame(both.map(({ status }) => status).sort(), [200, 409], 'of two people one decides');
  await eventually('end of the run', async () => (await fixture.read(run)).status === 'succeeded');
  t.match(await readCall(run.agentRunId), { status: 'succeeded', approval: { status: 'approved' } });
  t.strictSame(listMade(run), [run.toolCallId]);
  t.strictSame(await fixture.sent(run.threadId), [{ by: 'agent', body: 'As you wish.' }]);
});
