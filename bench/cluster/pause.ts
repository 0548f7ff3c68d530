/**
 * SIGSTOP of one of three nodes under load for longer than its lease, then SIGCONT. The others take over what it had; what it still
 * holds when it wakes up was decided from old states.
 *
 * No client writes while it wakes up, and every request that it holds has been answered by another node. So whatever is written
 * then is a write of the zombie, and is counted in the database.
 */
import { eventually } from '../../test/support/eventually.ts';
import { metric } from '../../test/cluster/support/cluster.ts';
import { defaultTiming } from '../../runtime/cluster/timing.ts';
import { count, table } from '../support/table.ts';
import { quick } from '../support/turns.ts';
import { ClusterSetup, ms } from './cluster-setup.ts';

const rounds = quick(3, 1);
/** Close to each other, so that the node has requests in hand when it is stopped. */
const load = { senders: 32, pauseMs: 10, timeoutMs: 1_500 };
const between = 600;

export function run(): Promise<void> {
  return ClusterSetup.with(async setup => {
    const { cluster, tenant } = setup;
    const written = async (): Promise<number> => {
      const [row] = await cluster.database.database.query<{ count: number }>(
        'select count(*)::int as count from messages where project_id = $1',
        [tenant.projectId],
      );
      return row?.count ?? 0;
    };
    const took: number[] = [];
    let unanswered = 0;
    let fenced = 0;
    let accepted = 0;
    for (let round = 0; round < rounds; round++) {
      const senders = setup.load(load);
      await senders.more(between);
      const zombie = setup.victim(round);
      const recovery = await setup.measureRecovery(zombie, senders);
      const fencedBefore = await metric(zombie, 'skein_commits_fenced_total');
      zombie.pause();
      senders.spare(zombie);
      took.push(...(await recovery.complete()));
      await senders.stop();
      unanswered += senders.unanswered;

      const before = await written();
      const again = zombie.said('joined the cluster');
      zombie.resume();
      await again;
      await eventually(
        'end of what the zombie had in hand',
        async () => (await metric(zombie, 'skein_commands')) === 0,
      );
      accepted += (await written()) - before;
      fenced += (await metric(zombie, 'skein_commits_fenced_total')) - fencedBefore;
      await cluster.balanced();
    }
    const verdict = await setup.verdict();
    console.log(
      `\nSIGSTOP of one of three nodes under load beyond its lease, then SIGCONT, ${rounds} times\n`,
    );
    const rows = [
      ['requests under way in it or to its threads, repeated elsewhere', count(unanswered), ''],
      ['commits that the storage refused when it woke up', count(fenced), ''],
      ['writes of the zombie that were accepted', count(accepted), '0'],
      [`writes to its threads succeed again, p50 of ${took.length}`, ms(took, 0.5), ''],
      ['max', ms(took, 1), `under ${count(defaultTiming.leaseMs + 1_000)} ms`],
      ...verdict,
    ];
    console.log(table(['', 'measured', 'target'], rows));
  });
}
