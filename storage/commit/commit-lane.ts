/**
 * A commit lane: runs lists of commits as transactions on one connection (docs/decisions/0005-commit-lanes.md), and settles every one of
 * them. A batch is
 *
 *   transacting -> committed        the COMMIT was answered
 *   transacting -> in doubt         the connection was lost: the lane's commit marker tells (lane-connection.ts)
 *   transacting -> retrying         the database cannot be reached: back-off, and the same batch again
 *   transacting -> fenced           the database failed over since the batch was decided: its actors load and decide again
 *   transacting -> refused          the server is out of disk, memory or connections, and stays so: nobody's fault, so nobody is sought
 *   transacting -> narrowed         the server gave it up twice, at the time limit of a statement or over a lock: its parts go one by one,
 *                                   until the commits at fault are alone, and these are refused. Those that ran into the time limit,
 *                                   which is short meanwhile, count against their tenant (tenant-breaker.ts)
 *   transacting -> without others   it waited in vain for a lock, and other transactions hold the rows of some projects: the commits of
 *                                   these are set aside and given back, the rest goes again
 *   transacting -> conflict-aware   a key is taken: the same batch again, with statements that name all such keys; and so for a
 *                                   while, because repeated requests come in bursts
 *   transacting -> bisected         the batch was refused: the commits that `skein_fence` names are rejected and the rest goes
 *                                   again; any other constraint or data error halves the batch until the culprit is alone
 *
 * The order of an actor's commits is kept throughout.
 */
import {
  type Chain,
  type Commit,
  Fenced,
  OutcomeUnknown,
  StoreUnavailable,
} from '../../runtime/actor/index.ts';
import type { Log, Metrics, Span, Tracer } from '../../runtime/observability/index.ts';
import { Backoff, keepAliveClock, pause, systemRandom } from '../../runtime/time/index.ts';
import {
  isBlocked,
  isInterrupted,
  isOutOfResources,
  isTransient,
  type Timeline,
  TimelineChanged,
} from '../database/index.ts';
import type { CommitNotifier } from '../events/index.ts';
import type { SnapshotTable, Write } from '../statements/index.ts';
import { Batch, type BatchStatement } from './batch.ts';
import { InDoubt, LaneConnection, NotConnected } from './lane-connection.ts';
import { isUniqueViolation, parseFence, toReason } from './refusals.ts';
import type { TenantBreaker } from './tenant-breaker.ts';

/** Connections that one batch may lose before it is bisected. */
const maxLostConnections = 5;
const firstBackoffMs = 25;
const maxBackoffMs = 1_000;
/** Milliseconds that a lane stays conflict-aware after it met a taken key. */
const conflictAwareMs = 1_000;
/**
 * Parts of an interrupted batch. A part that holds the culprit takes as long as its limit allows, the others milliseconds: with eight
 * the culprit of 500 commits is alone after three limits, with two after nine.
 */
const interruptedParts = 8;

/** How often a batch waits in vain for a lock other than a project's before it is narrowed: a lock on a whole table is ridden out for 2 s. */
const maxBlocked = 4;

/** Commits that the span of a batch names; OpenTelemetry's own limit for a span. */
const maxLinks = 128;

/** How long a lane waits for the database, in milliseconds. */
export interface LaneLimits {
  /** The server cancels a statement that takes longer. Default 10,000. */
  readonly statementMs: number;
  /** The same without waits for locks, while a culprit is sought and for a while after it was found. Default 1,000. */
  readonly cautiousStatementMs: number;
  /** The server cancels a statement that waits longer for one lock. Default 500. */
  readonly lockMs: number;
  /** A commit is refused when the row of its project was held by others for so long. Default 10,000. */
  readonly heldMs: number;
  /** Commits wait for a server that is out of resources; once they have waited in vain, the next ones do not. Default 10,000. */
  readonly outOfResourcesMs: number;
}

export const defaultLimits: LaneLimits = {
  statementMs: 10_000,
  cautiousStatementMs: 1_000,
  lockMs: 500,
  heldMs: 10_000,
  outOfResourcesMs: 10_000,
};

