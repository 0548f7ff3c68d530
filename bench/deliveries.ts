/**
 * Webhook deliveries per second: Skein beside graphile-worker, on the same PostgreSQL, to the same receiver, the same bodies.
 *
 * Both find 20,000 deliveries waiting in their tables, Skein those of a stitch whose circuit was open and is closed again. The
 * time runs at the receiver from the first request to the last, in a process that has just started. Skein signs each, keeps
 * the order within each of 1,000 threads, records each attempt and has at most 20 requests in flight; graphile-worker does
 * none of this, has its local queue on, and is tried in several settings, the best of which counts. The systems take turns
 * and the medians of the rounds are compared.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Logger, makeWorkerUtils, type WorkerUtils } from 'graphile-worker';
import type { BenchDatabase } from './support/bench-database.ts';
import { openCircuit } from './support/open-circuit.ts';
import { cpuSeconds } from './support/process-usage.ts';
import type { ReceiverReport } from './support/receiver.ts';
import { runLoad } from './support/run-load.ts';
import { startSkein, type Skein } from './support/skein.ts';
import { startReceiver, type Receiver } from './support/start-receiver.ts';
import { count, fixed, median, table, times } from './support/table.ts';

const queued = 20_000;
const threads = 1_000;
const rounds = 3;
const target = 0.7;
const withinMs = 120_000;
/** The signature of one in so many deliveries is verified. */
const sample = 10;

interface Sender {
  readonly name: string;
  /** Of its process, while it runs. */
  pid(): number;
  /** Puts the deliveries into the tables; the sender's process is not running. */
  queue(): Promise<void>;
  /** Starts the sender's process and lets it go. */
  start(): Promise<void>;
  /** Deliveries that are not settled yet. */
  open(): Promise<number>;
  /** Throws when something is not as it should be after the run. */
  verify(): Promise<void>;
  stop(): Promise<void>;
}

interface Origin {
  readonly skein: Skein;
  readonly bodies: readonly string[];
}

/** A Skein node, stopped, with enough events of messages in its tables: the bodies that all senders deliver. */
async function makeEvents(database: BenchDatabase): Promise<Origin> {
  const skein = await startSkein(database, 'skein_deliveries');
  const received = `from events where project_id = $1 and event_name = 'thread.message.received'`;
  for (let have = 0; have < queued;) {
    const result = await runLoad({
      port: skein.port,
      path: `/v1/channels/${skein.channelId}/inbound-messages`,
      headers: { Authorization: `Bearer ${skein.apiKey}` },
      projectId: skein.projectId,
      ...{ threads, connections: 64, warmupMs: 0, measuredMs: 2_000 },
    });
    if (result.errors > 0) throw new Error(`no events could be made: ${result.firstError ?? ''}`);
    const [row] = await database.query<{ n: number }>(
      skein.databaseUrl,
      `select count(*)::int as n ${received}`,
      [skein.projectId],
    );
    have = row?.n ?? 0;
  }
  const rows = await database.query<{ body: string }>(
    skein.databaseUrl,
    `select body::text ${received} order by seq limit $2`,
    [skein.projectId, queued],
  );
  return { skein, bodies: rows.map(({ body }) => body) };
}

/** What the commit of an event does for a matching stitch (storage/writes/events.ts), done for events that are there. */
const queueDeliveries = `
  insert into webhook_deliveries (delivery_id, project_id, environment_id, stitch_id, event_id, event_seq, event_name, event_at,
    thread_id, status, attempt_count, trigger, next_attempt_at, created_at, updated_at)
  select skein_delivery_id(event_id, $2), project_id, environment_id, $2, event_id, seq, event_name, occurred_at,
    thread_id, 'pending', 0, 'scheduled', occurred_at, occurred_at, occurred_at
  from events where project_id = $1 and event_name = 'thread.message.received' order by seq limit $3`;

const openDeliveries = `select count(*)::int as n from webhook_deliveries where status in ('pending', 'delivering', 'retrying')`;

/** Deliveries that are delivered by exactly one recorded attempt. */
const recorded = `
  select count(*)::int as n from webhook_deliveries d where d.status = 'delivered' and d.attempt_count = 1
    and (select count(*) from webhook_attempts a where a.delivery_id = d.delivery_id and a.number = 1 and a.response_status = 200) = 1`;

async function ours(database: BenchDatabase, { skein }: Origin, receiver: Receiver): Promise<Sender> {
  const { databaseUrl, projectId, server } = skein;
  const { stitch, secret } = await skein.api.post<{ stitch: { stitchId: string }; secret: string }>(
    '/stitches',
    {
      projectId,
      name: 'Bench',
      webhookUrl: receiver.url,
      eventNames: ['thread.message.received'],
    },
  );
  await server.stop();
  const countOf = async (text: string): Promise<number> =>
    (await database.query<{ n: number }>(databaseUrl, text))[0]?.n ?? 0;
  return {
    name: 'skein: signed, recorded, ordered',
    pid: () => server.pid,
    async queue() {
      await database.query(databaseUrl, 'truncate webhook_deliveries, webhook_attempts');
      await database.query(databaseUrl, queueDeliveries, [projectId, stitch.stitchId, queued]);
      await database.query(databaseUrl, openCircuit, [stitch.stitchId]);
      await database.query(databaseUrl, 'vacuum analyze');
    },
    async start() {
      await server.start();
      await skein.api.patch(`/stitches/${stitch.stitchId}`, { projectId, status: 'active' });
    },
    open: () => countOf(openDeliveries),
    async verify() {
      const report = await receiver.report(secret, sample);
      requireAll(report);
      if (report.outOfOrder > 0) throw new Error(`${report.outOfOrder} deliveries came out of order`);
      if (report.refused > 0) throw new Error(`${report.refused} signatures were wrong`);
      const good = await countOf(recorded);
      if (good !== queued)
        throw new Error(`${good} deliveries are recorded with one good attempt, not ${queued}`);
    },
    stop: () => server.stop(),
  };
}

