/**
 * The store of the product: PostgreSQL behind the interface and the rules of runtime/actor/store.ts. Snapshots that are asked for
 * together are loaded together, and decisions that wait together are committed together ({@link GroupCommit}).
 */
import {
  type ActorRef,
  type Chain,
  type Commit,
  type DeadLetter,
  type DueReminder,
  type Loaded,
  type Store,
  StoreUnavailable,
} from '../../runtime/actor/index.ts';
import { noTracer, type Log, type Metrics, type Tracer } from '../../runtime/observability/index.ts';
import { BatchLoader, systemClock } from '../../runtime/time/index.ts';
import type { Database, Queries } from '../database/index.ts';
import type { CommitNotifier } from '../events/index.ts';
import type { SnapshotTable, Write } from '../statements/index.ts';
import type { Batch } from './batch.ts';
import {
  CommitLane,
  type CommitLaneOptions,
  defaultLimits,
  type LaneLimits,
  type PendingCommit,
  rejectCommit,
} from './commit-lane.ts';
import {
  insertDeadLetter,
  postponeReminder,
  type ReminderRow,
  selectDue,
  selectNextDue,
  toDeadLetterParameters,
  toReminder,
} from './reminders.ts';
import { TenantBreaker } from './tenant-breaker.ts';

/** Most snapshots of one query. */
const maxLoaded = 1_000;
/** Connections that commit. */
const laneCount = 2;
/** Most commits that may wait; beyond that `commit` rejects with `StoreUnavailable`. */
const maxWaiting = 20_000;
/** Most commits in one transaction: bounds its memory and the time that it holds its locks. */
const maxBatch = 500;
/**
 * A further lane starts for this many commits, or for half of what is in flight if that is more. With 64 clients, 48 instead of 16 took
 * PostgreSQL's share of a message from 83 to 68 microseconds: fewer, larger transactions. With 256, 64 is a little better than 48.
 */
const minLaneBatch = 64;
/** ... or when the lane in flight has taken this many milliseconds. */
const slowLaneMs = 50;

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
  /** Those that differ from the defaults. */
  readonly limits?: Partial<LaneLimits>;
}

export class PostgresStore implements Store<Write> {
  readonly #database: Database;
  readonly #commits: GroupCommit;
  /** By kind. */
  readonly #loaders: ReadonlyMap<string, BatchLoader<string, Loaded | undefined>>;
  readonly #notifier: CommitNotifier;

