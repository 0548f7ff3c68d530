/**
 * Webhook deliveries per second: Skein beside graphile-worker, on the same PostgreSQL, to the same receiver, the same bodies.
 *
 * Both find 20,000 deliveries waiting, graphile-worker in its table, Skein in the log beyond the places of its stitches. The
 * time runs at the receiver from the first request to the last, in a process that has just started. Skein signs each, keeps
 * the order within each of 1,000 threads, records each attempt and has from 4 to 256 requests in flight for a stitch. So one stitch
 * shows what one customer gets, and several show what a node can do. graphile-worker does none of this. It uses its local queue, in several
 * settings, the best of which counts.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { BenchDatabase } from '../support/bench-database.ts';
import { cpuSeconds } from '../support/process-usage.ts';
import { Receiver } from '../support/receiver.ts';
import { openStitches, toUrls } from '../support/skein.ts';
import { count, fixed, timesByRounds } from '../support/table.ts';
import { compare, middle, quick, show, takeTurns } from '../support/turns.ts';
import { graphileSender, openJobs, settings } from './graphile-worker.ts';
import { queued, type Sender, threads } from './sender.ts';
import { makeEvents, skeinSender } from './skein.ts';

const rounds = quick(5, 1);
const target = 1.3;
const severalStitches = 10;

export interface Sample {
  readonly perSecond: number;
  /** CPU microseconds per delivery: of the sender's process, and of PostgreSQL. */
  readonly senderMicros: number;
  readonly databaseMicros: number;
}

/** One turn of a sender. Its start does not count: the time runs from the first request to the last. `url`: any database. */
export async function turn(
  sender: Sender,
  database: BenchDatabase,
  url: string,
  receiver: Pick<Receiver, 'expect'>,
): Promise<Sample> {
  await sender.queue();
  // No sender pays for what the one before has written.
  await database.query(url, 'checkpoint');
  let senderCpu = 0;
  let databaseCpu = 0;
  const measured = receiver
    .expect(queued, () => {
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

export async function run(database: BenchDatabase): Promise<void> {
  await database.warm();
  const receiver = await Receiver.start(database.endings);
  const [url = ''] = await receiver.listen();
  const { skein, bodies } = await makeEvents(database);
  const jobs = await openJobs(database);
  database.endings.teardown(async () => jobs.utils.release());
  const stitches = await openStitches(skein, toUrls(url, severalStitches));
  await skein.server.stop();
  const ours = [stitches.slice(0, 1), stitches].map(some => skeinSender(database, skein, receiver, some));
  const peers = settings.map(setting => graphileSender(database, jobs, { receiver, url }, bodies, setting));
  const senders = [...ours, ...peers];
  const samples = await takeTurns(senders, rounds, sender => turn(sender, database, jobs.url, receiver));
  const rates = peers.map(peer => samples.get(peer) ?? []);
  const [best = []] = rates.sort((a, b) => middle(b, 'perSecond') - middle(a, 'perSecond'));
  const perSecond = (of: readonly Sample[]): number[] => of.map(sample => sample.perSecond);
  console.log(
    `\n${count(queued)} queued deliveries over ${count(threads)} threads (medians of ${rounds} rounds)\n`,
  );
  const columns = {
    'deliveries/s': show('perSecond', count),
    [`against the best peer (target: at least ${fixed(target)})`]: (of: readonly Sample[]) =>
      rates.includes(of) ? '' : timesByRounds(perSecond(of), perSecond(best)),
    'sender µs': show('senderMicros', count),
    'PostgreSQL µs': show('databaseMicros', count),
  };
  console.log(compare(samples, columns));
}
