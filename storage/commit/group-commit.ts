/**
 * Group commit (docs/decisions/0004-group-commit.md): the decisions of all actors of a node queue here, and what waits goes into one
 * transaction. A commit is
 *
 *   waiting -> in flight    a lane is idle and takes it. Commits of one actor never overtake each other: while one is in flight, the
 *                           actor's next ones wait
 *   in flight -> settled    by the lane
 *   in flight -> waiting    another transaction holds the row of its project: the tenant is set aside for a moment, its commits keep
 *                           their place, and after `heldMs` they are refused
 *
 * There is no timer and nothing to tune: batches grow with load. The server works on one batch while the commit of another reaches the
 * disk and this process makes the next. (With one lane, a closed loop of 256 clients moves in lock-step: all wait for the same commit.)
 *
 * Tenants do not share fate (docs/decisions/0005-commit-lanes.md). A tenant is *large* when it has more than its share of what waits. Its
 * commits have batches of their own, of which at most two are in flight; the third lane is free for the other tenants, whose commits share
 * batches. A tenant may have half of the places in the queue.
 *
 * A lane starts when this turn of the event loop has read all requests that have arrived, or earlier once enough actors wait: a turn may
 * read for 10 ms, and the server was idle for a third of the time (with 256 clients 4 % more requests get through, 14,800 a second).
 *
 * Lanes and nodes contend for rows in one order: agents that must be unchanged (storage/writes/agents.ts), the rows of actors, sorted by
 * their ids, then new keys, sorted, and last the projects' streams, sorted (storage/writes/events-and-answers.ts).
 */
import { type Chain, type Commit, StoreUnavailable } from '../../runtime/actor/index.ts';
import type { Metrics } from '../../runtime/observability/index.ts';
import { backoffMs, keepAliveClock, pause, systemClock, systemRandom } from '../../runtime/time/index.ts';
import type { Write } from '../statements/index.ts';
import { CommitLane, type CommitLaneOptions, type PendingCommit, rejectCommit } from './commit-lane.ts';
import { TenantBreaker } from './tenant-breaker.ts';

/** Connections that commit. */
const laneCount = 3;
/** Lanes that may work on batches of large tenants. */
const largeLanes = 2;
/** A tenant is large when more of its commits wait than this, and more than a quarter of all. */
const largeCommits = 16;
/** Maximum number of waiting commits; beyond that `commit` rejects with `StoreUnavailable`. */
const maxWaiting = 20_000;
/** The same for one tenant: half of the commands that a node admits. */
const maxWaitingOfTenant = 5_000;
/** Maximum number of commits in one transaction: bounds its memory and the time that it holds its locks. */
const maxBatch = 500;
/**
 * A further batch starts for this many commits, or for half of what is in flight if that is more. With 64 clients, 48 instead of 16 took
 * PostgreSQL's share of a message from 83 to 68 microseconds: fewer, larger transactions. With 256, 64 is a little better than 48.
 */
const minBatch = 64;
/** ... or when the batch in flight has taken this many milliseconds. */
const slowMs = 50;
/**
 * A large tenant has batches of at most `minBatch` commits while another project has committed within so many milliseconds: a larger
 * one takes the processor, and a turn of the event loop, from the others.
 */
const neighbourMs = 1_000;
/** Milliseconds until a tenant whose row was held is tried again: the first time, and at most. The lane asks whether it still is. */
const firstHeldMs = 10;
const maxHeldMs = 500;

/** Tenants whose commits go together: one tenant, or all that are not large. */
class Share {
  /** Commits in flight, and the batches that they are in. */
  inFlight = 0;
  batches = 0;
  /** When the last of them started, in monotonic milliseconds. */
  startedAt = 0;

  /** Whether another batch may start beside the one in flight: many commits wait, or that one is slow and may be stuck. */
  mayStartAnother(ready: number, startedAt = this.startedAt): boolean {
    return ready >= Math.max(minBatch, this.inFlight >> 1) || performance.now() - startedAt > slowMs;
  }
}

