/** Lists that look for the little of one environment, thread, agent or status among the much of others: see bounded-list.ts. */
import fc from '../../support/fuzz.ts';
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { RunStatus } from '../../../protocol/resources/agent.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { ensurePartitions } from '../../../storage/retention/partitions.ts';
import { pollPage, pollStatement, type EventPoll } from '../../../storage/events/event-log.ts';
import { runPage, runStatement, type RunFilter } from '../../../storage/reads/runs.ts';
import { startTestDatabase } from '../../support/database.ts';
import { hold, maybe, newest, type List } from '../paging/bounded-list.ts';

const { database: db } = await startTestDatabase(t);
const source = { db, isAnalysed: false };
const count = 20_000;
const start = Date.parse('2026-11-18T12:00:00Z');
const stepMs = 8_000;
const tenant = { projectId: 'prj_1', environmentId: 'env_1' };

// What is rare comes last: a walk up finds it at the end, and a walk down as well, where it is old.
const instants = `select n, $1::timestamptz + n / 2 * ($2::int * interval '2 ms') as at from generate_series(1, $3::int) n`;
await ensurePartitions(db, start + 86_400_000, silentLog);
await db.query(
  `insert into events (project_id, seq, occurred_at, event_id, event_name, environment_id, body)
   select 'prj_1', n, at, ($4::text[])[n], 'thread.message.received',
     case when n in (7, 15008, 19011) then 'env_1' when n > 19500 then 'env_3' else 'env_2' end, '{"n":' || n || '}'
   from (${instants}) instants`,
  [
    new Date(start),
    stepMs,
    count,
    Array.from({ length: count }, (_, i) => newId('event', start + i * stepMs)),
  ],
);
const isRare = `n in (7, 1008, 5011)`;
// The newest are all another environment's and another project's, more of each than a walk is long.
const mixTenants = (own: string, neighbours: string, outsiders: string): string =>
  `case when n > 17500 then '${outsiders}' when n > 15000 then '${neighbours}' else ${own} end`;
await db.query(
  `insert into agent_runs (agent_run_id, project_id, environment_id, agent_id, thread_id, status, suggestion_status, provider, model,
     mode, created_at, updated_at, state, version)
   select 'run_' || lpad((n * 7919 % $3)::text, 26, '0'), ${mixTenants(`'prj_1'`, 'prj_1', 'prj_2')},
     ${mixTenants(`case when n % 50 = 0 then 'env_2' else 'env_1' end`, 'env_2', 'env_9')},
     ${mixTenants(`case when ${isRare} then 'agent_2' when n % 7 = 0 then null else 'agent_1' end`, 'agent_8', 'agent_9')},
     ${mixTenants(`case when ${isRare} then 'thread_2' when n % 5 = 0 then null else 'thread_1' end`, 'thread_8', 'thread_9')},
     case when ${isRare} then 'failed' when n % 2 = 0 then 'cancelled' else 'succeeded' end,
     case when ${isRare} or n % 200 = 1 then 'pending' when n % 2 = 0 then 'superseded' end,
     'llm_provider_1', 'model', 'auto', at, at, '{}', 1
   from (${instants}) instants`,
  [new Date(start), stepMs, count],
);

