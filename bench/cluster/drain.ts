/**
 * SIGTERM to one of three nodes under load, each in turn, which is started again after each round. How long a shard has no owner is
 * asked of the shards themselves; what it does to clients is seen from the answers of the threads that moved, beside those of
 * the same threads just before.
 */
import type { Answer } from '../../test/cluster/support/load.ts';
import { fixed, table } from '../support/table.ts';
import { ShardProbe } from './shard-probe.ts';
import { quantile, toRows, ClusterSetup } from './cluster-setup.ts';

const rounds = 4;
/** Close to each other, so that there is a request for every moment of a move. */
const load = { senders: 32, pauseMs: 10 };
const between = 600;
/** Shards that are watched in each round: all would be more than the load. */
const watched = 24;
/** Its default name. */
const clusterName = 'skein';

export function benchDrain(): Promise<void> {
  return ClusterSetup.with(async setup => {
    const senders = setup.load(load);
    const quiet: number[] = [];
    const moving: number[] = [];
    const gaps: number[] = [];
    let failed = 0;
    let drainMs = 0;
    for (let round = 0; round < rounds; round++) {
      const quietFrom = senders.answers.length;
      await senders.more(between);
      const node = setup.victim(round);
      const isOwned = await setup.cluster.ownership(node);
      const getDurations = (answers: readonly Answer[]): number[] =>
        answers
          .filter(({ threadId }) => isOwned(threadId))
          .map(({ sentAt, answeredAt }) => answeredAt - sentAt);
      quiet.push(...getDurations(senders.answers.slice(quietFrom)));

      const shards = [...(await setup.cluster.getShards(node))].slice(0, watched);
      const probe = await ShardProbe.start(setup.cluster.nats.url, clusterName, shards);
      const from = senders.answers.length;
      const failedBefore = senders.failed;
      const begun = performance.now();
      const { code, signal } = await node.stop();
      if (code !== 0) throw new Error(`the drained node ended with ${code ?? signal}`);
      drainMs = Math.max(drainMs, performance.now() - begun);
      senders.spare(node);
      // Whoever has waited has its answer after one more of each.
      await senders.more(load.senders);
      await probe.stop();
      gaps.push(...probe.gaps);
      moving.push(...getDurations(senders.answers.slice(from)));
      failed += senders.failed - failedBefore;

      await node.start();
      senders.use(node);
      await setup.cluster.balanced();
    }
    const verdict = await setup.verdict();
    const ms = (values: readonly number[], part: number): string => `${fixed(quantile(values, part), 0)} ms`;
    const figures = (values: readonly number[]): string =>
      `${ms(values, 0.5)}, ${ms(values, 0.99)}, ${ms(values, 1)}`;
    console.log(`\nSIGTERM to one of three nodes under load, ${rounds} times\n`);
    const rows = [
      [`failed requests while it drained, of ${moving.length} to its threads`, String(failed), '0'],
      ['failed requests in the whole run', String(senders.failed), '0'],
      [`a shard had no owner: p50, p99, max of ${gaps.length} moves`, figures(gaps), 'under 50 ms'],
      ['answers of its threads while they moved: p50, p99, max', figures(moving), ''],
      ['answers of the same threads before', figures(quiet), ''],
      ['longest drain, SIGTERM to exit', `${fixed(drainMs, 0)} ms`, ''],
      ...toRows(verdict),
    ];
    console.log(table(['', 'measured', 'target'], rows));
  });
}
