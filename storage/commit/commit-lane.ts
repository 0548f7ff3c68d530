/**
 * A commit lane: runs lists of commits as transactions on one connection (docs/decisions/0005-commit-lanes.md), and settles every one of
 * them. A batch is
 *
 *   transacting -> committed        the COMMIT was answered
 *   transacting -> in doubt         the connection was lost: the lane's commit marker tells (lane-connection.ts)
 *   transacting -> retrying         the database cannot be reached: back-off, and the same batch again
 *   transacting -> conflict-aware   a key is taken: the same batch again, with statements that name all such keys; and so for a
 *                                   while, because repeated requests come in bursts
 *   transacting -> bisected         the batch was refused: the commits that `skein_fence` names are rejected and the rest goes
 *                                   again; any other constraint or data error halves the batch until the culprit is alone
 *
 * The order of commits is kept throughout.
 */
import pg from 'pg';
import { type Commit, Duplicate, Fenced, StoreUnavailable } from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import { Backoff, keepAliveClock, pause, systemRandom } from '../../runtime/time/index.ts';
import { isTransient } from '../database/index.ts';
import type { SnapshotTable, Write } from '../statements/index.ts';
import { Batch, type BatchStatement } from './batch.ts';
import { InDoubt, LaneConnection, NotConnected } from './lane-connection.ts';

/** Connections that one batch may lose before it is bisected. */
const maxLostConnections = 5;
const firstBackoffMs = 25;
const maxBackoffMs = 1_000;
/** Milliseconds that a lane stays conflict-aware after it met a taken key. */
const conflictAwareMs = 1_000;

export interface CommitLaneOptions {
  readonly url: string;
  readonly name: string;
  readonly tables: ReadonlyMap<string, SnapshotTable>;
  readonly log: Log;
  /** Called after each committed batch, before its commits resolve; `rows` is what its last statement returned. */
  readonly onCommitted: (batch: Batch, rows: readonly Record<string, unknown>[] | undefined) => void;
}

