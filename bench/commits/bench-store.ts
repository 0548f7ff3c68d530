/** The store of the actors without a node before it, and commits of the smallest size: a new thread and an event. */
import { newId } from '../../protocol/ids.ts';
import type { Commit } from '../../runtime/actor/index.ts';
import { silentLog } from '../../runtime/observability/index.ts';
import { PostgresStore } from '../../storage/commit/index.ts';
import { openDatabase } from '../../storage/database/index.ts';
import { CommitNotifier } from '../../storage/events/index.ts';
import { snapshotTable, type Write } from '../../storage/statements/index.ts';
import { appendEvent } from '../../storage/writes/index.ts';
import type { BenchDatabase } from '../support/bench-database.ts';

const environmentId = newId('environment');
const at = new Date().toISOString();

const threads = snapshotTable<string>({
  kind: 'thread',
  table: 'threads',
  key: 'thread_id',
  fixed: { project_id: 'text', environment_id: 'text', created_at: 'timestamptz' },
  columns: {
    status: 'text',
    last_message_at: 'timestamptz',
    active_second: 'bigint',
    updated_at: 'timestamptz',
    state: 'jsonb',
  },
  encode: projectId => ({
    project_id: projectId,
    environment_id: environmentId,
    created_at: at,
    status: 'open',
    last_message_at: at,
    active_second: 0,
    updated_at: at,
    state: '{}',
  }),
  decode: row => String(row['project_id']),
});

function createCommit(projectId: string): Commit<Write> {
  const id = newId('thread');
  const eventId = newId('event');
  const event = appendEvent({
    projectId,
    environmentId,
    eventId,
    eventName: 'thread.message.received',
    occurredAt: at,
    threadId: id,
    body: JSON.stringify({ eventId, text: 'x'.repeat(300) }),
  });
  return {
    actor: { kind: 'thread', id },
    base: 0,
    chain: { broken: false },
    snapshot: { version: 1, state: projectId },
    writes: [event],
    remind: [],
    forget: [],
  };
}

/** A database of its own, with the current schema. */
export interface BenchStore {
  readonly url: string;
  addProject(): Promise<string>;
  commit(projectId: string): Promise<void>;
}

export async function openBenchStore(bench: BenchDatabase, name: string): Promise<BenchStore> {
  const url = await bench.create(name);
  const database = await openDatabase({ url, log: silentLog });
  await database.migrate();
  const notifier = new CommitNotifier();
  const store = new PostgresStore({ database, snapshots: [threads as never], notifier, log: silentLog });
  bench.endings.teardown(async () => {
    await store.close();
    await database.close();
  });
  return {
    url,
    async addProject() {
      const projectId = newId('project');
      await database.query('insert into project_streams (project_id, epoch) values ($1, $2)', [
        projectId,
        'e',
      ]);
      return projectId;
    },
    commit: projectId => store.commit(createCommit(projectId)),
  };
}