interface RunColumns {
  readonly agentRunId: string;
  readonly agentId: string | null;
  readonly threadId: string | null;
  readonly status: RunStatus;
  readonly suggestion: string | null;
  readonly createdAt: Date;
}
const runs = newest(
  await db.query<RunColumns>(
    `select agent_run_id as "agentRunId", agent_id as "agentId", thread_id as "threadId", status, suggestion_status as suggestion,
       created_at as "createdAt" from agent_runs where environment_id = 'env_1'`,
  ),
  row => [row.createdAt.getTime(), row.agentRunId],
);
type AskedRuns = Pick<RunFilter, 'threadId' | 'agentId' | 'status' | 'suggestion'>;
const runFilter = (asked: AskedRuns, after: string | undefined, limit: number): RunFilter => {
  const row = runs.find(({ agentRunId }) => agentRunId === after);
  const end = row && { at: row.createdAt.getTime(), agentRunId: row.agentRunId };
  return { ...tenant, ...asked, after: end, limit };
};
const runList: List<RunColumns, AskedRuns> = {
  sorted: () => runs,
  matches: (row, asked) =>
    (asked.threadId ?? row.threadId) === row.threadId &&
    (asked.agentId ?? row.agentId) === row.agentId &&
    (asked.status ?? row.status) === row.status &&
    (asked.suggestion ?? row.suggestion) === row.suggestion,
  idOf: row => row.agentRunId,
  statement: (...asked) => runStatement(runFilter(...asked)),
  page: async (...asked) => {
    const { rows, end } = await runPage(db, runFilter(...asked));
    return { rows: rows.map(({ agentRunId }) => agentRunId), end: end?.agentRunId };
  },
  filters: fc.record({
    threadId: maybe('thread_1', 'thread_2', 'thread_3', 'thread_8', 'thread_9'),
    agentId: maybe('agent_1', 'agent_2', 'agent_3', 'agent_8', 'agent_9'),
    status: maybe<RunStatus>('succeeded', 'cancelled', 'failed', 'running'),
    suggestion: maybe('pending' as const),
  }),
  nobody: [
    { status: 'running' },
    { suggestion: 'pending', status: 'running' },
    { threadId: 'thread_3' },
    { agentId: 'agent_3' },
    { threadId: 'thread_1', agentId: 'agent_3' },
    { agentId: 'agent_1', status: 'failed' },
    { threadId: 'thread_1', status: 'running' },
  ],
  foreign: ['8', '9'].flatMap(n => {
    const both = (asked: (n: string) => AskedRuns) => [asked(n), asked('3')] as const;
    return [
      both(n => ({ agentId: `agent_${n}` })),
      both(n => ({ threadId: `thread_${n}` })),
      both(n => ({ threadId: `thread_${n}`, agentId: `agent_${n}` })),
      both(n => ({ threadId: 'thread_1', agentId: `agent_${n}` })),
      both(n => ({ threadId: `thread_${n}`, agentId: 'agent_1' })),
      both(n => ({ agentId: `agent_${n}`, status: 'succeeded' })),
    ];
  }),
};

type AskedPolls = Pick<EventPoll, 'environmentId' | 'maxBytes'> & { readonly isHidden?: boolean };
interface EventColumns {
  readonly seq: number;
  readonly environmentId: string;
}
const events = await db.query<EventColumns>(
  `select seq, environment_id as "environmentId" from events order by seq`,
);
const toPoll = (
  { isHidden = false, ...asked }: AskedPolls,
  after: string | undefined,
  limit: number,
): EventPoll => ({
  ...asked,
  eventNames: isHidden ? ['thread.message.created'] : ['thread.message.created', 'thread.message.received'],
  projectId: 'prj_1',
  limit,
  after: Number(after ?? 0),
});
const pollList: List<EventColumns, AskedPolls> = {
  sorted: () => events,
  matches: (row, { environmentId = row.environmentId }) => row.environmentId === environmentId,
  idOf: ({ seq }) => String(seq),
  statement: (...asked) => pollStatement(toPoll(...asked)),
  page: async (...asked) => {
    const { rows, end } = await pollPage(db, toPoll(...asked));
    return { rows: rows.map(({ seq }) => String(seq)), end: end && String(end.seq) };
  },
  filters: fc.record({
    environmentId: maybe('env_1', 'env_2', 'env_3', 'env_4'),
    // Some 500 bodies, or all.
    maxBytes: fc.constantFrom(5_000, 4_194_304),
  }),
  nobody: [{ environmentId: 'env_4' }, { isHidden: true }, { environmentId: 'env_2', isHidden: true }],
  foreign: [],
};

for (const known of [false, true]) {
  t.test(`of tables that ${known ? 'were analysed' : 'the planner knows nothing of'}`, async t => {
    source.isAnalysed = known;
    if (known) await db.query('analyze events, agent_runs');
    const times = known ? 6 : 3;
    await t.test('runs', t => hold(t, source, runList, times));
    await t.test('polls', t => hold(t, source, pollList, times));
  });
}