export interface CommitLaneOptions {
  readonly url: string;
  readonly name: string;
  readonly tables: ReadonlyMap<string, SnapshotTable>;
  readonly log: Log;
  readonly tracer: Tracer;
  /** Absent: nothing is measured. */
  readonly metrics?: Pick<Metrics, 'batchCommits'> | undefined;
  readonly limits: LaneLimits;
  /** Notices failovers. */
  readonly timeline: Timeline;
  /** Shared by the lanes. */
  readonly breaker: TenantBreaker;
  /** Called after each transaction that succeeded, with the time when it was sent, in monotonic milliseconds. */
  readonly onWritten: (sentAt: number) => void;
  /** Called with each committed batch, before its commits resolve. */
  readonly onCommitted: (batch: Batch) => void;
  /** Notified of the events of each committed batch, before its commits resolve. */
  readonly notifier: CommitNotifier;
}

/** A commit whose caller waits. */
export interface PendingCommit {
  readonly commit: Commit<Write>;
  /** The generation of the log that it was decided on (storage/database/timeline.ts). */
  readonly generation: number;
  /** See `findTenant` in group-commit.ts. */
  readonly tenant: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class CommitLane {
  readonly #options: CommitLaneOptions;
  readonly #connection: LaneConnection;
  /** Commits of the current call of `flush` that wait for the rows of their projects, or behind such a commit of their actor. */
  readonly #held = new Set<PendingCommit>();
  readonly #heldChains = new Set<Chain>();
  #closing = false;
  #batches = 0;
  /** In monotonic milliseconds. */
  #conflictAwareUntil = 0;
  /** Since when the server has been out of resources, in monotonic milliseconds; undefined after a transaction that succeeded. */
  #outOfResourcesSince: number | undefined;
  /** Commits in transactions that succeeded, and those transactions: their quotient is the batch size. */
  commits = 0;
  transactions = 0;

  constructor(options: CommitLaneOptions) {
    this.#options = options;
    const { url, name, limits, timeline } = options;
    this.#connection = new LaneConnection(url, name, limits.statementMs, limits.lockMs, timeline);
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

  /**
   * Settles the commits of the list, except those that it returns: other transactions hold the rows of their projects. Never rejects.
   *
   * @param asksFirst whether to look for such rows before the first transaction
   */
  async flush<C extends PendingCommit>(pending: readonly C[], asksFirst = false): Promise<readonly C[]> {
    this.#held.clear();
    this.#heldChains.clear();
    if (asksFirst) this.#setAside(pending, await this.#findHeld(pending));
    await this.#flush(pending);
    return this.#held.size === 0 ? [] : pending.filter(entry => this.#held.has(entry));
  }

  async #flush(pending: readonly PendingCommit[]): Promise<void> {
    if (!this.#isCautious) return this.#flushInOrder(pending);
    const [others, suspects] = this.#separateSuspects(pending);
    await this.#flushInOrder(others);
    await this.#flushInOrder(suspects);
  }

  async #flushInOrder(pending: readonly PendingCommit[]): Promise<void> {
    let rest = pending;
    for (;;) {
      rest = rest.filter(
        entry =>
          !this.#isSetAside(entry) &&
          rejectUnlessUnbroken(entry) &&
          this.#rejectUnlessCurrent(entry) &&
          this.#rejectIfOpen(entry),
      );
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
      await this.#commit(now, batch, performance.now() < this.#conflictAwareUntil ? 1 : 0);
    }
  }

  /** Sets the commits with events of these projects aside, and the later ones of their actors. */
  #setAside(pending: readonly PendingCommit[], projectIds: readonly string[]): void {
    if (projectIds.length === 0) return;
    for (const entry of pending) {
      const { chain, writes } = entry.commit;
      const isHeld = writes.some(({ event }) => event !== undefined && projectIds.includes(event.projectId));
      if (!isHeld && !this.#heldChains.has(chain)) continue;
      this.#heldChains.add(chain);
      this.#held.add(entry);
    }
  }

  /** Whether the commit is set aside. One behind such a commit of its actor, which was not in the same batch, is from now on. */
  #isSetAside(entry: PendingCommit): boolean {
    if (this.#heldChains.has(entry.commit.chain)) this.#held.add(entry);
    return this.#held.has(entry);
  }

  async #findHeld(pending: readonly PendingCommit[]): Promise<readonly string[]> {
    const projectIds = new Set<string>();
    for (const { commit } of pending) {
      for (const { event } of commit.writes) if (event !== undefined) projectIds.add(event.projectId);
    }
    // The transaction that comes next meets the same error of the connection.
    return projectIds.size === 0 ? [] : this.#connection.findHeld([...projectIds]).catch(() => []);
  }

