/**
 * Webhook deliveries per second: Skein beside graphile-worker, on the same PostgreSQL, to the same receiver, the same bodies.
 *
 * Both find 20,000 deliveries waiting, graphile-worker in its table, Skein in the log beyond the places of its stitches. The
 * time runs at the receiver from the first request to the last, in a process that has just started. Skein signs each, keeps
 * the order within each of 1,000 threads, records each attempt and has from 4 to 256 requests in flight for a stitch, so one stitch
 * says what one customer gets, and several what a node can do. graphile-worker does none of this, has its local queue on, and
 * is tried in several settings, the best of which counts. The systems take turns and the medians of the rounds are compared.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { graphileSender, openJobs, settings, type Jobs } from './senders/graphile-worker.ts';
import { queued, threads, type Sender } from './senders/sender.ts';
import { makeEvents, makeStitches, skeinSender, type Origin } from './senders/skein.ts';
import type { BenchDatabase } from './support/bench-database.ts';
import { cpuSeconds } from './support/process-usage.ts';
import { startReceiver, type Receiver } from './support/start-receiver.ts';
import { count, fixed, median, table, timesByRounds } from './support/table.ts';

const rounds = 5;
const target = 1.3;
const withinMs = 120_000;
const severalStitches = 10;

export interface Sample {
  readonly perSecond: number;
  /** CPU microseconds per delivery: of the sender's process, and of PostgreSQL. */
  readonly senderMicros: number;
  readonly databaseMicros: number;
}

/** One turn of a sender. Its start does not count: all is taken from the first request to the last. `url`: any database. */
export async function turn(
  sender: Sender,
  database: BenchDatabase,
  url: string,
  receiver: Receiver,
): Promise<Sample> {
  await sender.queue();
  // Nobody pays for what the one before has written.
  await database.query(url, 'checkpoint');
  let senderCpu = 0;
  let databaseCpu = 0;
  const measured = receiver
    .expect(queued, withinMs, () => {
      senderCpu = cpuSeconds(sender.pid());
      databaseCpu = database.cpuSeconds();
    })
    .then(seconds => ({
      perSecond: queued / seconds,
      senderMicros: ((cpuSeconds(sender.pid()) - senderCpu) * 1e6) / queued,
      databaseMicros: ((database.cpuSeconds() - databaseCpu) * 1e6) / queued,
    }));
  try {
    const [result] = await Promise.all([measured, sender.start()]);
    for (let tries = 0; (await sender.open()) > 0; tries++) {
      if (tries > 100) throw new Error(`${sender.name}: ${await sender.open()} deliveries are still open`);
      await pause(100);
    }
    await sender.verify();
    return result;
  } finally {
    await sender.stop();
  }
}

async function openSenders(
  database: BenchDatabase,
  { skein, bodies }: Origin,
  jobs: Jobs,
  receiver: Receiver,
): Promise<Sender[]> {
  const stitches = await makeStitches(skein, receiver, severalStitches);
  await skein.server.stop();
  return [
    skeinSender(database, skein, receiver, stitches.slice(0, 1)),
    skeinSender(database, skein, receiver, stitches),
    ...settings.map(setting => graphileSender(database, jobs, receiver, bodies, setting)),
  ];
}

/** Runs the rounds and prints a table. */
export async function benchDeliveries(database: BenchDatabase): Promise<void> {
  await database.warm();
  const receiver = await startReceiver();
  let origin: Origin | undefined;
  let jobs: Jobs | undefined;
  try {
    origin = await makeEvents(database);
    jobs = await openJobs(database);
    const senders = await openSenders(database, origin, jobs, receiver);
    const samples = new Map<Sender, Sample[]>(senders.map(sender => [sender, []]));
    for (let round = 0; round < rounds; round++) {
      for (const sender of round % 2 === 0 ? senders : senders.toReversed())
        samples.get(sender)?.push(await turn(sender, database, jobs.url, receiver));
    }
    console.log(
      `\n${count(queued)} queued deliveries over ${count(threads)} threads (medians of ${rounds} rounds)\n`,
    );
    console.log(createTable(samples));
  } finally {
    await origin?.skein.stop();
    await jobs?.utils.release();
    await receiver.stop();
  }
}

function createTable(samples: ReadonlyMap<Sender, readonly Sample[]>): string {
  const middle = (sender: Sender, field: keyof Sample): number =>
    median((samples.get(sender) ?? []).map(sample => sample[field]));
  const senders = [...samples.keys()];
  const [best] = senders
    .filter(({ isOurs }) => !isOurs)
    .sort((a, b) => middle(b, 'perSecond') - middle(a, 'perSecond'));
  const rates = (sender: Sender | undefined): number[] =>
    (sender === undefined ? [] : (samples.get(sender) ?? [])).map(({ perSecond }) => perSecond);
  const head = [
    '',
    'deliveries/s',
    `against the best peer (target: at least ${fixed(target)})`,
    'sender µs',
    'PostgreSQL µs',
  ];
  const rows = senders.map(sender => [
    sender.name,
    count(middle(sender, 'perSecond')),
    sender.isOurs ? timesByRounds(rates(sender), rates(best)) : '',
    fixed(middle(sender, 'senderMicros'), 0),
    fixed(middle(sender, 'databaseMicros'), 0),
  ]);
  return table(head, rows);
}
