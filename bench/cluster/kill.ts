/**
 * kill -9 of one of three nodes under load, each in turn: how long it takes until writes to its threads succeed again. Measured at
 * clients that write without end and repeat what got no answer at another node, one thread each; the killed node is started again
 * after each round.
 */
import { fixed, table } from '../support/table.ts';
import { quantile, toRows, ClusterSetup } from './cluster-setup.ts';

const rounds = 6;
const load = { senders: 48, pauseMs: 100 };
/** Answers between two faults. */
const between = 400;

export function benchKill(): Promise<void> {
  return ClusterSetup.with(async setup => {
    const senders = setup.load(load);
    const took: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await senders.more(between);
      const victim = setup.victim(round);
      const recovery = await setup.measureRecovery(victim, senders);
      senders.spare(victim);
      await victim.kill();
      took.push(...(await recovery.complete()));
      await victim.start();
      senders.use(victim);
      await setup.cluster.balanced();
    }
    const verdict = await setup.verdict();
    const ms = (part: number): string => fixed(quantile(took, part), 0);
    console.log(`\nkill -9 of one of three nodes under load, ${rounds} times\n`);
    const rows = [
      [`writes to its threads succeed again, p50 of ${took.length}`, `${ms(0.5)} ms`, ''],
      ['p99', `${ms(0.99)} ms`, 'under 1,000 ms'],
      ['max', `${ms(1)} ms`, 'under 2,000 ms'],
      ['requests without an answer, repeated', String(senders.failed), ''],
      ...toRows(verdict),
    ];
    console.log(table(['', 'measured', 'target'], rows));
  });
}
