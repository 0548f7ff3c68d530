/** Actors for tests of commits: counters that are kept as threads, and the rows that they bring. */
import { newId } from '../../../protocol/ids.ts';
import { silentLog, type Log } from '../../../runtime/observability/log.ts';
import type { Chain, Commit } from '../../../runtime/actor/store.ts';
import type { Database } from '../../../storage/database/database.ts';
import { CommitNotifier, type CommittedEvent } from '../../../storage/events/commit-notifier.ts';
import type { LaneLimits } from '../../../storage/commit/commit-lane.ts';
import { PostgresStore } from '../../../storage/commit/postgres-store.ts';
import {
  snapshotTable,
  type SnapshotColumns,
  type SnapshotTable,
} from '../../../storage/statements/snapshot-table.ts';
import type { Write } from '../../../storage/statements/statement.ts';
import { appendEvent, insertMessage, rememberKey } from '../../../storage/writes/index.ts';

interface State {
  readonly count: number;
  readonly note: string;
}

export const projectId = newId('project');
export const environmentId = newId('environment');
export const at = '2026-11-20T10:00:00.000Z';

/** Threads that keep a state of the test's: the columns are the real table's. */
export function threadsThatKeep<State>({
  encode,
  decode,
}: {
  readonly encode: (state: State) => { readonly external_ref?: string; readonly state: string };
  readonly decode: SnapshotColumns<State>['decode'];
}): SnapshotTable<State> {
  return snapshotTable({
    kind: 'thread',
    table: 'threads',
    key: 'thread_id',
    fixed: { project_id: 'text', environment_id: 'text', created_at: 'timestamptz' },
    columns: {
      status: 'text',
      external_ref: 'text',
      last_message_at: 'timestamptz',
      active_second: 'bigint',
      updated_at: 'timestamptz',
      state: 'jsonb',
    },
    encode: state => ({
      project_id: projectId,
      environment_id: environmentId,
      created_at: at,
      status: 'open',
      last_message_at: at,
      active_second: 0,
      updated_at: at,
      ...encode(state),
    }),
    decode,
  });
}

const counters = threadsThatKeep<State>({
  encode: ({ count, note }) => ({ external_ref: note, state: JSON.stringify({ count }) }),
  decode: row => ({ count: (row['state'] as { count: number }).count, note: String(row['external_ref']) }),
});

/** An actor as the runtime would keep it: its version, and the chain of its commits. */
export class Counter {
  readonly id = newId('thread');
  version = 0;
  chain: Chain = { broken: false };

  next(writes: readonly Write[] = [], note = 'note'): Commit<Write> {
    const base = this.version++;
    return {
      actor: { kind: 'thread', id: this.id },
      base,
      chain: this.chain,
      snapshot: { version: base + 1, state: { count: base + 1, note } },
      writes,
      remind: [],
      forget: [],
    };
  }
}

export function event(threadId: string, project = projectId): Write {
  const eventId = newId('event');
  const body = JSON.stringify({ eventId, text: 'ünïcödé "quoted" \\ \u001e \n' });
  return appendEvent({
    projectId: project,
    environmentId,
    eventId,
    eventName: 'thread.message.received',
    occurredAt: at,
    threadId,
    body,
  });
}

export function key(text: string): Write {
  const hash = Buffer.from(text.padEnd(32)).toString('base64');
  return rememberKey({ keyHash: hash, fingerprint: hash }, { body: '{"ok":true}' });
}

export const plainMessage = {
  projectId,
  environmentId,
  channelId: null,
  sequence: 1,
  direction: 'inbound',
  body: '',
  externalMessageId: null,
  status: null,
  attachments: '[]',
  metadata: '{}',
  actor: '{"type":"contact","id":"p"}',
  createdAt: at,
  details: null,
} as const;

export function message(threadId: string, sequence: number, body: string): Write {
  return insertMessage({ ...plainMessage, messageId: newId('message'), threadId, sequence, body });
}

interface Opened {
  readonly store: PostgresStore;
  readonly events: CommittedEvent[];
  readonly behind: string[];
  /** The row's version and state, if there is one. */
  stored(counter: Counter): Promise<unknown>;
}

/** @param heard told of the events, before they are noted */
export function openStore(
  database: Database,
  heard?: () => void,
  limits: Partial<LaneLimits> = {},
  log: Log = silentLog,
): Opened {
  const notifier = new CommitNotifier();
  const events: CommittedEvent[] = [];
  const behind: string[] = [];
  notifier.addListener({
    onEvents: committed => {
      heard?.();
      events.push(...committed);
    },
    onGap: projects => behind.push(...projects),
  });
  notifier.follow(projectId);
  const store = new PostgresStore({
    database,
    snapshots: [counters],
    notifier,
    log,
    limits,
  });
  const stored = (counter: Counter): Promise<unknown> => store.load({ kind: 'thread', id: counter.id });
  return { store, events, behind, stored };
}

export const outcomes = async (commits: readonly Promise<void>[]): Promise<string[]> =>
  (await Promise.allSettled(commits)).map(result =>
    result.status === 'fulfilled' ? 'ok' : (result.reason as Error).name,
  );
