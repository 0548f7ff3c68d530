/** The store of the product: PostgreSQL behind the interface and the laws of runtime/store.ts. */
import type { ActorRef } from '../runtime/actor.ts';
import type { Log } from '../runtime/log.ts';
import type { Commit, DeadLetter, DueReminder, Loaded, Store } from '../runtime/store.ts';
import type { Batch } from './batch.ts';
import type { Database } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { Loader } from './loader.ts';
import type { News } from './news.ts';
import {
  buryLetter,
  letterParameters,
  postponeReminder,
  selectDue,
  selectNextDue,
  toReminder,
  type ReminderRecord,
} from './reminders.ts';
import type { SnapshotTable } from './snapshot.ts';
import type { Write } from './statement.ts';

export interface PostgresStoreOptions {
  readonly database: Database;
  /** One per kind that has snapshots. */
  readonly snapshots: readonly SnapshotTable[];
  readonly news: News;
  readonly log: Log;
}

export class PostgresStore implements Store<Write> {
  readonly #database: Database;
  readonly #commits: GroupCommit;
  readonly #loader: Loader;
  readonly #news: News;

  constructor(options: PostgresStoreOptions) {
    const { database, log } = options;
    const tables = new Map(options.snapshots.map(table => [table.kind, table]));
    this.#database = database;
    this.#news = options.news;
    this.#loader = new Loader(tables, (text, values) => database.query(text, values));
    const committed = this.#announce.bind(this);
    this.#commits = new GroupCommit({ url: database.url, tables, log, committed });
  }

  /** See {@link GroupCommit.stats}. */
  get stats(): GroupCommit['stats'] {
    return this.#commits.stats;
  }

  load(actor: ActorRef): Promise<Loaded | undefined> {
    return this.#loader.load(actor);
  }

  commit(commit: Commit<Write>): Promise<void> {
    return this.#commits.commit(commit);
  }

  async due(
    now: number,
    limit: number,
    shards?: readonly number[],
  ): Promise<{ reminders: DueReminder[]; nextAt: number | undefined }> {
    const [rows, [next]] = await Promise.all([
      this.#database.query<ReminderRecord>(selectDue, [now, shards ?? null, limit]),
      this.#database.query<{ next: number | null }>(selectNextDue, [now, shards ?? null]),
    ]);
    return {
      reminders: rows.map(toReminder),
      nextAt: typeof next?.next === 'number' ? next.next : undefined,
    };
  }

  async postpone(reminder: DueReminder, at: number, error: string): Promise<void> {
    const { to, key, at: due } = reminder;
    await this.#database.query(postponeReminder, [to.kind, to.id, key, due, at, error.slice(0, 4_000)]);
  }

  async bury(letter: DeadLetter, reminder?: DueReminder): Promise<void> {
    await this.#database.query(buryLetter, letterParameters(letter, reminder));
  }

  /** Flushes what waits, then closes the connections. Idempotent. */
  close(): Promise<void> {
    return this.#commits.close();
  }

  #announce(batch: Batch, rows: readonly Record<string, unknown>[] | undefined): void {
    if (batch.events.length === 0) return;
    // Settled after a lost connection: committed, but the numbers it was given are lost with the answer.
    if (rows === undefined) this.#news.unnumbered(batch.events);
    else this.#news.committed(batch.events, rows);
  }
}
