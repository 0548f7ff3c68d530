/** Agents on a whole node: questions, tools, operators who are faster, budgets, and a node that is killed while a tool is at work. */
import t from 'tap';
import type { EventName } from '../../protocol/events.ts';
import type { EventEnvelope } from '../../protocol/resources/event.ts';
import type { AgentRun } from '../../protocol/resources/agent.ts';
import { Line, type ListOf, type Refusal } from './client.ts';
import type { MessageTimeline } from '../../protocol/resources/timeline.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import type { Usage } from '../../protocol/resources/usage.ts';
import { calls } from '../actors/run/models/model-fixture.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { answer, Receiver } from '../support/receiver.ts';
import { AgentFixture, Held, providerKey, says, toolSecret, wants } from './agent-fixture.ts';
import { eventually } from '../support/eventually.ts';
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
const { key, person, projectId, environmentId, channelId } = tenant;
const fixture = await AgentFixture.start(t, tenant, model, { orders: 2, stock: 1, count: 1, charge: 1 });
// More than two steps cost. It is set before there are runs: nodes hold it for a second.
const budget = { perRunMicros: 1_000, onExceeded: 'suggest' };
await person.get('setBudgets', { body: { projectId, ...budget } });
const webhooks = await Webhooks.listen(t);
webhooks.secret = (await newStitch(tenant, webhooks.url)).secret;

const json = (value: unknown) => answer(200, { 'content-type': 'application/json' }, JSON.stringify(value));
const change = (threadId: string, more: object) =>
  person.get<Thread>('updateThread', { params: { threadId }, body: { projectId, ...more } });

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

