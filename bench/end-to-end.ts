/**
 * How long a message takes to be acknowledged, and how long until its webhook has come to a receiver in another process, at a constant
 * rate: 1,000 a second, a half and a quarter of that.
 *
 * The load is open: a request is due at its instant whatever became of those before, and both times count from that instant, so that a
 * stall counts for every message that it has delayed. Each message's text says when it was due, by the monotonic clock that all
 * processes of a machine share. Timers of Node fire up to a millisecond late, which is in both times. Connections are so many that one is
 * free when a request is due.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { load, openStitches, type LoadSetting } from './stitches/setup.ts';
import type { BenchDatabase } from './support/bench-database.ts';
import { startSkein, type Skein } from './support/skein.ts';
import { startCountingReceiver, type CountingReceiver } from './support/start-counting-receiver.ts';
import { count, fixed, table } from './support/table.ts';

const rates = [250, 500, 1_000] as const;
const targetMs = 60;
const setting = { threads: 1_000, connections: 128, warmupMs: 4_000, measuredMs: 30_000, stamped: true };
/** The node has just started and compiles what it runs. */
const heating = { ...setting, warmupMs: 8_000, measuredMs: 0, pace: 2_000, stamped: false };
const arrivedWithinMs = 30_000;

interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

interface Row {
  readonly rate: number;
  readonly messages: number;
  readonly acknowledged: Times;
  readonly received: Times;
}

interface Setup {
  readonly database: BenchDatabase;
  readonly skein: Skein;
  readonly receiver: CountingReceiver;
}

/** @param sorted in order of size */
function toTimes(sorted: readonly number[]): Times {
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? Number.NaN };
}

/** Loads, and waits until every webhook has come. */
async function run({ database, skein, receiver }: Setup, how: LoadSetting): Promise<Omit<Row, 'rate'>> {
  const before = await receiver.count();
  const { succeeded, p50Ms, p99Ms, maxMs } = await load(skein, skein, database, how);
  const begun = performance.now();
  for (;;) {
    const came = (await receiver.count()) - before;
    if (came >= succeeded) break;
    if (performance.now() - begun > arrivedWithinMs) throw new Error(`${came} of ${succeeded} webhooks came`);
    await pause(50);
  }
  const ages = await receiver.ages();
  const acknowledged = { p50: p50Ms, p99: p99Ms, max: maxMs };
  return { messages: ages.length, acknowledged, received: toTimes(ages) };
}

export async function benchEndToEnd(database: BenchDatabase): Promise<void> {
  await database.warm();
  const receiver = await startCountingReceiver();
  let skein: Skein | undefined;
  try {
    skein = await startSkein(database, 'end_to_end');
    const setup = { database, skein, receiver };
    await openStitches(skein, [await receiver.listen()]);
    await run(setup, heating);
    const rows: Row[] = [];
    for (const rate of rates) rows.push({ rate, ...(await run(setup, { ...setting, pace: rate })) });
    console.log(
      `\n${setting.measuredMs / 1_000} s each, ${count(setting.threads)} threads, ${setting.connections} connections, one stitch; milliseconds from when the request was due\n`,
    );
    console.log(createTable(rows));
  } finally {
    await skein?.stop();
    await receiver.stop();
  }
}

function createTable(rows: readonly Row[]): string {
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
  const show = ({ p50, p99, max }: Times): string[] => [p50, p99, max].map(ms => fixed(ms));
  return table(
    head,
    rows.map(({ rate, messages, acknowledged, received }) => [
      count(rate),
      count(messages),
      ...show(acknowledged),
      ...show(received),
    ]),
  );
}
