/** The store of the product: PostgreSQL behind the interface and the rules of runtime/actor/store.ts. */
import {
  type ActorRef,
  type Commit,
  type DeadLetter,
  type DueReminder,
  type Loaded,
  type Store,
  StoreUnavailable,
} from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import { BatchLoader } from '../../runtime/time/index.ts';
import type { Database, Queries } from '../database/index.ts';
import type { CommitNotifier } from '../events/index.ts';
import type { SnapshotTable, Write } from '../statements/index.ts';
import type { Batch } from './batch.ts';
import { GroupCommit } from './group-commit.ts';
import {
  insertDeadLetter,
  postponeReminder,
  type ReminderRow,
  selectDue,
  selectNextDue,
  toDeadLetterParameters,
  toReminder,
} from './reminders.ts';

/** Most snapshots of one query. */
const maxLoaded = 1_000;

export interface PostgresStoreOptions {
  readonly database: Database;
  /** One for each kind that has snapshots. */
  readonly snapshots: readonly SnapshotTable[];
  readonly notifier: CommitNotifier;
  readonly log: Log;
}

export class PostgresStore implements Store<Write> {
  readonly #database: Database;
  readonly #commits: GroupCommit;
  /** By kind. */
  readonly #loaders: ReadonlyMap<string, BatchLoader<string, Loaded | undefined>>;
  readonly #notifier: CommitNotifier;

  constructor({ database, snapshots, notifier, log }: PostgresStoreOptions) {
    this.#database = database;
    this.#notifier = notifier;
    this.#loaders = new Map(snapshots.map(table => [table.kind, createSnapshotLoader(database, table)]));
    this.#commits = new GroupCommit({
      url: database.url,
      tables: new Map(snapshots.map(table => [table.kind, table])),
      log,
      onCommitted: this.#notify.bind(this),
    });
  }

  /** See {@link GroupCommit.stats}. */
  get stats(): GroupCommit['stats'] {
    return this.#commits.stats;
  }

  load(actor: ActorRef): Promise<Loaded | undefined> {
    const loader = this.#loaders.get(actor.kind);
    if (loader === undefined) {
      return Promise.reject(new Error(`no snapshot table for actors of kind ${actor.kind}`));
    }
    return loader.load(actor.id);
  }

  commit(commit: Commit<Write>): Promise<void> {
    return this.#commits.commit(commit);
  }

  async dueReminders(
    now: number,
    limit: number,
    shards?: readonly number[],
  ): Promise<{ reminders: DueReminder[]; nextAt: number | undefined }> {
    const [rows, [next]] = await Promise.all([
      this.#database.query<ReminderRow>(selectDue, [now, shards ?? null, limit]),
      this.#database.query<{ next: number | null }>(selectNextDue, [now, shards ?? null]),
    ]);
    return { reminders: rows.map(toReminder), nextAt: next?.next ?? undefined };
  }

  async postponeReminder(reminder: DueReminder, at: number, error: string): Promise<void> {
    const { to, key, at: dueAt } = reminder;
    await this.#database.query(postponeReminder, [to.kind, to.id, key, dueAt, at, error.slice(0, 4_000)]);
  }

  async addDeadLetter(letter: DeadLetter, reminder?: DueReminder): Promise<void> {
    await this.#database.query(insertDeadLetter, toDeadLetterParameters(letter, reminder));
  }

  /** Flushes what waits, then closes the connections. Idempotent. */
  close(): Promise<void> {
    return this.#commits.close();
  }

  #notify(batch: Batch, rows: readonly Record<string, unknown>[] | undefined): void {
    if (batch.events.length === 0) return;
    // Settled after a lost connection: committed, but the numbers of the events were lost with the answer.
    if (rows === undefined) this.#notifier.notifyUnnumbered(batch.events);
    else this.#notifier.notifyCommitted(batch.events, rows);
  }
}

/** Loads the snapshots that are asked for in one turn of the event loop by one query. Rejects with `StoreUnavailable`. */
function createSnapshotLoader(
  database: Queries,
  table: SnapshotTable,
): BatchLoader<string, Loaded | undefined> {
  return new BatchLoader<string, Loaded | undefined>(async ids => {
    try {
      const rows = await database.query<{ text: string; version: number }>(table.load, [[...new Set(ids)]]);
      const found = new Map<string, Loaded>();
      for (const { text, version } of rows) {
        const row = JSON.parse(text) as Record<string, unknown>;
        found.set(String(row[table.key]), { version: Number(version), state: table.decode(row) });
      }
      return ids.map(id => found.get(id));
    } catch (error) {
      throw new StoreUnavailable('the snapshot could not be loaded', { cause: error });
    }
  }, maxLoaded);
}