t.test('of two operators who resolve a suggestion at once one does, and the other gets 409', async t => {
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

t.test('cancelling breaks off the request, be it to the model or to a tool', async t => {
  const cancel = ({ agentRunId }: AgentRun) =>
    key.get('cancelAgentRun', { params: { agentRunId }, body: { projectId } });
  const thinking = new Held();
  fixture.script('Think about it', thinking.behaviour);
  const asked = await fixture.run('Think about it');
  await thinking.asked;
  await cancel(asked);
  t.equal(await thinking.ended, 'broken off');
  t.match(await fixture.end(asked, 'cancelled'), { status: 'cancelled', outputMessageId: null });

  const calling = new Held();
  fixture.script('Look it up', wants('stock'));
  fixture.tool('stock', calling.behaviour);
  const called = await fixture.run('Look it up');
  await calling.asked;
  await cancel(called);
  t.equal(await calling.ended, 'broken off');
  const { trace } = await fixture.end(called, 'cancelled');
  t.match(trace, { steps: [{ toolCalls: [{ status: 'interrupted' }] }] });
});

t.test('what happens on a thread while the model thinks goes before its answer', async t => {
  const during = async (question: string, happens: (threadId: string) => Promise<unknown>) => {
    const held = new Held();
    fixture.script(question, held.behaviour);
    const run = await fixture.run(question);
    await held.asked;
    await happens(run.threadId);
    return { run, held };
  };
  const overtaken = await during('Is anybody there?', threadId =>
    person.get('createMessage', { params: { threadId }, body: { projectId, body: 'I am.' } }),
  );
  overtaken.held.answer(says('Hello?'));
  t.match(await fixture.end(overtaken.run, 'succeeded'), { trace: { suggestion: { status: 'superseded' } } });
  t.strictSame(await fixture.sent(overtaken.run.threadId), [{ by: 'user', body: 'I am.' }]);

  for (const [question, more] of [
    ['Are you closed?', { status: 'closed' }],
    ['Are you gone?', { status: 'archived' }],
    ['Are you paused?', { agentMode: 'paused' }],
  ] as const) {
    const { run, held } = await during(question, threadId => change(threadId, more));
    t.match(await fixture.end(run, 'cancelled'), { errorMessage: /^The (thread|agent) was / });
    t.equal(await held.ended, 'broken off', question);
    t.strictSame(await fixture.sent(run.threadId), [], question);
  }

  const quieted = await during('Are you sure?', threadId => change(threadId, { agentMode: 'suggest' }));
  quieted.held.answer(says('Quite sure.'));
  const suggestion = { status: 'pending', reason: 'mode_changed' };
  t.match(await fixture.end(quieted.run, 'succeeded'), { trace: { suggestion } });
  t.strictSame(await fixture.sent(quieted.run.threadId), []);

  const typed = await during('Who is typing?', threadId =>
    person.get('setTyping', { params: { threadId }, body: { projectId, state: 'started' } }),
  );
  typed.held.answer(says('A human.'));
  const held = { suggestion: { ...suggestion, reason: 'human_active' } };
  t.match(await fixture.end(typed.run, 'succeeded'), { trace: held });
});

t.test('a version that is made while a run is under way is for the next run', async t => {
  const held = new Held();
  const question = 'What is new?';
  fixture.script(question, held.behaviour, says('Nothing.'));
  fixture.tool('orders', json({}));
  const run = await fixture.run(question);
  await held.asked;
  const params = { loomId: fixture.loomId };
  await key.get('createLoomVersion', {
    params,
    body: { projectId, systemPrompt: 'You sing.', provider: 'llm_provider_1', model: 'gpt-4o' },
  });
  held.answer(wants('orders'));
  const { loomVersionId } = await fixture.end(run, 'succeeded');
  await fixture.ask(question);
  const next = await fixture.send(run.threadId, 'auto');
  t.match(await fixture.read(next), { model: 'gpt-4o' });
  await key.get('activateLoomVersion', { params, body: { projectId, loomVersionId } });
  const prompts = () => fixture.prompts.get(question) ?? [];
  await eventually('third prompt', () => Promise.resolve(prompts().length === 3));
  const told = prompts().map(({ messages }) => messages[0]?.content);
  t.strictSame(told, ['You answer.', 'You answer.', 'You sing.']);
});

t.test('a model that asks for a human, and a key that its provider refuses, are told of', async t => {
  fixture.script('Give me a human!', calls({ name: 'request_human', input: '{"reason":"He is angry."}' }));
  const { threadId } = await fixture.run('Give me a human!');
  t.match(await fixture.event('agent.handoff.requested', threadId), { data: { reason: 'He is angry.' } });
  t.match(await key.get<Thread>('getThread', { params: { threadId } }), { agentMode: 'paused' });

  const refusal = { error: { message: `Incorrect API key provided: ${providerKey}` } };
  fixture.script('Who pays?', answer(401, {}, JSON.stringify(refusal)));
  const run = await fixture.run('Who pays?');
  const { errorCode, errorMessage } = await fixture.end(run, 'failed');
  t.match([errorCode, errorMessage], ['key_rejected', 'Incorrect API key provided: [redacted]']);
  // Not on the stream: only who may read the keys of providers learns of them.
  const eventName = 'byok.credential.rejected';
  const query = { projectId, environmentId: environmentId, eventName };
  let rejected: ListOf<EventEnvelope> | undefined;
  await eventually(eventName, async () => {
    rejected = await person.get<ListOf<EventEnvelope>>('listEvents', { query });
    return rejected.data.length > 0;
  });
  t.match(rejected?.data, [
    { data: { threadId: run.threadId, byokCredential: { provider: 'llm_provider_1', status: 'active' } } },
  ]);
  t.notMatch(JSON.stringify(rejected), new RegExp(providerKey));
});

t.test(
  'a tool that is disabled in the middle of a run is not called; a loom in use is not archived',
  async t => {
    const held = new Held();
    fixture.script('How many are left?', held.behaviour, says('I cannot say.'));
    const before = fixture.getKeys('stock').length;
    const run = await fixture.run('How many are left?');
    await held.asked;
    const params = { toolId: fixture.toolIds['stock'] ?? '' };
    await key.get('updateTool', { params, body: { projectId, status: 'disabled' } });
    held.answer(wants('stock'));
    const { trace } = await fixture.end(run, 'succeeded');
    t.match(trace, { steps: [{ toolCalls: [{ status: 'failed', error: 'the tool is disabled' }] }, {}] });
    t.equal(fixture.getKeys('stock').length, before);
    const offered = (fixture.prompts.get('How many are left?') ?? []).map(({ tools = [] }) =>
      tools.map(({ function: { name } }) => name).includes('stock'),
    );
    t.strictSame(offered, [true, false]);

    const archive = { params: { loomId: fixture.loomId }, body: { projectId, status: 'archived' } };
    const { status, body } = await key.ask<Refusal>('updateLoom', archive);
    t.match([status, body.error], [409, 'svc/runtime/conflict']);
  },
);

t.test(
  'a run over its budget stops before the next step and says so; its thread falls to suggest',
  async t => {
    const question = 'What is it worth?';
    fixture.script(question, wants('orders'));
    fixture.tool('orders', json({ ok: true }));
    const run = await fixture.run(question);
    const { trace, ...failed } = await fixture.end(run, 'failed');
    t.match(failed, { errorCode: 'budget_exceeded', toolCallCount: 3 });
    const [{ estimatedCostMicros: spentMicros }, limitMicros] = [failed, budget.perRunMicros];
    t.ok((spentMicros ?? 0) >= limitMicros);
    t.match(trace, { budget: { scope: 'run', limitMicros, spentMicros, fallsTo: 'suggest' } });
    t.equal(fixture.prompts.get(question)?.length, 3, 'it was looked at before the model was asked');
    const { threadId } = run;
    const exceeded = await fixture.event('agent.budget.exceeded', threadId);
    t.match(exceeded.data, { agentRunId: run.agentRunId, scope: 'run', limitMicros, spentMicros });
    const changed = await fixture.event('thread.agent_mode.changed', threadId);
    t.match(changed.data, { thread: { agentMode: 'suggest' }, previousAgentMode: null });

    fixture.script(question, says('A lot.'));
    const next = await fixture.send(threadId, 'auto');
    t.equal(next.mode, 'suggest');
    await fixture.event('agent.suggestion.created', threadId);
    t.strictSame(await fixture.sent(threadId), []);
  },
);

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
