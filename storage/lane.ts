/**
 * A commit lane: takes lists of commits into transactions on one connection, and settles every one of them.
 *
 *   transacting -> landed      the COMMIT was answered
 *   transacting -> in doubt    the connection was lost: the mark of the lane tells (lane-connection.ts)
 *   transacting -> waiting     the database cannot be reached: backoff, and the same batch again
 *   transacting -> wary        a key is taken: the same batch again, by statements that name all that are, and so for a while,
 *                              since repetitions come in crowds
 *   transacting -> narrowed    the batch was refused: commits named by `skein_fence` are refused and the rest goes again; a plain
 *                              constraint or data error halves the batch until the culprit stands alone
 *
 * Order is kept throughout.
 */
import pg from 'pg';
import type { Log } from '../runtime/log.ts';
import { Duplicate, Fenced, Unavailable, type Commit } from '../runtime/store.ts';
import { Batch, type Step } from './batch.ts';
import { InDoubt, LaneConnection, NotConnected } from './lane-connection.ts';
import { isPassing } from './passing-error.ts';
import type { SnapshotTable } from './snapshot.ts';
import type { Write } from './statement.ts';

/** Connections that one batch may lose before it is narrowed. */
const mostLost = 5;
const firstBackoffMs = 25;
const longestBackoffMs = 1_000;
/** A lane that met a key that was taken expects more of them for this long, in milliseconds. */
const waryMs = 1_000;

export interface LaneOptions {
  readonly url: string;
  readonly name: string;
  readonly tables: ReadonlyMap<string, SnapshotTable>;
  readonly log: Log;
  /** Called after each committed batch, before its commits resolve; `rows` is what its last statement returned. */
  readonly committed: (batch: Batch, rows: readonly Record<string, unknown>[] | undefined) => void;
}

/** A commit whose caller waits. */
export interface Waiting {
  readonly commit: Commit<Write>;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Lane {
  readonly #options: LaneOptions;
  readonly #connection: LaneConnection;
  #closing = false;
  #batches = 0;
  /** In monotonic milliseconds. */
  #waryUntil = 0;
  /** Commits in transactions that succeeded, and those transactions: their quotient is the batch size. */
  commits = 0;
  transactions = 0;

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#connection = new LaneConnection(options.url, options.name);
  }

  /** From now on nothing waits for a database that is away. */
  hurry(): void {
    this.#closing = true;
  }

  /** Ends the connection. Idempotent. */
  async end(): Promise<void> {
    this.#closing = true;
    await this.#connection.end();
  }

  /** Settles every commit of the list. Never rejects. */
  async flush(waiting: readonly Waiting[]): Promise<void> {
    let rest = waiting;
    for (;;) {
      rest = rest.filter(isUnbroken);
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
      await this.#land(now, batch, performance.now() < this.#waryUntil);
    }
  }

  async #land(waiting: readonly Waiting[], batch: Batch, wary: boolean): Promise<void> {
    let rows: readonly Record<string, unknown>[] | undefined;
    try {
      rows = await this.#transact(batch.steps(wary));
    } catch (error) {
      if (!wary && isTaken(error) && batch.canBeWary) {
        this.#waryUntil = performance.now() + waryMs;
        return this.#land(waiting, batch, true);
      }
      await this.#narrow(waiting, error instanceof Error ? error : new Error(String(error)));
      return;
    }
    this.commits += waiting.length;
    this.transactions++;
    try {
      this.#options.committed(batch, rows);
    } catch (err) {
      // It is committed, whatever a listener makes of it.
      this.#options.log.error({ lane: this.#options.name, err }, 'news of a commit could not be told');
    }
    for (const entry of waiting) entry.resolve();
  }

  /** Runs the batch until its outcome is certain. Rejects only with an error of the batch's own making, or when closing. */
  async #transact(steps: readonly Step[]): Promise<readonly Record<string, unknown>[] | undefined> {
    const number = ++this.#batches;
    let backoffMs = firstBackoffMs;
    for (let lost = 1; ;) {
      try {
        return await this.#connection.run(number, steps);
      } catch (error) {
        if (error instanceof InDoubt) {
          this.#options.log.warn(
            { lane: this.#options.name, err: error.cause },
            'settling a commit in doubt',
          );
          if (await this.#settle(number)) return undefined;
          // It may be the batch that the server dies of: then its halves tell which commit it is.
          if (lost++ === mostLost)
            throw new Unavailable('the connection was lost again and again', { cause: error });
        } else if (!(error instanceof NotConnected) && !isPassing(error)) {
          throw error;
        }
        if (this.#closing) throw new Unavailable('the store is closing', { cause: error });
        await pause(backoffMs);
        backoffMs = Math.min(backoffMs * 2, longestBackoffMs);
      }
    }
  }

  async #settle(number: number): Promise<boolean> {
    let backoffMs = firstBackoffMs;
    for (;;) {
      try {
        return await this.#connection.settle(number);
      } catch (error) {
        if (this.#closing) throw new Unavailable('the store is closing', { cause: error });
        await pause(backoffMs);
        backoffMs = Math.min(backoffMs * 2, longestBackoffMs);
      }
    }
  }

  async #narrow(waiting: readonly Waiting[], error: Error): Promise<void> {
    const refused = error instanceof Unavailable ? undefined : fenceOf(error);
    if (refused !== undefined) {
      const rest = waiting.filter(entry => {
        const reason = refused(entry.commit);
        if (reason !== undefined) refuse(entry, reason);
        return reason === undefined;
      });
      // What names nobody here (a project without its stream row) is everybody's error.
      if (rest.length < waiting.length) return this.flush(rest);
    }
    if (waiting.length === 1 || this.#closing) {
      for (const entry of waiting) refuse(entry, asDuplicate(error));
      return;
    }
    const half = waiting.length >> 1;
    await this.flush(waiting.slice(0, half));
    await this.flush(waiting.slice(half));
  }
}

/** Rejects a commit, and breaks its chain where later ones may rest on it. */
export function refuse({ commit, reject }: Waiting, error: Error): void {
  if (commit.snapshot !== undefined || error instanceof Fenced) commit.chain.broken = true;
  reject(error);
}

/** Refuses a commit that was decided on top of a refused one: its base never came to be (law 6). */
function isUnbroken({ commit, reject }: Waiting): boolean {
  if (!commit.chain.broken) return true;
  reject(new Fenced(commit.actor));
  return false;
}

/** Reads the report of `skein_fence`: a function that gives the reason to refuse a commit, or undefined. */
function fenceOf(error: Error): ((commit: Commit<Write>) => Error | undefined) | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== 'SK001') return undefined;
  const { scope, keys } = JSON.parse(error.detail ?? '{}') as { scope: string; keys: string[] };
  const named = new Set(keys);
  return ({ actor, writes }) => {
    if (actor.kind === scope && named.has(actor.id)) return new Fenced(actor);
    const clash = writes.find(write => write.unique && write.key !== undefined && named.has(write.key));
    return clash?.key === undefined ? undefined : new Duplicate(scope, clash.key);
  };
}

/** Whether a row's key was found taken (SQLSTATE 23505, unique_violation). */
function isTaken(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === '23505';
}

function asDuplicate(error: Error): Error {
  return isTaken(error) ? new Duplicate(error.constraint ?? 'row', '') : error;
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
