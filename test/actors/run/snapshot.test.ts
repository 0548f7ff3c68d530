/** A thread and its run on a real database: what they tell each other arrives, and the row says what the run says. */
import t from 'tap';
import { toAgentRun } from '../../../actors/run/json.ts';
import { decodeRun, type RunRow } from '../../../actors/run/snapshot.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestDatabase } from '../../support/database.ts';
import { head, tenancy } from './run-harness.ts';
import { saying } from './run-nodes.ts';
import { askAgent, startStoredRuns } from './stored-runs.ts';

t.test('a question, two tool calls, an answer', async t => {
  const { database } = await startTestDatabase(t);
  const { projectId, environmentId } = tenancy;
  const node = await startStoredRuns(t, database, {
    models: {
      answer: (_, { step }) => Promise.resolve(step === 1 ? saying('One moment.', 2) : saying('Done.')),
    },
  });
  const { agentRunId, begin, threadId, messageId } = await askAgent(node);

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
    threadId,
    agentId: head.agentId,
    mode: 'auto',
    status: 'succeeded',
    inputMessageId: messageId,
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
  t.equal(agentRunId.slice(-16, -3), threadId.slice(-16, -3), 'they live together');
  const told = await node.ask({ kind: 'run', id: agentRunId }, 'begin', begin);
  const brief = { ...run, trace: { ...run?.trace, steps: [] } };
  t.strictSame(told, JSON.parse(JSON.stringify(brief)), 'the actor says the same, but for the steps');

  const sent = await database.query<{ body: string }>(
    `select body from messages where thread_id = $1 and direction = 'outbound'`,
    [threadId],
  );
  t.strictSame(sent, [{ body: 'Done.' }]);
  const events = await database.query<{ name: string }>(
    `select event_name as name from events where thread_id = $1 and event_name like 'agent.%' order by seq`,
    [threadId],
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