  /** The commits of suspects, who share a transaction with nobody else and go last, and those of the others, who do not wait for them. */
  #separateSuspects(pending: readonly PendingCommit[]): [PendingCommit[], PendingCommit[]] {
    const others: PendingCommit[] = [];
    const suspects: PendingCommit[] = [];
    const chains = new Set<Chain>();
    for (const entry of pending) {
      const { commit, tenant } = entry;
      const isSuspect = chains.has(commit.chain) || this.#options.breaker.getState(tenant) !== 'closed';
      if (isSuspect) chains.add(commit.chain);
      (isSuspect ? suspects : others).push(entry);
    }
    return [others, suspects];
  }

  /** Whether a transaction was interrupted lately. */
  get #isCautious(): boolean {
    return performance.now() < this.#options.breaker.cautiousUntil;
  }

  /** Rejects a commit that was decided before the log may have gone back: false. The version of its row may have been given again. */
  #rejectUnlessCurrent(entry: PendingCommit): boolean {
    if (entry.generation === this.#options.timeline.generation) return true;
    rejectCommit(entry, new Fenced(entry.commit.actor));
    return false;
  }

  /** Rejects a commit of a tenant whose commits time out: false. */
  #rejectIfOpen(entry: PendingCommit): boolean {
    if (!this.#isCautious || this.#options.breaker.getState(entry.tenant) !== 'open') return true;
    rejectCommit(
      entry,
      new StoreUnavailable('commits of this tenant ran into the time limit of a statement'),
    );
    return false;
  }

  /** @param conflictAware 0, or which of the conflict-aware tries it is: a second one sees a key that was being taken during the first */
  async #commit(pending: readonly PendingCommit[], batch: Batch, conflictAware: 0 | 1 | 2): Promise<void> {
    let rows: readonly Record<string, unknown>[] | undefined;
    const span = this.#options.tracer.isOn ? this.#trace(pending, batch) : undefined;
    try {
      rows = await this.#transact(pending, batch.statements(conflictAware > 0));
    } catch (error) {
      span?.end(error instanceof Error ? error.name : 'error');
      if (error instanceof TimelineChanged) return this.#flush(pending);
      if (conflictAware < 2 && isUniqueViolation(error) && batch.hasConflictAware) {
        this.#conflictAwareUntil = performance.now() + conflictAwareMs;
        return this.#commit(pending, batch, conflictAware === 0 ? 1 : 2);
      }
      const rest = pending.filter(entry => !this.#held.has(entry));
      if (rest.length < pending.length) return this.#flush(rest);
      await this.#narrow(pending, error instanceof Error ? error : new Error(String(error)));
      return;
    }
    span?.end();
    this.#outOfResourcesSince = undefined;
    this.commits += pending.length;
    this.transactions++;
    this.#options.metrics?.batchCommits.observe(pending.length);
    try {
      this.#notify(batch, rows);
    } catch (err) {
      // The batch is committed, whatever a listener does.
      this.#options.log.error({ lane: this.#options.name, err }, 'a listener failed after a commit');
    }
    for (const entry of pending) entry.resolve();
  }

  /** @param rows what the last statement returned; absent after a lost connection: the numbers of the events were lost with the answer */
  #notify(batch: Batch, rows: readonly Record<string, unknown>[] | undefined): void {
    const { events } = batch;
    this.#options.onCommitted(batch);
    if (events.length === 0) return;
    if (rows === undefined) this.#options.notifier.notifyUnnumbered(events);
    else this.#options.notifier.notifyCommitted(events, rows);
  }

  /**
   * Opens the span of a batch: the child of the first commit whose trace is kept, and linked to all such commits. With few traces kept
   * that is nearly always the only one.
   */
  #trace(pending: readonly PendingCommit[], { events }: Batch): Span | undefined {
    const links: string[] = [];
    for (const { commit } of pending) if (commit.traceparent !== undefined) links.push(commit.traceparent);
    return this.#options.tracer.start('commit', links[0], {
      kind: 'client',
      attributes: {
        'db.system.name': 'postgresql',
        'skein.batch.commits': pending.length,
        'skein.batch.events': events.length,
        'skein.lane': this.#options.name,
      },
      links: links.slice(0, maxLinks),
    });
  }

  /**
   * Runs the batch until its outcome is certain. Rejects with an error that the batch itself may have caused, when the server stays out of
   * resources, when the database fails over, or when closing.
   */
  async #transact(
    pending: readonly PendingCommit[],
    statements: readonly BatchStatement[],
  ): Promise<readonly Record<string, unknown>[] | undefined> {
    const { breaker, limits, timeline, onWritten } = this.#options;
    const { generation } = timeline;
    const number = ++this.#batches;
    let backoff: Backoff | undefined;
    let blocked = 0;
    for (let lost = 0; ;) {
      const isCautious = this.#isCautious;
      const sentAt = performance.now();
      try {
        const rows = await this.#connection.run(
          number,
          statements,
          generation,
          isCautious ? limits.cautiousStatementMs + limits.lockMs : limits.statementMs,
        );
        onWritten(sentAt);
        return rows;
      } catch (error) {
        if (error instanceof InDoubt) {
          if (await this.#settle(number, error)) return undefined;
          // The server may die of this batch: then its parts tell which commit is the cause.
          if (++lost === maxLostConnections)
            throw new StoreUnavailable('the connection was lost repeatedly', { cause: error });
        } else if (error instanceof TimelineChanged) {
          throw error;
        } else if (isBlocked(error)) {
          this.#setAside(pending, await this.#findHeld(pending));
          if (++blocked === maxBlocked || pending.some(entry => this.#held.has(entry))) throw error;
        } else if (isInterrupted(error)) {
          breaker.beCautious();
          if (isCautious) throw error;
        } else if (isOutOfResources(error)) {
          this.#outOfResourcesSince ??= performance.now();
          if (performance.now() - this.#outOfResourcesSince > limits.outOfResourcesMs) throw error;
        } else if (!(error instanceof NotConnected) && !isTransient(error)) {
          throw error;
        }
        if (this.#closing) throw new StoreUnavailable('the store is closing', { cause: error });
        backoff ??= new Backoff(firstBackoffMs, maxBackoffMs, systemRandom);
        await pause(keepAliveClock, backoff.next());
      }
    }
  }

  async #settle(number: number, { cause }: InDoubt): Promise<boolean> {
    const { log, name } = this.#options;
    log.warn({ lane: name, err: cause }, 'settling a commit in doubt');
    const backoff = new Backoff(firstBackoffMs, maxBackoffMs, systemRandom);
    for (;;) {
      try {
        return await this.#connection.settle(number);
      } catch (error) {
        if (this.#closing)
          throw new OutcomeUnknown('the store closed before the outcome could be read back', {
            cause: error,
          });
        await pause(keepAliveClock, backoff.next());
      }
    }
  }

  /** Rejects the commits that the error names or that are alone with it; the others go again, in parts. */
  async #narrow(pending: readonly PendingCommit[], error: Error): Promise<void> {
    const findReason = parseFence(error);
    if (findReason !== undefined) {
      const rest = pending.filter(entry => {
        // What stands on a commit that is named is not to blame: it is decided again.
        const reason = entry.commit.chain.broken ? undefined : findReason(entry.commit);
        if (reason !== undefined) rejectCommit(entry, reason);
        return reason === undefined;
      });
      // A fence that names no commit of the batch (a project without its stream row) is everybody's error.
      if (rest.length < pending.length) return this.#flush(rest);
    }
    if (pending.length === 1 || this.#closing || isOutOfResources(error)) {
      this.#refuse(pending, error);
      return;
    }
    const size = Math.ceil(pending.length / (isInterrupted(error) ? interruptedParts : 2));
    for (let i = 0; i < pending.length; i += size) await this.#flush(pending.slice(i, i + size));
  }

  #refuse(pending: readonly PendingCommit[], error: Error): void {
    const { breaker, log, name } = this.#options;
    const [entry] = pending;
    if (isOutOfResources(error)) {
      log.error(
        { lane: name, err: error, commits: pending.length },
        'refused: the server is out of resources',
      );
    } else if (isInterrupted(error) && entry !== undefined && pending.length === 1) {
      if (!isBlocked(error)) breaker.recordTimeout(entry.tenant);
      log.error(
        { lane: name, err: error, actor: entry.commit.actor },
        'refused: the server interrupts the commit',
      );
    }
    for (const entry of pending) rejectCommit(entry, toReason(error));
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
