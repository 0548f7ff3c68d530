/** The memory of idle threads: a node keeps 100,000 of them in 300 MB of heap. Smaller numbers grow by the same bytes for each thread. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { createIfMissingField, type ReceiveMessage } from '../../../actors/thread/commands.ts';
import { createThreadKind } from '../../../actors/thread/kind.ts';
import { threadSnapshot } from '../../../actors/thread/snapshot.ts';
import { newId } from '../../../protocol/ids.ts';
import { Node } from '../../../runtime/node/node.ts';
import { silentLog as log } from '../../../runtime/observability/log.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { systemClock as clock, systemRandom as random } from '../../../runtime/time/clock.ts';
import { LocalTransport } from '../../../runtime/transport/local.ts';
import { PostgresStore } from '../../../storage/commit/postgres-store.ts';
import { CommitNotifier } from '../../../storage/events/commit-notifier.ts';
import { startTestDatabase } from '../../support/database.ts';

const threads = 10_000;
/** Fewer than the node admits. */
const atOnce = 1_000;
const mostBytes = 3_000;
const tenancy = { projectId: 'prj_memory', environmentId: 'env_memory' };

/** Copies of the row of a thread that real messages made, so that the test does not depend on the format of a snapshot. */
const copies = `
  insert into threads
  select (jsonb_populate_record(t, jsonb_build_object('thread_id', 'thread_' || lpad(n::text, 26, '0'), 'external_ref', '+49 151 ' || n))).*
  from threads t, generate_series(1, $1::int - 1) n`;

/** Each call creates a new string. A string that something else keeps would not count. */
const createId = (index: number): string => `thread_${String(index).padStart(26, '0')}`;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function measureHeap(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    collectGarbage();
    // Finalizers run between two collections.
    await new Promise(resolve => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

const { database } = await startTestDatabase(t);
const transport = new LocalTransport({ clock, log });
const notifier = new CommitNotifier();
const store = new PostgresStore({ database, log, notifier, snapshots: [threadSnapshot] });
const kinds = [createThreadKind({ db: database, log })];
const node = new Node({ kinds, store, transport, clock, log, random, metrics: new Metrics() });
t.teardown(async () => {
  await node.drain();
  await transport.drain();
  await store.close();
});

async function activate(from: number, to: number): Promise<void> {
  for (let next = from; next < to; next += atOnce) {
    const indexes = Array.from({ length: Math.min(atOnce, to - next) }, (_, i) => next + i);
    await Promise.all(
      indexes.map(index => node.ask({ kind: 'thread', id: createId(index) }, 'checkSend', tenancy)),
    );
  }
}

t.test(`an idle thread in memory takes at most ${mostBytes} bytes of heap`, async t => {
  await node.start();
  const { projectId } = tenancy;
  await database.query(`insert into project_streams (project_id, epoch) values ($1, 'memory')`, [projectId]);
  for (const body of ['Hello!', 'Is my parcel on its way?']) {
    const command: ReceiveMessage = {
      ...tenancy,
      channel: { channelId: 'ch_memory', kind: 'custom' },
      [createIfMissingField]: { externalRef: '+49 151 0', metadata: { locale: 'en', source: 'widget' } },
      message: { messageId: newId('message'), body, attachments: [], metadata: {} },
    };
    await node.ask({ kind: 'thread', id: createId(0) }, 'receive', command);
  }
  await database.query(copies, [threads]);
  // The first batch compiles the code and fills the caches.
  await activate(0, atOnce);
  const before = await measureHeap();
  await activate(atOnce, threads);
  const bytes = ((await measureHeap()) - before) / (threads - atOnce);
  t.equal(node.stats.activations, threads, 'all of them stay in memory');
  t.ok(bytes <= mostBytes, `${Math.round(bytes)} bytes for each`);
  t.ok(bytes > 300, 'the threads were measured');
});