function requireAll({ requests, distinct }: ReceiverReport): void {
  if (requests !== queued || distinct !== queued) {
    throw new Error(`${requests} requests brought ${distinct} of ${queued} events`);
  }
}

interface Setting {
  readonly concurrency: number;
  readonly localQueue: number;
}

const settings: readonly Setting[] = [
  { concurrency: 24, localQueue: 500 },
  { concurrency: 24, localQueue: 2_000 },
  { concurrency: 64, localQueue: 1_000 },
];

/** graphile-worker in one setting; all settings share a database. */
function peer(
  database: BenchDatabase,
  { bodies }: Origin,
  receiver: Receiver,
  { url, jobs }: { readonly url: string; readonly jobs: WorkerUtils },
  { concurrency, localQueue }: Setting,
): Sender {
  let child: ReturnType<typeof fork> | undefined;
  return {
    name: `graphile-worker, ${concurrency} jobs at once, local queue of ${count(localQueue)}`,
    pid: () => child?.pid ?? 0,
    async queue() {
      for (let i = 0; i < bodies.length; i += 1_000) {
        const some = bodies.slice(i, i + 1_000);
        await jobs.addJobs(
          some.map(body => ({ identifier: 'deliver', payload: JSON.parse(body) as object })),
        );
      }
      await database.query(url, 'vacuum analyze');
    },
    start() {
      child = fork(new URL('./peers/graphile-worker.ts', import.meta.url), {
        env: {
          ...process.env,
          DATABASE_URL: url,
          WEBHOOK_URL: receiver.url,
          CONCURRENCY: String(concurrency),
          LOCAL_QUEUE: String(localQueue),
        },
        execPath: process.execPath,
      });
      return Promise.resolve();
    },
    async open() {
      const [row] = await database.query<{ n: number }>(
        url,
        'select count(*)::int as n from graphile_worker.jobs',
      );
      return row?.n ?? 0;
    },
    async verify() {
      requireAll(await receiver.report(null, sample));
    },
    async stop() {
      if (child === undefined || child.exitCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

interface Sample {
  readonly perSecond: number;
  /** CPU microseconds per delivery: of the sender's process, and of PostgreSQL. */
  readonly senderMicros: number;
  readonly databaseMicros: number;
}

/** One turn of a sender. Its start does not count: all is taken from the first request to the last. */
async function turn(
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

/** Runs the rounds and prints a table. */
export async function benchDeliveries(database: BenchDatabase): Promise<void> {
  const receiver = await startReceiver();
  let origin: Origin | undefined;
  let jobs: WorkerUtils | undefined;
  try {
    origin = await makeEvents(database);
    const { skein } = origin;
    const url = await database.create('graphile_deliveries');
    jobs = await makeWorkerUtils({ connectionString: url, logger: new Logger(() => () => undefined) });
    await jobs.migrate();
    const senders = [await ours(database, origin, receiver)];
    for (const setting of settings) senders.push(peer(database, origin, receiver, { url, jobs }, setting));

    const samples = new Map<Sender, Sample[]>(senders.map(sender => [sender, []]));
    for (let round = 0; round < rounds; round++) {
      for (const sender of senders) {
        samples.get(sender)?.push(await turn(sender, database, skein.databaseUrl, receiver));
      }
    }
    console.log(
      `\n${count(queued)} queued deliveries over ${count(threads)} threads (medians of ${rounds} rounds)\n`,
    );
    console.log(tableOf(senders.map(sender => ({ name: sender.name, samples: samples.get(sender) ?? [] }))));
  } finally {
    await origin?.skein.stop();
    await jobs?.release();
    await receiver.stop();
  }
}

function tableOf(systems: readonly { readonly name: string; readonly samples: readonly Sample[] }[]): string {
  const [own, ...peers] = systems;
  const middle = (samples: readonly Sample[], field: keyof Sample): number =>
    median(samples.map(sample => sample[field]));
  const ownRate = middle(own?.samples ?? [], 'perSecond');
  const best = Math.max(...peers.map(({ samples }) => middle(samples, 'perSecond')));
  const head = ['', 'deliveries/s', 'skein against it', 'target', 'sender µs', 'PostgreSQL µs'];
  const rows = systems.map(({ name, samples }) => {
    const rate = middle(samples, 'perSecond');
    return [
      name,
      count(rate),
      samples === own?.samples ? '' : times(ownRate / rate),
      rate === best ? `at least ${times(target)}` : '',
      fixed(middle(samples, 'senderMicros'), 0),
      fixed(middle(samples, 'databaseMicros'), 0),
    ];
  });
  return table(head, rows);
}