class Tenant extends Share {
  readonly id: string;
  /** Not an actor whose commits have no events. */
  readonly isProject: boolean;
  /** Commits in the queue. */
  waiting = 0;
  /** Those of them that could go now, as counted by the choice of that number. */
  ready = 0;
  choice = 0;
  /** How often in succession its row was held. */
  holds = 0;
  /** Its row was held a moment ago: until the timer has run, its commits wait. */
  isHeld = false;

  constructor(id: string) {
    super();
    this.id = id;
    this.isProject = !id.includes('/');
  }
}

/** The commits of an actor: those of one chain belong to one tenant while any of them is pending. */
interface Actor {
  readonly tenant: Tenant;
  /** Commits that wait or are in flight. */
  pending: number;
  isInFlight: boolean;
}

interface WaitingCommit extends PendingCommit {
  readonly actor: Actor;
  /** When it came, in monotonic milliseconds. */
  readonly since: number;
}

export type GroupCommitOptions = Omit<CommitLaneOptions, 'name' | 'breaker' | 'metrics'> & {
  readonly metrics: Pick<Metrics, 'batchCommits' | 'batchWaitMs'> | undefined;
};

export class GroupCommit {
  readonly #options: GroupCommitOptions;
  readonly #lanes: readonly CommitLane[];
  readonly #idle: CommitLane[];
  readonly #running = new Set<Promise<void>>();
  #queue: WaitingCommit[] = [];
  readonly #actors = new Map<Chain, Actor>();
  /** Those with pending commits. */
  readonly #tenants = new Map<string, Tenant>();
  readonly #shared = new Share();
  #largeBatches = 0;
  #inFlight = 0;
  /** When the last batch started, in monotonic milliseconds. */
  #startedAt = 0;
  /** The last project that committed, and when another one had committed before it, in monotonic milliseconds. */
  #lastProject: string | undefined;
  #hadNeighboursAt = -Infinity;
  /** The number of the last choice, and how many commits could go then. */
  #choice = 0;
  #ready = 0;
  #scheduled = false;
  #closing = false;