/** A commit whose caller waits. */
export interface PendingCommit {
  readonly commit: Commit<Write>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class CommitLane {
  readonly #options: CommitLaneOptions;
  readonly #connection: LaneConnection;
  #closing = false;
  #batches = 0;
  /** In monotonic milliseconds. */
  #conflictAwareUntil = 0;
  /** Commits in transactions that succeeded, and those transactions: their quotient is the batch size. */
  commits = 0;
  transactions = 0;

  constructor(options: CommitLaneOptions) {
    this.#options = options;
    this.#connection = new LaneConnection(options.url, options.name);
  }

  /** From now on no commit waits for a database that is away. */
  stopRetrying(): void {
    this.#closing = true;
  }

  /** Closes the connection. Idempotent. */
  async end(): Promise<void> {
    this.#closing = true;
    await this.#connection.end();
  }

  /** Settles every commit of the list. Never rejects. */
  async flush(pending: readonly PendingCommit[]): Promise<void> {
    let rest = pending;
    for (;;) {
      rest = rest.filter(rejectUnlessUnbroken);
      if (rest.length === 0) return;
      const batch = new Batch(this.#options.tables);
      let taken = 0;
      for (const entry of rest) {
        if (!batch.admits(entry.commit)) break;
        batch.add(entry.commit);
        taken++;
      }
      const now = rest.slice(0, taken);
      rest = rest.slice(taken);
      await this.#commit(now, batch, performance.now() < this.#conflictAwareUntil);
    }
  }

  async #commit(pending: readonly PendingCommit[], batch: Batch, conflictAware: boolean): Promise<void> {
    let rows: readonly Record<string, unknown>[] | undefined;
    try {
      rows = await this.#transact(batch.statements(conflictAware));
    } catch (error) {
      if (!conflictAware && isUniqueViolation(error) && batch.hasConflictAware) {
        this.#conflictAwareUntil = performance.now() + conflictAwareMs;
        return this.#commit(pending, batch, true);
      }
      await this.#bisect(pending, error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.commits += pending.length;
    this.transactions++;
    try {
      this.#options.onCommitted(batch, rows);
    } catch (err) {
      // The batch is committed, whatever a listener does.
      this.#options.log.error({ lane: this.#options.name, err }, 'a listener failed after a commit');
    }
    for (const entry of pending) entry.resolve();
  }

  /** Runs the batch until its outcome is certain. Rejects only with an error that the batch itself caused, or when closing. */
  async #transact(
    statements: readonly BatchStatement[],
  ): Promise<readonly Record<string, unknown>[] | undefined> {
    const number = ++this.#batches;
    let backoff: Backoff | undefined;
    for (let lost = 1; ;) {
      try {
        return await this.#connection.run(number, statements);
      } catch (error) {
        if (error instanceof InDoubt) {
          const { log, name } = this.#options;
          log.warn({ lane: name, err: error.cause }, 'settling a commit in doubt');
          if (await this.#settle(number)) return undefined;
          // The server may die of this batch: then its halves tell which commit is the cause.
          if (lost++ === maxLostConnections)
            throw new StoreUnavailable('the connection was lost repeatedly', { cause: error });
        } else if (!(error instanceof NotConnected) && !isTransient(error)) {
          throw error;
        }
        if (this.#closing) throw new StoreUnavailable('the store is closing', { cause: error });
        backoff ??= new Backoff(firstBackoffMs, maxBackoffMs, systemRandom);
        await pause(keepAliveClock, backoff.next());
      }
    }
  }

  async #settle(number: number): Promise<boolean> {
    const backoff = new Backoff(firstBackoffMs, maxBackoffMs, systemRandom);
    for (;;) {
      try {
        return await this.#connection.settle(number);
      } catch (error) {
        if (this.#closing) throw new StoreUnavailable('the store is closing', { cause: error });
        await pause(keepAliveClock, backoff.next());
      }
    }
  }

  async #bisect(pending: readonly PendingCommit[], error: Error): Promise<void> {
    const findReason = error instanceof StoreUnavailable ? undefined : parseFence(error);
    if (findReason !== undefined) {
      const rest = pending.filter(entry => {
        const reason = findReason(entry.commit);
        if (reason !== undefined) rejectCommit(entry, reason);
        return reason === undefined;
      });
      // A fence that names no commit of the batch (a project without its stream row) is everybody's error.
      if (rest.length < pending.length) return this.flush(rest);
    }
    if (pending.length === 1 || this.#closing) {
      for (const entry of pending) rejectCommit(entry, toDuplicate(error));
      return;
    }
    const half = pending.length >> 1;
    await this.flush(pending.slice(0, half));
    await this.flush(pending.slice(half));
  }
}

/** Rejects a commit, and breaks its chain where later commits may have been decided on top of it. */
export function rejectCommit({ commit, reject }: PendingCommit, error: Error): void {
  if (commit.snapshot !== undefined || error instanceof Fenced) commit.chain.broken = true;
  reject(error);
}

/** Rejects a commit that was decided on top of a rejected one: its base never came to be (rule 6 of runtime/actor/store.ts). */
function rejectUnlessUnbroken({ commit, reject }: PendingCommit): boolean {
  if (!commit.chain.broken) return true;
  reject(new Fenced(commit.actor));
  return false;
}

/** Reads the report of `skein_fence`: a function that gives the reason to reject a commit, or undefined. */
function parseFence(error: Error): ((commit: Commit<Write>) => Error | undefined) | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== 'SK001') return undefined;
  const { scope, keys } = JSON.parse(error.detail ?? '{}') as { scope: string; keys: string[] };
  const named = new Set(keys);
  return ({ actor, writes }) => {
    if (actor.kind === scope && named.has(actor.id)) return new Fenced(actor);
    const clash = writes.find(write => write.unique && write.key !== undefined && named.has(write.key));
    return clash?.key === undefined ? undefined : new Duplicate(scope, clash.key);
  };
}

/** SQLSTATE 23505, unique_violation. */
function isUniqueViolation(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === '23505';
}

function toDuplicate(error: Error): Error {
  return isUniqueViolation(error) ? new Duplicate(error.constraint ?? 'row', '') : error;
}
