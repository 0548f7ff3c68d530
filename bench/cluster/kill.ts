/**
 * kill -9 of one of three nodes under load, each in turn: how long it takes until writes to its threads succeed again. Measured at
 * clients that write without end and repeat what got no answer at another node, one thread each; the killed node is started again
 * after each round.
 */
import type { BenchDatabase } from '../support/bench-database.ts';
import { table } from '../support/table.ts';
import { quick } from '../support/turns.ts';
import { ClusterSetup, ms } from './cluster-setup.ts';

const rounds = quick(6, 1);
const load = { senders: 48, pauseMs: 100 };
/** Answers between two faults. */
const between = 400;

export async function run(database: BenchDatabase): Promise<void> {
  const setup = await ClusterSetup.start(database);
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
  console.log(`\nkill -9 of one of three nodes under load, ${rounds} times\n`);
  const rows = [
    [`writes to its threads succeed again, p50 of ${took.length}`, ms(took, 0.5), ''],
    ['p99', ms(took, 0.99), 'under 1,000 ms'],
    ['max', ms(took, 1), 'under 2,000 ms'],
    ['requests without an answer, repeated', String(senders.failed), ''],
    ...verdict,
  ];
  console.log(table(['', 'measured', 'target'], rows));
}