  constructor(options: GroupCommitOptions) {
    this.#options = options;
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
      const actor = this.#findActor(commit);
      const { tenant } = actor;
      const { generation } = this.#options.timeline;
      const since = performance.now();
      const entry = { commit, generation, actor, tenant: tenant.id, since, resolve, reject };
      actor.pending++;
      if (this.#closing) return this.#reject(entry, 'the store is closing');
      if (this.#queue.length >= maxWaiting || tenant.waiting >= maxWaitingOfTenant) {
        return this.#reject(entry, 'too many commits wait for the database');
      }
      tenant.waiting++;
      if (tenant.isProject && tenant.id !== this.#lastProject) {
        if (this.#lastProject !== undefined) this.#hadNeighboursAt = entry.since;
        this.#lastProject = tenant.id;
      }
      this.#queue.push(entry);
      if (this.#idle.length === 0) return;
      // The first commit of an idle tenant does not wait for the end of a turn, which is long while others are busy. To look through the
      // queue has its price, so this is not done at every commit.
      const isFirst = tenant.waiting === 1 && tenant.batches === 0 && this.#shared.batches === 0;
      if (this.#inFlight > 0 && isFirst) this.#start();
      else if (this.#queue.length % minBatch === 0 && this.#hasManyActors()) this.#start();
      else this.#startSoon();
    });
  }

  /** Flushes what waits, for at most `graceMs` (default: 5,000), then rejects the rest and closes the connections. Idempotent. */
  async close(graceMs = 5_000): Promise<void> {
    this.#closing = true;
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      this.#rejectWaiting();
      for (const lane of this.#lanes) lane.stopRetrying();
    }, graceMs);
    while (this.#running.size > 0 || this.#scheduled || this.#queue.length > 0) {
      await Promise.all(this.#running);
      if (isOver) this.#rejectWaiting();
      // What waits now waits for the row of its project.
      await pause(keepAliveClock, this.#queue.length > 0 ? firstHeldMs : 0);
    }
    clearTimeout(timer);
    await Promise.all(this.#lanes.map(lane => lane.end()));
  }

  #findActor(commit: Commit<Write>): Actor {
    const known = this.#actors.get(commit.chain);
    if (known !== undefined) return known;
    const id = findTenant(commit);
    let tenant = this.#tenants.get(id);
    if (tenant === undefined) this.#tenants.set(id, (tenant = new Tenant(id)));
    const actor = { tenant, pending: 0, isInFlight: false };
    this.#actors.set(commit.chain, actor);
    return actor;
  }

  /** The commit is settled, or about to be. */
  #forget({ commit, actor }: WaitingCommit): void {
    if (--actor.pending > 0) return;
    this.#actors.delete(commit.chain);
    const { tenant } = actor;
    if (tenant.waiting === 0 && tenant.batches === 0) this.#tenants.delete(tenant.id);
  }

  #reject(entry: WaitingCommit, why: string): void {
    rejectCommit(entry, new StoreUnavailable(why));
    this.#forget(entry);
  }

  #rejectWaiting(): void {
    const waiting = this.#queue;
    this.#queue = [];
    for (const entry of waiting) {
      entry.actor.tenant.waiting--;
      this.#reject(entry, 'the store is closing');
    }
  }

  /** Whether the commits that could go now belong to many actors: those of one actor are better gathered. */
  #hasManyActors(): boolean {
    const actors = new Set<Actor>();
    for (const { actor } of this.#queue) if (!actor.isInFlight) actors.add(actor);
    return actors.size >= minBatch >> 1;
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
    while (this.#queue.length > 0 && this.#idle.length > 0) {
      const share = this.#choose();
      const lane = share === undefined ? undefined : this.#idle.pop();
      if (share === undefined || lane === undefined) return;
      const taken = this.#take(share);
      const run = this.#run(lane, share, taken).finally(() => this.#running.delete(run));
      this.#running.add(run);
    }
  }

  /** Whose commits go next. Undefined: none may go now. */
  #choose(): Share | undefined {
    const choice = ++this.#choice;
    this.#ready = 0;
    for (const { actor } of this.#queue) {
      const { tenant } = actor;
      if (actor.isInFlight || tenant.isHeld) continue;
      if (tenant.choice !== choice) {
        tenant.choice = choice;
        tenant.ready = 0;
      }
      tenant.ready++;
      this.#ready++;
    }
    if (this.#ready === 0) return undefined;
    let shared = 0;
    let hasIdleTenant = false;
    let large: Tenant | undefined;
    for (const { actor } of this.#queue) {
      const { tenant } = actor;
      if (actor.isInFlight || tenant.isHeld) continue;
      if (this.#isLarge(tenant)) {
        if (large === undefined && this.#mayStartLarge(tenant)) large = tenant;
      } else {
        shared++;
        hasIdleTenant ||= tenant.batches === 0;
      }
    }
    return shared > 0 && this.#mayStartShared(shared, hasIdleTenant) ? this.#shared : large;
  }

  #isLarge({ ready }: Tenant): boolean {
    return ready > largeCommits && ready * 4 > this.#ready;
  }

  /** @param hasIdleTenant whether a tenant is among them that has nothing in flight, so that it waits for none of its own batches */
  #mayStartShared(ready: number, hasIdleTenant: boolean): boolean {
    if (this.#inFlight === 0) return true;
    if (this.#shared.batches > 0) return this.#shared.mayStartAnother(ready);
    return hasIdleTenant || this.#shared.mayStartAnother(ready, this.#startedAt);
  }

  #mayStartLarge(tenant: Tenant): boolean {
    if (this.#largeBatches === largeLanes) return false;
    return tenant.batches === 0 || tenant.mayStartAnother(tenant.ready);
  }

  /** The commits of the share that may go now, in order; the rest stays, in order. */
  #take(share: Share): WaitingCommit[] {
    const taken: WaitingCommit[] = [];
    const rest: WaitingCommit[] = [];
    const hasNeighbours = performance.now() - this.#hadNeighboursAt < neighbourMs;
    const limit = share !== this.#shared && hasNeighbours ? minBatch : maxBatch;
    for (const entry of this.#queue) {
      const { actor } = entry;
      const { tenant } = actor;
      const mayGo =
        taken.length < limit &&
        !actor.isInFlight &&
        !tenant.isHeld &&
        (share === this.#shared ? !this.#isLarge(tenant) : share === tenant);
      (mayGo ? taken : rest).push(entry);
    }
    this.#queue = rest;
    return taken;
  }

  async #run(lane: CommitLane, share: Share, taken: readonly WaitingCommit[]): Promise<void> {
    const now = performance.now();
    const isShared = share === this.#shared;
    const tenants = new Set<Tenant>();
    for (const { actor } of taken) {
      const { tenant } = actor;
      actor.isInFlight = true;
      tenant.waiting--;
      tenant.inFlight++;
      tenants.add(tenant);
    }
    const shares: readonly Share[] = isShared ? [...tenants, share] : [share];
    for (const each of shares) {
      each.batches++;
      each.startedAt = now;
    }
    if (isShared) share.inFlight += taken.length;
    else this.#largeBatches++;
    this.#inFlight += taken.length;
    this.#startedAt = now;
    // They are in the order in which they came.
    this.#options.metrics?.batchWaitMs.observe(now - (taken[0]?.since ?? now));
    let asksFirst = false;
    for (const { holds } of tenants) asksFirst ||= holds > 0;

    const held = await lane.flush(taken, asksFirst);

    for (const each of shares) each.batches--;
    if (isShared) share.inFlight -= taken.length;
    else this.#largeBatches--;
    this.#inFlight -= taken.length;
    this.#idle.push(lane);
    const isHeld = new Set(held);
    // First, so that a tenant of which some commits are settled is not forgotten.
    for (const { actor } of held) actor.tenant.waiting++;
    for (const entry of taken) {
      const { actor } = entry;
      actor.isInFlight = false;
      actor.tenant.inFlight--;
      if (!isHeld.has(entry)) this.#forget(entry);
    }
    this.#hold(tenants, held);
    this.#start();
  }

  /** Puts commits back whose projects' rows are held, and sets their tenants aside for a moment. Refuses those that have waited too long. */
  #hold(tenants: ReadonlySet<Tenant>, held: readonly WaitingCommit[]): void {
    const now = performance.now();
    const heldTenants = new Set(held.map(({ actor }) => actor.tenant));
    for (const tenant of tenants) {
      if (!heldTenants.has(tenant)) tenant.holds = 0;
      else this.#setAside(tenant);
    }
    if (held.length === 0) return;
    const { heldMs } = this.#options.limits;
    const isLate = ({ since }: WaitingCommit): boolean => now - since > heldMs;
    // They came before those that wait.
    this.#queue = [...held.filter(entry => !isLate(entry)), ...this.#queue];
    for (const entry of held) {
      if (!isLate(entry)) continue;
      entry.actor.tenant.waiting--;
      this.#reject(entry, 'another transaction holds the row of the project');
    }
  }

  #setAside(tenant: Tenant): void {
    const { id, waiting, isHeld } = tenant;
    if (isHeld) return;
    if (tenant.holds++ === 0)
      this.#options.log.warn({ tenant: id, waiting }, 'another transaction holds the row of the project');
    tenant.isHeld = true;
    setTimeout(
      () => {
        tenant.isHeld = false;
        this.#startSoon();
      },
      backoffMs(tenant.holds, firstHeldMs, maxHeldMs, systemRandom),
    );
  }
}

/** The tenant of a commit: the project of its first event. Without events, the commit can slow down its actor's row alone. */
export function findTenant({ actor, writes }: Commit<Write>): string {
  for (const { event } of writes) if (event !== undefined) return event.projectId;
  return `${actor.kind}/${actor.id}`;
}
