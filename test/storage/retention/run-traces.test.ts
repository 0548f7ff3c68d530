/** What is kept of a run when its trace has had its time. */
import t from 'tap';
import { decodeRun, type RunRow } from '../../../actors/run/snapshot.ts';
import { newId } from '../../../protocol/ids.ts';
import { emptyTraces } from '../../../storage/retention/sweep.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const now = Date.parse('2026-11-20T12:00:00.000Z');
const keptMs = 30 * 86_400_000;

async function run(
  completedAt: number | null,
  suggestion?: object,
): Promise<() => Promise<RunRow & { version: number }>> {
  const id = newId('run');
  const trace = {
    steps: [{ step: 1, output: 'secret' }],
    ...(suggestion === undefined ? {} : { suggestion }),
  };
  await database.query(
    `insert into agent_runs (agent_run_id, project_id, environment_id, status, provider, model, mode, trace, completed_at, created_at,
       updated_at, state, version)
     values ($1, 'prj_1', 'env_1', $2, 'llm_provider_1', 'm', 'auto', $3, $4, now(), now(), '{"phase": "over", "turns": []}', 7)`,
    [
      id,
      completedAt === null ? 'running' : 'succeeded',
      JSON.stringify(trace),
      completedAt === null ? null : new Date(completedAt),
    ],
  );
  return async () => {
    const [row] = await database.query<{ row: RunRow & { version: number } }>(
      `select to_jsonb(r) as row from agent_runs r where agent_run_id = $1`,
      [id],
    );
    if (row === undefined) throw new Error('the run is gone');
    return row.row;
  };
}

t.test('30 days after a run has ended, its trace and state are emptied, once; the run stays', async t => {
  const old = await run(now - keptMs);
  const young = await run(now - keptMs + 1);
  const going = await run(null);
  const suggested = { body: 'secret', basedOnSequence: 3, createdAt: 'then' };
  const pending = await run(now - keptMs, { status: 'pending', ...suggested });
  const resolved = await run(now - keptMs, { status: 'approved', ...suggested });
  const before = await Promise.all([young(), going()]);
  await emptyTraces(database, now);
  await emptyTraces(database, now);
  t.match(await old(), { status: 'succeeded', trace: { steps: [] }, state: {}, version: 8 });
  t.strictSame(await Promise.all([young(), going()]), before);
  const suggestion = { ...suggested, status: 'expired', body: '' };
  t.strictSame((await pending()).trace, { steps: [], suggestion }, 'nobody can approve it any more');
  t.strictSame((await resolved()).trace, { steps: [] });
  t.match(decodeRun(await old()), { phase: 'over', turns: [], trace: { steps: [] } });
});
