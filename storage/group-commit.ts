/**
 * Group commit (design section 4): decisions of all actors of a node queue here, and whatever waits goes into one transaction.
 *
 *   waiting -> in flight    a lane is free: it takes what waits, in order, but for commits of actors that another lane has in
 *                           flight, since one stands on the other
 *   in flight -> settled    by the lane
 *
 * No timer and no tuning: batches grow with load. There are two lanes, so that the server works on one batch while the other's
 * commit reaches the disk and this process makes the next (with one, a closed loop of 256 clients moves in lock-step: all
 * wait for the same commit). The second starts only when enough waits to be worth a commit of its own.
 *
 * A lane starts when this turn of the event loop has read all requests that are there, or earlier once enough actors wait: a turn
 * may read for 10 ms, and the server sat idle for a third of the time (with 256 clients 4 % more get through, 14,800 a second).
 * The commits of one actor are better gathered: the next of them have to wait for those that went.
 *
 * What lanes may contend for in the database is locked in one order: actors' rows are disjoint, keys that must be new come next,
 * sorted (writes/idempotency.ts), and the projects' streams last, sorted too (writes/events.ts).
 */
import { Unavailable, type Chain, type Commit } from '../runtime/store.ts';
import { Lane, refuse, type LaneOptions, type Waiting } from './lane.ts';
import type { Write } from './statement.ts';

/** Most commits in one transaction: bounds its memory and the time its locks are held. */
const largestBatch = 500;
/**
 * A further lane starts for this many, or for half of what is in flight if that is more. With 64 clients, 48 instead of 16 took
 * PostgreSQL's share of a message from 83 to 68 microseconds: fewer, larger transactions. With 256, 64 is a little better than 48.
 */
const worthALane = 64;
/** ... or when the one in flight has taken this long, in milliseconds. */
const lateMs = 50;

export interface GroupCommitOptions extends Omit<LaneOptions, 'name'> {
  /** Connections that commit. Default 2. */
  readonly lanes?: number;
  /** Most commits that may wait; beyond it `commit` rejects with `Unavailable`. Default 20,000. */
  readonly capacity?: number;
}

export class GroupCommit {
  readonly #capacity: number;
  readonly #lanes: readonly Lane[];
  readonly #idle: Lane[];
  readonly #running = new Set<Promise<void>>();
  #queue: Waiting[] = [];
  /** Chains with a commit in flight: one actor's commits never overtake each other. */
  readonly #busy = new Set<Chain>();
  #inFlight = 0;
  /** When a lane was last started, in monotonic milliseconds. */
  #startedAt = 0;
  #scheduled = false;
  #closing = false;

  constructor(options: GroupCommitOptions) {
    this.#capacity = options.capacity ?? 20_000;
    this.#lanes = Array.from(
      { length: options.lanes ?? 2 },
      (_, i) => new Lane({ ...options, name: `skein lane ${i}` }),
    );
    this.#idle = [...this.#lanes];
  }

  /** Commits waiting or in flight; commits that landed, and their transactions: the quotient is the batch size. */
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
      const entry = { commit, resolve, reject };
      if (this.#closing) return refuse(entry, new Unavailable('the store is closing'));
      if (this.#queue.length >= this.#capacity) {
        return refuse(entry, new Unavailable('too many commits wait for the database'));
      }
      this.#queue.push(entry);
      if (this.#idle.length === 0) return;
      // Not at each further one: to look through all that waits has its price.
      if (this.#queue.length % worthALane === 0 && this.#isOfMany()) this.#start();
      else this.#startSoon();
    });
  }

  /** Flushes what waits, for at most `graceMs`, then refuses the rest. Idempotent. */
  async close(graceMs = 5_000): Promise<void> {
    this.#closing = true;
    const timer = setTimeout(() => {
      for (const entry of this.#queue.splice(0)) refuse(entry, new Unavailable('the store is closing'));
      for (const lane of this.#lanes) lane.hurry();
    }, graceMs);
    while (this.#running.size > 0 || this.#scheduled) {
      await Promise.all(this.#running);
      await new Promise(resolve => setImmediate(resolve));
    }
    clearTimeout(timer);
    await Promise.all(this.#lanes.map(lane => lane.end()));
  }

  /** Whether what could go now is of many actors. */
  #isOfMany(): boolean {
    const chains = new Set<Chain>();
    for (const { commit } of this.#queue) if (!this.#busy.has(commit.chain)) chains.add(commit.chain);
    return chains.size >= worthALane >> 1;
  }

  /** After the poll phase, when every request of this turn of the event loop is here. */
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
      if (this.#inFlight > 0 && !this.#isWorthALane()) return;
      const taken = this.#take();
      if (taken.length === 0) return;
      this.#idle.pop();
      this.#startedAt = performance.now();
      const run = this.#run(lane, taken).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
  }

  /** Beside a lane that is under way: much waits, or that lane is late and may be stuck. */
  #isWorthALane(): boolean {
    const much = this.#queue.length >= Math.max(worthALane, this.#inFlight >> 1);
    return much || performance.now() - this.#startedAt > lateMs;
  }

  /** What may go now, in order; the rest stays, in order. */
  #take(): Waiting[] {
    const chains = new Set<Chain>();
    const taken: Waiting[] = [];
    const rest: Waiting[] = [];
    for (const entry of this.#queue) {
      if (taken.length === largestBatch || this.#busy.has(entry.commit.chain)) rest.push(entry);
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

  async #run(lane: Lane, taken: readonly Waiting[]): Promise<void> {
    await lane.flush(taken);
    for (const { commit } of taken) this.#busy.delete(commit.chain);
    this.#inFlight -= taken.length;
    this.#idle.push(lane);
    this.#start();
  }
}
