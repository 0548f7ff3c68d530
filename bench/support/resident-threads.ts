/**
 * A node with threads and nothing else, in a process of its own that may collect its garbage when told (--expose-gc): measures
 * itself before and after a number of threads have become resident. Runtime, store and kind are the product's.
 *
 * Started by `bench/memory.ts`; takes its task as a message, answers with a `MemoryResult`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createThreadKind } from '../../actors/thread/kind.ts';
import { createIfMissingField, type ReceiveMessage } from '../../actors/thread/commands.ts';
import { threadSnapshot } from '../../actors/thread/snapshot.ts';
import { newId } from '../../protocol/ids.ts';
import { silentLog } from '../../runtime/observability/log.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import { Node } from '../../runtime/node/node.ts';
import { systemClock, systemRandom } from '../../runtime/time/clock.ts';
import { LocalTransport } from '../../runtime/transport/local.ts';
import { openDatabase, type Database } from '../../storage/database/database.ts';
import { CommitNotifier } from '../../storage/events/commit-notifier.ts';
import { PostgresStore } from '../../storage/commit/postgres-store.ts';
import { residentBytes } from './process-usage.ts';

export interface MemoryTask {
  readonly databaseUrl: string;
  readonly threads: number;
}

export interface Footprint {
  /** Resident memory of the whole process, as the kernel counts it. */
  readonly residentBytes: number;
  /** Living objects of the V8 heap. */
  readonly heapBytes: number;
}

export interface MemoryResult {
  readonly before: Footprint;
  readonly after: Footprint;
  /** Actors in memory at the second measurement, as the node counts them. */
  readonly activations: number;
  readonly perSecond: number;
}

/** Threads activated at once: far below what the node admits. */
const atOnce = 1_000;
const tenancy = { projectId: 'prj_memory', environmentId: 'env_memory' };
const channel = { channelId: 'ch_memory', kind: 'custom' } as const;

/** The threads after the first are copies of its row, which real messages made: nothing here knows the shape of a snapshot. */
const copies = `
  insert into threads
  select (jsonb_populate_record(t, jsonb_build_object('thread_id', 'thread_' || lpad(n::text, 26, '0'), 'external_ref', '+49 151 ' || n))).*
  from threads t, generate_series(1, $1::int - 1) n`;

/** Made anew at each call: an actor's id must be a string that nothing else keeps, or it would not be counted. */
function createId(index: number): string {
  return `thread_${String(index).padStart(26, '0')}`;
}

async function makeThreads(node: Node, database: Database, count: number): Promise<void> {
  await database.query(`insert into project_streams (project_id, epoch) values ($1, 'memory')`, [
    tenancy.projectId,
  ]);
  const createIfMissing = { externalRef: '+49 151 0', metadata: { locale: 'en', source: 'widget' } };
  for (const body of ['Hello!', 'Is my parcel on its way?']) {
    const message = { messageId: newId('message'), body, attachments: [], metadata: {} };
    const command: ReceiveMessage = {
      ...tenancy,
      channel,
      [createIfMissingField]: createIfMissing,
      message,
    };
    await node.ask({ kind: 'thread', id: createId(0) }, 'receive', command);
  }
  await database.query(copies, [count]);
}

async function footprint(): Promise<Footprint> {
  if (gc === undefined) throw new Error('start with --expose-gc');
  // Twice, with time for finalizers between and for V8 to give pages back after.
  for (let i = 0; i < 2; i++) {
    gc();
    await pause(500);
  }
  return { residentBytes: residentBytes(process.pid), heapBytes: process.memoryUsage().heapUsed };
}

async function measure({ databaseUrl, threads }: MemoryTask): Promise<MemoryResult> {
  const log = silentLog;
  const clock = systemClock;
  const database = await openDatabase({ url: databaseUrl, log, statementTimeoutMs: 120_000 });
  await database.migrate();
  const store = new PostgresStore({
    database,
    log,
    notifier: new CommitNotifier(),
    snapshots: [threadSnapshot],
  });
  const transport = new LocalTransport({ clock, log });
  const node = new Node({
    kinds: [createThreadKind({ db: database, log })],
    store,
    transport,
    clock,
    log,
    random: systemRandom,
    metrics: new Metrics(),
  });
  await node.start();
  await makeThreads(node, database, threads);

  const before = await footprint();
  const from = performance.now();
  for (let next = 0; next < threads;) {
    const answers: Promise<unknown>[] = [];
    for (const end = Math.min(next + atOnce, threads); next < end; next++) {
      answers.push(node.ask({ kind: 'thread', id: createId(next) }, 'checkSend', tenancy));
    }
    await Promise.all(answers);
  }
  const perSecond = (threads / (performance.now() - from)) * 1_000;
  const after = await footprint();
  const { activations } = node.stats;

  await node.drain();
  await transport.drain();
  await store.close();
  await database.close();
  return { before, after, activations, perSecond };
}

process.once('message', (task: MemoryTask) => {
  void measure(task).then(result => {
    process.send?.(result);
    process.disconnect();
  });
});
