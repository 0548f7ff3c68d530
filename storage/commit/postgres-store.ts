/**
 * The store of the product: PostgreSQL behind the interface and the rules of runtime/actor/store.ts. Snapshots that are asked for
 * together are loaded together, and decisions that wait together are committed together ({@link GroupCommit}).
 */
import {
  type ActorRef,
  type DeadLetter,
  type DueReminder,
  type Loaded,
  type Store,
  StoreUnavailable,
} from '../../runtime/actor/index.ts';
import { noTracer, type Log, type Metrics, type Tracer } from '../../runtime/observability/index.ts';
import { BatchLoader } from '../../runtime/time/index.ts';
import type { Database, Queries } from '../database/index.ts';
import type { CommitNotifier } from '../events/index.ts';
import type { SnapshotTable, Write } from '../statements/index.ts';
import type { Batch } from './batch.ts';
import { defaultLimits, type LaneLimits } from './commit-lane.ts';
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
import { WriteProbe } from './write-probe.ts';

/** Most snapshots of one query. */
const maxLoaded = 1_000;
export interface PostgresStoreOptions {
  readonly database: Database;
  /** One for each kind that has snapshots. */
  readonly snapshots: readonly SnapshotTable[];
  readonly notifier: CommitNotifier;
  readonly log: Log;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
  /** Absent: nothing is measured. */
  readonly metrics?: Pick<Metrics, 'batchCommits' | 'batchWaitMs'>;
  /** Whether {@link PostgresStore.takeStored} is called. Default: false. */
  readonly countsStored?: boolean;
  /** Those that differ from the defaults. */
  readonly limits?: Partial<LaneLimits>;
}

export class PostgresStore implements Store<Write> {
  readonly #database: Database;
  readonly #commits: GroupCommit;
  /** By kind. */
  readonly #loaders: ReadonlyMap<string, BatchLoader<string, Loaded | undefined>>;
  readonly #countsStored: boolean;
  #stored = new Map<string, number>();
  readonly #probe: WriteProbe;
  /** See the interface. */
  readonly commit: Store<Write>['commit'];

  constructor(options: PostgresStoreOptions) {
    const { database, snapshots, notifier, log, tracer = noTracer, metrics, limits } = options;
    this.#database = database;
    this.#countsStored = options.countsStored === true;
    this.#probe = new WriteProbe(database);
    this.#loaders = new Map(snapshots.map(table => [table.kind, createSnapshotLoader(database, table)]));
    this.#commits = new GroupCommit({
      url: database.url,
      tables: new Map(snapshots.map(table => [table.kind, table])),
      log,
      tracer,
      metrics,
      limits: { ...defaultLimits, ...limits },
      timeline: database.timeline,
      onWritten: sentAt => this.#probe.note(sentAt),
      onCommitted: batch => this.#countStored(batch),
      notifier,
    });
    this.commit = this.#commits.commit.bind(this.#commits);
  }

  /** See {@link GroupCommit.stats}. */
  get stats(): GroupCommit['stats'] {
    return this.#commits.stats;
  }

  /** What was committed since the last call, by project, in UTF-16 units. */
  takeStored(): ReadonlyMap<string, number> {
    const stored = this.#stored;
    this.#stored = new Map();
    return stored;
  }

  load(actor: ActorRef): Promise<Loaded | undefined> {
    const loader = this.#loaders.get(actor.kind);
    if (loader === undefined) {
      return Promise.reject(new Error(`no snapshot table for actors of kind ${actor.kind}`));
    }
    return loader.load(actor.id);
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

  get writtenAt(): number {
    return this.#probe.writtenAt;
  }

  probe(): void {
    this.#probe.probe();
  }

  /** See {@link GroupCommit.close}. */
  close(graceMs?: number): Promise<void> {
    return this.#commits.close(graceMs);
  }

  #countStored({ stored }: Batch): void {
    if (!this.#countsStored) return;
    for (const [id, size] of stored) this.#stored.set(id, (this.#stored.get(id) ?? 0) + size);
  }
}

/**
 * Loads the snapshots that are asked for in one turn of the event loop by one query. Rejects with `StoreUnavailable`; for a row that does not
 * decode, with its own error.
 */
function createSnapshotLoader(
  database: Queries,
  table: SnapshotTable,
): BatchLoader<string, Loaded | undefined> {
  return new BatchLoader<string, Loaded | undefined>(async ids => {
    const values = [[...new Set(ids)]];
    const rows = await database
      .query<{ text: string; version: number }>(table.load, values)
      .catch((cause: unknown) => {
        throw new StoreUnavailable('the snapshot could not be loaded', { cause });
      });
    const found = new Map<string, Loaded | Error>();
    for (const { text, version } of rows) {
      const row = JSON.parse(text) as Record<string, unknown>;
      const id = String(row[table.key]);
      try {
        found.set(id, { version: Number(version), state: table.decode(row) });
      } catch (cause) {
        found.set(id, new Error(`the row of ${table.kind} ${id} cannot be decoded`, { cause }));
      }
    }
    return ids.map(id => found.get(id));
  }, maxLoaded);
}
