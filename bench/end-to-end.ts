/**
 * How long a message takes to be acknowledged, and how long until its webhook has come to a receiver in another process, at a constant
 * rate: 1,000 a second, a half and a quarter of that.
 *
 * The load is open: a request is due at its instant whatever became of those before, and both times count from that instant, so that a
 * stall counts for every message that it has delayed. Each message's text says when it was due, by the monotonic clock that all
 * processes of a machine share. Timers of Node fire up to a millisecond late, which is in both times. Connections are so many that one is
 * free when a request is due.
 */
import type { BenchDatabase } from './support/bench-database.ts';
import { runLoad, type LoadSetting } from './support/load.ts';
import { Receiver } from './support/receiver.ts';
import { openStitches, startSkein, type Skein } from './support/skein.ts';
import { count, fixed, quantile, table } from './support/table.ts';
import { quick } from './support/turns.ts';

const rates = [250, 500, 1_000] as const;
const targetMs = 60;
const timing = { warmupMs: quick(4_000, 200), measuredMs: quick(30_000, 1_000) };
const setting = { threads: 1_000, connections: 128 };
/** The node has just started and compiles what it runs. */
const heating = { ...setting, measuredMs: quick(8_000, 200), pace: 2_000 };
const arrivedWithinMs = 30_000;

interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Loads, and waits until every webhook has come. */
async function measure(
  { target }: Skein,
  receiver: Receiver,
  how: LoadSetting,
): Promise<{ readonly acknowledged: Times; readonly ages: readonly number[] }> {
  const before = await receiver.count();
  const { succeeded, p50Ms: p50, p99Ms: p99, maxMs: max } = await runLoad({ ...target, ...how });
  await receiver.waitFor(before + succeeded, arrivedWithinMs);
  return { acknowledged: { p50, p99, max }, ages: await receiver.ages() };
}

export async function run(database: BenchDatabase): Promise<void> {
  await database.warm();
  const receiver = await Receiver.start(database.endings);
  const skein = await startSkein(database, 'end_to_end');
  await openStitches(skein, await receiver.listen());
  await measure(skein, receiver, heating);
  const rows: string[][] = [];
  const toCells = ({ p50, p99, max }: Times): string[] => [p50, p99, max].map(ms => fixed(ms));
  for (const pace of rates) {
    const how = { ...setting, ...timing, pace, stamped: true };
    const { acknowledged, ages } = await measure(skein, receiver, how);
    const received = { p50: quantile(ages, 0.5), p99: quantile(ages, 0.99), max: quantile(ages, 1) };
    rows.push([count(pace), count(ages.length), ...toCells(acknowledged), ...toCells(received)]);
  }
  console.log(
    `\n${timing.measuredMs / 1_000} s each, ${count(setting.threads)} threads, ${setting.connections} connections, one stitch; milliseconds from when the request was due\n`,
  );
  const head = [
    'messages a second',
    'messages',
    'acknowledged: p50',
    'p99',
    'max',
    'webhook received: p50',
    `p99 (target: ${targetMs})`,
    'max',
  ];
  console.log(table(head, rows));
}
