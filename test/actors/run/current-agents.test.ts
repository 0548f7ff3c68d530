/** What is decided about an agent between the look at its rows and the commit of its message, on a real database. */
import t from 'tap';
import { createCurrentAgents } from '../../../actors/run/current-agents.ts';
import type { CurrentAgent } from '../../../actors/run/thread-reports.ts';
import { systemClock } from '../../../runtime/time/clock.ts';
import { defaultLimits } from '../../../storage/writes/limits.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { saying } from './run-nodes.ts';
import { askAgent, startStoredRuns } from './stored-runs.ts';

t.test('a run that has read what is no longer so sends nothing, and reads again', async t => {
  const { database } = await startTestDatabase(t);
  const current = createCurrentAgents({ db: database, clock: systemClock, limits: defaultLimits });
  const read: CurrentAgent[] = [];
  /** Done right after the first look. */
  let change = (): Promise<unknown> => Promise.resolve();
  const node = await startStoredRuns(t, database, {
    models: { answer: () => Promise.resolve(saying('Done.')) },
    agents: {
      async findCurrent(...asked) {
        const found = await current.findCurrent(...asked);
        if (read.push(found) === 1) await change();
        return found;
      },
    },
  });
  const readRun = async (agentRunId: string) => {
    const [row] = await database.query<{ status: string; trace: { suggestion?: object } }>(
      'select status, trace from agent_runs where agent_run_id = $1',
      [agentRunId],
    );
    return row;
  };
  const countSent = async (): Promise<number> =>
    (await database.query(`select from messages where direction = 'outbound'`)).length;
  const run = async (set: string) => {
    change = () => database.query(`update agents set ${set}`);
    read.length = 0;
    const { agentRunId } = await askAgent(node);
    await eventually('end of the run', async () => /ed$/.test((await readRun(agentRunId))?.status ?? ''));
    return readRun(agentRunId);
  };

  t.match(await run(`mode = 'auto'`), { status: 'succeeded' });
  t.equal(await countSent(), 1, 'what has not changed is sent');
  t.match(await run(`mode = 'paused'`), { status: 'cancelled' });
  t.match(read, [{ mode: 'auto' }, { mode: 'paused' }]);
  await database.query(`update agents set mode = 'auto'`);
  t.match(await run(`mode = 'suggest'`), {
    status: 'succeeded',
    trace: { suggestion: { status: 'pending' } },
  });
  await database.query(`update agents set mode = 'auto'`);
  t.match(await run('archived_at = now()'), { status: 'cancelled' });
  t.match(read, [{ mode: 'auto' }, { mode: null }]);
  t.equal(await countSent(), 1);
  t.strictSame(await database.query('select * from dead_letters'), []);
});
