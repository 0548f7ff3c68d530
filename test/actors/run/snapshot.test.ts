/** A thread and its run on a real database: what they tell each other arrives, and the row says what the run says. */
import t from 'tap';
import type { OpenedRun } from '../../../actors/thread/commands.ts';
import { createRuns } from '../../../actors/run/kind.ts';
import { toAgentRun } from '../../../actors/run/json.ts';
import type { Plan } from '../../../actors/run/services.ts';
import { decodeRun, runSnapshot, type RunRow } from '../../../actors/run/snapshot.ts';
import { createThreadKind } from '../../../actors/thread/kind.ts';
import { threadSnapshot } from '../../../actors/thread/snapshot.ts';
import { newId } from '../../../protocol/ids.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { Node } from '../../../runtime/node/node.ts';
import { systemClock, systemRandom } from '../../../runtime/time/clock.ts';
import { LocalTransport } from '../../../runtime/transport/local.ts';
import { CommitNotifier } from '../../../storage/events/commit-notifier.ts';
import { PostgresStore } from '../../../storage/commit/postgres-store.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestDatabase } from '../../support/database.ts';
import { head, outcome, tenancy } from './run-harness.ts';
import { saying } from './run-nodes.ts';

t.test('a question, two tool calls, an answer', async t => {
  const { database } = await startTestDatabase(t);
  const { projectId, environmentId } = tenancy;
  await database.query(`insert into project_streams (project_id, last_seq, epoch) values ($1, 0, 'e')`, [
    projectId,
  ]);
  const [clock, random, log] = [systemClock, systemRandom, silentLog];
  const agents = createRuns({
    clock,
    random,
    log,
    show: () => undefined,
    plans: { createPlan: () => Promise.resolve({ tools: [] } as unknown as Plan) },
    budgets: { exceeded: () => Promise.resolve(undefined) },
    models: {
      answer: (_, { step }) => Promise.resolve(step === 1 ? saying('One moment.', 2) : saying('Done.')),
    },
    tools: { call: ({ callId }) => Promise.resolve(outcome(callId, 'succeeded')) },
  });
  const snapshots = [threadSnapshot, runSnapshot];
  const store = new PostgresStore({ database, snapshots, notifier: new CommitNotifier(), log });
  const transport = new LocalTransport({ clock, log });
  const node = new Node({
    kinds: [createThreadKind({ db: database, log }), agents.kind],
    store,
    transport,
    clock,
    random,
    log,
    metrics: new Metrics(),
  });
  await node.start();
  t.teardown(async () => {
    agents.drain();
    await node.drain();
    await transport.drain();
    await store.close();
  });

  const thread = { kind: 'thread', id: newId('thread') };
  const author = { type: 'api_key', id: newId('apiKey') };
  const message = { messageId: newId('message'), body: 'Where is it?', attachments: [], metadata: {} };
  const channel = { channelId: newId('channel'), kind: 'custom' };
  await node.ask(thread, 'create', { ...tenancy, channel, externalRef: null, metadata: {}, author });
  await node.ask(thread, 'receive', { ...tenancy, message });
  const order = {
    ...tenancy,
    trigger: 'request',
    inputMessageId: message.messageId,
    head,
    metadata: { ours: true },
    author,
  };
  const { agentRunId, begin } = await node.ask<OpenedRun>(thread, 'openRun', order);
  await node.ask({ kind: 'run', id: agentRunId }, 'begin', begin);

  const read = async (): Promise<RunRow | undefined> => {
    const rows = await database.query<{ row: RunRow }>(
      'select to_jsonb(r) as row from agent_runs r where agent_run_id = $1',
      [agentRunId],
    );
    return rows[0]?.row;
  };
  await eventually('end of the run', async () => (await read())?.status === 'succeeded');
  const row = await read();
  if (row === undefined) throw new Error('the run has no row');
  const run = toAgentRun(decodeRun(row), agentRunId);
  const outputMessageId = `msg_${agentRunId.slice('run_'.length)}`;
  t.match(run, {
    projectId,
    environmentId,
    threadId: thread.id,
    agentId: head.agentId,
    mode: 'auto',
    status: 'succeeded',
    inputMessageId: message.messageId,
    outputMessageId,
    toolCallCount: 2,
    totalTokens: 4,
    estimatedCostMicros: 2,
    errorCode: null,
    metadata: { ours: true },
    trace: {
      steps: [{ toolCalls: [{ status: 'succeeded' }, { status: 'succeeded' }] }, { output: 'Done.' }],
    },
  });
  t.equal(agentRunId.slice(-16, -3), thread.id.slice(-16, -3), 'they live together');
  const told = await node.ask({ kind: 'run', id: agentRunId }, 'begin', begin);
  const brief = { ...run, trace: { ...run?.trace, steps: [] } };
  t.strictSame(told, JSON.parse(JSON.stringify(brief)), 'the actor says the same, but for the steps');

  const sent = await database.query<{ body: string }>(
    `select body from messages where thread_id = $1 and direction = 'outbound'`,
    [thread.id],
  );
  t.strictSame(sent, [{ body: 'Done.' }]);
  const events = await database.query<{ name: string }>(
    `select event_name as name from events where thread_id = $1 and event_name like 'agent.%' order by seq`,
    [thread.id],
  );
  t.strictSame(
    events.map(({ name }) => name),
    [
      ...['agent.run.queued', 'agent.run.started', 'agent.tool.completed', 'agent.tool.completed'],
      'agent.run.succeeded',
    ],
  );
  // The last of them are handled by the commit that has ended the run, or right after it.
  const left = async (): Promise<boolean> => (await database.query('select from reminders')).length === 0;
  await eventually('end of the reminders', left);
  t.strictSame(await database.query('select * from dead_letters'), []);
});
