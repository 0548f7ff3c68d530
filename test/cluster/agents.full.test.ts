/** Agents on two nodes: changes of an agent that runs on both nodes, and kill -9 of the node that has a run. */
import t from 'tap';
import { AgentFixture, Held, says, wants } from '../node/agent-fixture.ts';
import type { Agent, AgentRun } from '../../protocol/resources/agent.ts';
import type { Message } from '../../protocol/resources/message.ts';
import { Client, Line } from '../node/client.ts';
import { signUp } from '../node/tenant.ts';
import { answer, Receiver } from '../support/receiver.ts';
import { eventually } from '../support/eventually.ts';
import type { NodeProcess } from '../support/node-process.ts';
import { TestCluster } from './support/cluster.ts';

const model = await Receiver.start();
t.teardown(() => model.stop());
const cluster = await TestCluster.start(t, {
  nodes: 2,
  environment: { LLM_PROVIDER_1_URL: model.url('/v1') },
});
const [first, second] = cluster.running as [NodeProcess, NodeProcess];

t.test('what is decided about an agent counts for runs under way, on every node', async t => {
  const fixture = await AgentFixture.start(t, await signUp(new Line(first.url, t)), model, {});
  const { key, projectId, channelId } = fixture.tenant;
  const elsewhere = new Client(new Line(second.url, t), key.bearer);
  const { loomId } = fixture;
  const runs = 24;

  /** How many messages the agent has sent. */
  const countSent = async (agentId: string): Promise<number> => {
    const [row] = await cluster.database.database.query<{ count: number }>(
      `select count(*)::int as count from messages where direction = 'outbound' and actor ->> 'id' = $1`,
      [agentId],
    );
    return row?.count ?? 0;
  };
  const change = (agentId: string, changes: object) =>
    elsewhere.get<Agent>('updateAgent', { params: { agentId }, body: { projectId, ...changes } });

  for (const [changes, status] of [
    [{ mode: 'paused' }, 'cancelled'],
    [{ archived: true }, 'cancelled'],
    [{ mode: 'suggest' }, 'succeeded'],
  ] as const) {
    const name = JSON.stringify(changes);
    const body = { projectId, name, mode: 'auto', loomId };
    const { agentId } = await key.get<Agent>('createAgent', { body });
    const begun = await Promise.all(
      Array.from({ length: runs }, async (_, n) => {
        const question = `${name} ${n}?`;
        const held = new Held();
        fixture.script(question, held.behaviour);
        const { threadId } = await fixture.ask(question);
        const params = { agentId };
        const run = await key.get<AgentRun>('createAgentRun', { params, body: { projectId, threadId } });
        await held.asked;
        return { held, run };
      }),
    );
    // Some answers come before the change, some at the same moment, and some after it.
    const [early, late] = [begun.slice(0, runs / 2), begun.slice(runs / 2)];
    const changed = change(agentId, changes);
    for (const { held } of early) held.answer(says('Good day.'));
    await changed;
    const sent = await countSent(agentId);
    for (const { held } of late) held.answer(says('Good day.'));
    const ended = await Promise.all(
      begun.map(async ({ run }) => {
        await eventually('end of the run', async () => (await fixture.read(run)).completedAt !== null);
        return fixture.read(run);
      }),
    );
    t.equal(await countSent(agentId), sent, `nothing was sent after ${name} was answered`);
    t.ok(ended.slice(runs / 2).every(run => run.status === status && run.outputMessageId === null));
    const suggested = ended.filter(({ trace }) => 'suggestion' in trace).length;
    t.equal(suggested, status === 'succeeded' ? runs - sent : 0);
  }

  await t.test('and a new default agent answers what the one before was asked', async t => {
    const setDefault = (client: Client, defaultAgentId: string | null) =>
      client.get('updateChannel', { params: { channelId }, body: { projectId, defaultAgentId } });
    // Both nodes hold the channel as it was without an agent.
    await fixture.ask('Nobody there?');
    const threadOn = async (participant: string): Promise<string> => {
      const request = { projectId, externalParticipantRef: participant, body: 'Anybody there?' };
      const message = await elsewhere.get<Message>('createInboundMessage', {
        params: { channelId },
        body: request,
      });
      return message.threadId;
    };
    await threadOn('before');
    const question = 'Anybody there?';
    const held = new Held();
    fixture.script(question, held.behaviour, says('Yes.'));
    await setDefault(key, fixture.agentIds.auto);
    const threadId = await threadOn('after');
    await held.asked;
    await setDefault(key, fixture.agentIds.suggest);
    held.answer(says('No.'));
    await fixture.event('agent.run.cancelled', threadId);
    const { data } = await fixture.event('agent.suggestion.created', threadId);
    t.match(data, { suggestion: { body: 'Yes.' }, actor: { id: fixture.agentIds.suggest }, channelId });
    t.strictSame(await fixture.sent(threadId), []);
  });
});

t.test('after kill -9 the other node finishes the run: one answer, and no call is repeated', async t => {
  const fixture = await AgentFixture.start(t, await signUp(new Line(first.url, t)), model, { orders: 2 });
  const isVictims = await cluster.ownership(second);

  /** A question on a thread that the victim has. */
  const asked = async (): Promise<{ question: string; threadId: string }> => {
    for (let n = 1; ; n++) {
      const question = `Where is order ${n}?`;
      const { threadId } = await fixture.ask(question);
      if (isVictims(threadId)) return { question, threadId };
    }
  };
  const { question, threadId } = await asked();
  const secondStep = new Held();
  fixture.script(question, wants('orders'), secondStep.behaviour, says('In the post.'));
  fixture.tool('orders', answer(200, { 'content-type': 'application/json' }, '{"ok":true}'));
  const run = await fixture.send(threadId, 'auto');
  await secondStep.asked;
  await second.kill();

  const { trace } = await fixture.end(run, 'succeeded');
  t.match(trace, {
    steps: [{ toolCalls: [{ status: 'succeeded', attempts: 1 }] }, { output: 'In the post.' }],
  });
  t.strictSame(fixture.getKeys('orders'), [`${run.agentRunId}.1.1`]);
  t.equal(fixture.prompts.get(question)?.length, 3, 'the step that was out was asked again, once');
  t.strictSame(await fixture.sent(threadId), [{ by: 'agent', body: 'In the post.' }]);
  const succeeded = fixture.stream.events.filter(({ event }) => event.eventName === 'agent.run.succeeded');
  t.equal(succeeded.length, 1);
});