  constructor(options: PostgresStoreOptions) {
    const { database, snapshots, notifier, log, tracer = noTracer, metrics, limits } = options;
    this.#database = database;
    this.#notifier = notifier;
    this.#loaders = new Map(snapshots.map(table => [table.kind, createSnapshotLoader(database, table)]));
    this.#commits = new GroupCommit({
      url: database.url,
      tables: new Map(snapshots.map(table => [table.kind, table])),
      log,
      tracer,
      metrics,
      limits: { ...defaultLimits, ...limits },
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

  /** See {@link GroupCommit.close}. */
  close(graceMs?: number): Promise<void> {
    return this.#commits.close(graceMs);
  }

  #notify(batch: Batch, rows: readonly Record<string, unknown>[] | undefined): void {
    if (batch.events.length === 0) return;
    // Settled after a lost connection: committed, but the numbers of the events were lost with the answer.
    if (rows === undefined) this.#notifier.notifyUnnumbered(batch.events);
    else this.#notifier.notifyCommitted(batch.events, rows);
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

/**
 * Group commit (docs/decisions/0004-group-commit.md): the decisions of all actors of a node queue here, and whatever waits goes into one
 * transaction. A commit is
 *
 *   waiting -> in flight    a lane is idle: it takes what waits, in order, except commits of actors that another lane has in
 *                           flight, because one was decided on top of the other
 *   in flight -> settled    by the lane
 *
 * There is no timer and nothing to tune: batches grow with load. There are two lanes, so that the server works on one batch while the
 * other's commit reaches the disk and this process makes the next. (With one, a closed loop of 256 clients moves in lock-step: all wait
 * for the same commit.) The second lane starts only when enough waits to be worth a commit of its own.
 *
 * A lane starts when this turn of the event loop has read all requests that are there, or earlier once enough actors wait: a turn may
 * read for 10 ms, and the server was idle for a third of the time (with 256 clients 4 % more requests get through, 14,800 a second).
 * Commits of one actor are better gathered: the next of them must wait for those that went.
 *
 * What lanes contend for in the database is locked in one order: agents that must be unchanged come first (storage/writes/agents.ts), the
 * rows of actors are disjoint, keys that must be new come next, sorted, and the projects' streams come last, sorted too (storage/writes/events-and-answers.ts).
 */
class GroupCommit {
  readonly #lanes: readonly CommitLane[];
  readonly #idle: CommitLane[];
  readonly #running = new Set<Promise<void>>();
  #queue: PendingCommit[] = [];
  /** Chains with a commit in flight: one actor's commits never overtake each other. */
  readonly #busy = new Set<Chain>();
  #inFlight = 0;
  /** When a lane was last started, in monotonic milliseconds. */
  #startedAt = 0;
  #scheduled = false;
  #closing = false;

  readonly #waitMs: Metrics['batchWaitMs'] | undefined;

  constructor(
    options: Omit<CommitLaneOptions, 'name' | 'breaker' | 'metrics'> & {
      readonly metrics: PostgresStoreOptions['metrics'];
    },
  ) {
    this.#waitMs = options.metrics?.batchWaitMs;
    const breaker = new TenantBreaker(systemClock);
    this.#lanes = Array.from(
      { length: laneCount },
      (_, i) => new CommitLane({ ...options, breaker, name: `skein lane ${i}` }),
    );
    this.#idle = [...this.#lanes];
  }

  /** Commits waiting or in flight; settled commits and their transactions, whose quotient is the batch size. */
  get stats(): { readonly depth: number; readonly commits: number; readonly transactions: number } {
    let commits = 0;
    let transactions = 0;
    for (const lane of this.#lanes) {
      commits += lane.commits;
      transactions += lane.transactions;
    }
    return { depth: this.#queue.length + this.#inFlight, commits, transactions };
  }

  commit(commit: Commit<Write>): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry = { commit, since: performance.now(), resolve, reject };
      if (this.#closing) return rejectCommit(entry, new StoreUnavailable('the store is closing'));
      if (this.#queue.length >= maxWaiting) {
        return rejectCommit(entry, new StoreUnavailable('too many commits wait for the database'));
      }
      this.#queue.push(entry);
      if (this.#idle.length === 0) return;
      // Not at every commit: to look through the queue has its price.
      if (this.#queue.length % minLaneBatch === 0 && this.#hasManyActors()) this.#start();
      else this.#startSoon();
    });
  }

  /** Flushes what waits, for at most `graceMs` (default: 5,000), then rejects the rest and closes the connections. Idempotent. */
  async close(graceMs = 5_000): Promise<void> {
    this.#closing = true;
    const timer = setTimeout(() => {
      for (const entry of this.#queue.splice(0))
        rejectCommit(entry, new StoreUnavailable('the store is closing'));
      for (const lane of this.#lanes) lane.stopRetrying();
    }, graceMs);
    while (this.#running.size > 0 || this.#scheduled) {
      await Promise.all(this.#running);
      await new Promise(resolve => setImmediate(resolve));
    }
    clearTimeout(timer);
    await Promise.all(this.#lanes.map(lane => lane.end()));
  }

  /** Whether the commits that could go now belong to many actors. */
  #hasManyActors(): boolean {
    const chains = new Set<Chain>();
    for (const { commit } of this.#queue) if (!this.#busy.has(commit.chain)) chains.add(commit.chain);
    return chains.size >= minLaneBatch >> 1;
  }

  /**
   * After the poll phase, when every request of this turn of the event loop has been read. Not a `TurnBatch` (runtime/time): that
   * hands over all that it has at the end of the turn, but here the lanes take what may go, and the rest keeps its place.
   */
  #startSoon(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#start();
    });
  }

  /** Gives work to idle lanes. */
  #start(): void {
    while (this.#queue.length > 0) {
      const lane = this.#idle.at(-1);
      if (lane === undefined) return;
      if (this.#inFlight > 0 && !this.#mayStartLane()) return;
      const taken = this.#take();
      if (taken.length === 0) return;
      this.#idle.pop();
      this.#startedAt = performance.now();
      // They are in the order in which they came.
      this.#waitMs?.observe(this.#startedAt - (taken[0]?.since ?? this.#startedAt));
      const run = this.#run(lane, taken).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
  }

  /** Whether another lane may start beside one in flight: many commits wait, or that lane is slow and may be stuck. */
  #mayStartLane(): boolean {
    const isMuch = this.#queue.length >= Math.max(minLaneBatch, this.#inFlight >> 1);
    return isMuch || performance.now() - this.#startedAt > slowLaneMs;
  }

  /** The commits that may go now, in order; the rest stays, in order. */
  #take(): PendingCommit[] {
    const chains = new Set<Chain>();
    const taken: PendingCommit[] = [];
    const rest: PendingCommit[] = [];
    for (const entry of this.#queue) {
      if (taken.length === maxBatch || this.#busy.has(entry.commit.chain)) rest.push(entry);
      else {
        taken.push(entry);
        chains.add(entry.commit.chain);
      }
    }
    for (const chain of chains) this.#busy.add(chain);
    this.#queue = rest;
    this.#inFlight += taken.length;
    return taken;
  }

  async #run(lane: CommitLane, taken: readonly PendingCommit[]): Promise<void> {
    await lane.flush(taken);
    for (const { commit } of taken) this.#busy.delete(commit.chain);
    this.#inFlight -= taken.length;
    this.#idle.push(lane);
    this.#start();
  }
}
