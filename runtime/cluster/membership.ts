/**
 * This node as a member of the cluster.
 *
 *   outside -> joining              `join`: its entry is created
 *   joining -> settled              it has been up for `joinMs`
 *   joining | settled -> draining   `startDraining`
 *   joining | settled -> outside    evicted: its entry was removed, by others or by mistake. This incarnation has ended: the node drops
 *                                   its shards and joins again
 *   joining | settled -> outside    it steps down: it cannot write to the store, and another member can. It removes its own entry, so
 *                                   that others take its shards at once, and joins again when it can write
 *   draining -> left                `leave`; or evicted
 *   outside -> left                 `leave`
 *
 * Its lease, while it is a member: how long it may serve the shards it owns.
 *
 *   none -> valid        a renewal succeeded, or the entry was created: valid until `leaseMs - marginMs` after that was SENT. Others
 *                        count `leaseMs` from when they SEE it, so the lease ends here before it can end there
 *   valid -> expired     no renewal succeeded in time
 *   expired -> valid     a later one did: the entry had not been removed, so no shard was taken over
 *   any -> suspended     the connection is lost: others may remove this node at any moment
 *   suspended -> none    connected again, and everything was read again
 *
 * Whether it can write: each renewal tells how long ago the last write to the store succeeded. A node steps down when others have written
 * for `leaseMs` and it has not. While the store is away for all of them, no node writes, and each keeps its shards. When the store is
 * back, all of them have that time to write again.
 */
import { pause, type Timer } from '../time/index.ts';
import { SingleFlight } from './single-flight.ts';
import type { WriteProof } from '../placement/index.ts';
import { getMemberName, type ClusterContext } from './cluster-context.ts';
import { awaitPredecessorGone, checkClusterConfig } from './joining.ts';
import { encode, memberKey, type MemberEntry, type MemberState } from './records.ts';
import type { ClusterView, Member } from './view.ts';

const retryMs = 100;
const joinTries = 10;
const leaveTries = 3;

export interface MembershipOptions {
  readonly context: ClusterContext;
  readonly view: ClusterView;
  readonly shards: number;
  readonly writes: WriteProof;
  readonly serveUntil: (monotonicMs: number) => void;
  /** The lease has become valid. */
  readonly onLeaseValid: () => void;
  /** The node is no longer a member. It gets no lease until it joins again. */
  readonly onEvicted: () => void;
}

interface Candidate {
  readonly incarnation: string;
  /** Ends its answers to pings. */
  readonly stopAnswering: () => void;
}

type State = 'outside' | MemberState | 'left';

export class Membership {
  readonly #options: MembershipOptions;
  #state: State = 'outside';
  /** Empty while outside. */
  #incarnation = '';
  /** The incarnation that tries to join: kept until it has, to recognise its own entry when an outcome was unknown. */
  #candidate: Candidate | undefined;
  #stopAnswering: () => void = () => undefined;
  #joinedAt = 0;
  #since = 0;
  #beat = 0;
  #leasedUntil = -Infinity;
  /** The end of the lease has been reported. */
  #isExpired = false;
  #isSuspended = false;
  /** Counts losses of the connection and of the membership: a renewal that began before one grants no lease. */
  #epoch = 0;
  /** Counts changes of the connection. */
  #connectionChanges = 0;
  #observingSince = Infinity;
  /** When this node last wrote, as of the last heartbeat. */
  #writtenAt = -Infinity;
  /** The first write of another member that this node has seen since its own last one; Infinity without one. */
  #outdoneSince = Infinity;
  #connectedSince = -Infinity;
  #timer: Timer | undefined;
  readonly #renewal = new SingleFlight(() => this.#renew());

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#isSuspended = !options.context.peers.connected;
  }

  get state(): State {
    return this.#state;
  }

  get incarnation(): string {
    return this.#incarnation;
  }

  /** It has an entry, as far as it knows. */
  get isMember(): boolean {
    return this.#incarnation !== '';
  }

  /** Its own entry. */
  get self(): Member | undefined {
    return this.isMember
      ? this.#options.view.getMember(this.#options.context.id, this.#incarnation)
      : undefined;
  }

  /** Whether the lease is valid. */
  get isLeased(): boolean {
    return this.#options.context.clock.monotonic() < this.#leasedUntil;
  }

  /** The end of the lease, by the monotonic clock. */
  get leasedUntil(): number {
    return this.#leasedUntil;
  }

  /** Since when this node has seen the others' renewals without a gap; Infinity while it does not. Monotonic. */
  get observingSince(): number {
    return this.#observingSince;
  }

  /** Since when it has been connected without a gap. Monotonic. */
  get connectedSince(): number {
    return this.#connectedSince;
  }

  /** Becomes a member. Rejects with `ClusterRefusal`, and with `RegisterUnavailable`, after which it may be called again. */
  async join(): Promise<void> {
    const { context, view, shards } = this.#options;
    for (let tries = 0; tries < joinTries && this.#state === 'outside'; tries++) {
      await view.refresh();
      await checkClusterConfig(context, view, shards);
      const candidate = (this.#candidate ??= await this.#newCandidate());
      const existing = view.members.get(context.id);
      if (existing?.incarnation === candidate.incarnation) return this.#enter(candidate, -Infinity);
      if (existing !== undefined) await awaitPredecessorGone(context, view, existing);
      const sentAt = context.clock.monotonic();
      const epoch = this.#epoch;
      const entry = this.#entry(candidate.incarnation, 'joining', context.clock.now());
      const key = memberKey(context.id);
      const value = encode(entry);
      const revision = await context.register.create(key, value);
      if (revision === undefined) continue;
      view.apply({ key, value, revision });
      return this.#enter(candidate, epoch === this.#epoch ? sentAt : -Infinity);
    }
    if (this.#state === 'outside') throw new Error(`the cluster could not be joined in ${joinTries} tries`);
  }

  /** Call it at each change of the view, before anything else acts on it. */
  onViewChange(): void {
    if (this.isMember && this.self === undefined) this.#evict();
  }

  onConnectionChange(connected: boolean): void {
    this.#connectionChanges++;
    if (connected) void this.#resume(this.#connectionChanges);
    else this.#suspend();
  }

  /** Reports the end of the lease, once. */
  checkExpiry(): void {
    const { counters, log } = this.#options.context;
    if (this.#leasedUntil === -Infinity || this.#isExpired || this.isLeased) return;
    this.#isExpired = true;
    counters.leaseExpiries++;
    log.warn({}, 'the lease of this node has expired: it serves nothing until it is renewed');
  }

  /** Resolves when the others know that it drains, or the node is evicted. Tries without end. */
  async startDraining(): Promise<void> {
    const { clock } = this.#options.context;
    if (this.#state === 'outside') this.#state = 'left';
    if (!this.isMember) return;
    this.#state = 'draining';
    while (this.isMember && this.self?.state !== 'draining') {
      const outcome = this.#isSuspended ? 'unknown' : await this.#renewal.run();
      if (outcome === 'unknown') await pause(clock, retryMs);
    }
  }

  /** Gives up the membership even if the register does not answer: an entry that stays behind expires. Never rejects. */
  async leave(): Promise<void> {
    const { incarnation } = this;
    this.#end('left');
    this.#options.serveUntil(0);
    this.#candidate?.stopAnswering();
    await this.#removeEntry(incarnation);
  }

  /** Never rejects. */
  async #removeEntry(incarnation: string): Promise<void> {
    const { context, view } = this.#options;
    try {
      for (let tries = 0; tries < leaveTries; tries++) {
        const own = view.getMember(context.id, incarnation);
        if (own === undefined) return;
        if (await context.register.remove(memberKey(context.id), own.revision)) {
          view.applyRemoval(context.id, own.revision);
          return;
        }
        await view.refresh();
      }
    } catch (error) {
      context.log.info(
        { err: error },
        'the entry of this node could not be removed: it remains a member until it expires',
      );
    }
  }

  async #newCandidate(): Promise<Candidate> {
    const { id, random, peers } = this.#options.context;
    const incarnation = Buffer.from(random.bytes(6)).toString('hex');
    // Before the entry exists: a member that does not answer pings would be removed.
    return { incarnation, stopAnswering: await peers.answerPings(getMemberName(id, incarnation)) };
  }

  /** outside -> joining */
  #enter(candidate: Candidate, sentAt: number): void {
    const { context, view } = this.#options;
    this.#candidate = undefined;
    this.#incarnation = candidate.incarnation;
    this.#stopAnswering = candidate.stopAnswering;
    // Drained meanwhile.
    if (this.#state === 'left') return void this.leave();
    this.#state = 'joining';
    this.#joinedAt = context.clock.monotonic();
    this.#beat = this.self?.beat ?? 0;
    this.#since = this.self?.since ?? context.clock.now();
    const { incarnation } = candidate;
    context.log.info({ id: context.id, incarnation, members: view.members.size }, 'joined the cluster');
    this.#extend(sentAt);
    this.#schedule(sentAt === -Infinity ? 0 : context.timing.heartbeatMs);
  }

  #entry(incarnation: string, state: MemberState, since: number): MemberEntry {
    const { context, writes } = this.#options;
    const { release, wire, address, clock } = context;
    const age = Math.round(clock.monotonic() - writes.writtenAt);
    const wroteMs = Number.isFinite(age) ? age : undefined;
    return { incarnation, beat: this.#beat, release, wire, state, since, address, wroteMs };
  }

  #schedule(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.context.clock.after(Math.max(0, ms), () => void this.#heartbeat());
  }

  async #heartbeat(): Promise<void> {
    const { clock, timing } = this.#options.context;
    const startedAt = clock.monotonic();
    const outcome = this.#isSuspended ? 'suspended' : await this.#renewal.run();
    if (!this.isMember) return;
    const took = clock.monotonic() - startedAt;
    this.#schedule(outcome === 'unknown' ? retryMs : timing.heartbeatMs - took);
  }

  /** Never rejects. */
  async #renew(): Promise<'renewed' | 'unknown'> {
    const { context, view } = this.#options;
    const { clock, register, counters, log, timing } = context;
    const { self } = this;
    if (self === undefined || this.#state === 'outside' || this.#state === 'left') return 'unknown';
    if (this.#state !== 'draining' && this.#isOutdone()) {
      await this.#stepDown(self.incarnation);
      return 'unknown';
    }
    this.#probeWrites();
    const sentAt = clock.monotonic();
    const epoch = this.#epoch;
    if (this.#state === 'joining' && sentAt - this.#joinedAt >= timing.joinMs) this.#state = 'settled';
    this.#beat++;
    const key = memberKey(context.id);
    const value = encode(this.#entry(self.incarnation, this.#state, this.#since));
    try {
      const revision = await register.update(key, value, self.revision);
      if (revision !== undefined) {
        view.apply({ key, value, revision });
        if (clock.monotonic() - sentAt > timing.heartbeatMs) counters.renewalsLate++;
        if (epoch === this.#epoch) this.#extend(sentAt);
        if (this.#observingSince === Infinity) this.#observingSince = clock.monotonic();
        return 'renewed';
      }
      // An earlier renewal of unknown outcome has succeeded after all, or the node was evicted: the register knows.
      await view.refresh();
    } catch (error) {
      log.debug({ err: error }, 'the lease could not be renewed');
    }
    counters.renewalsFailed++;
    this.#observingSince = Infinity;
    return 'unknown';
  }

  /** For `leaseMs` another member could write to the store, and this node could not. */
  #isOutdone(): boolean {
    const { context, view, writes } = this.#options;
    const { writtenAt } = writes;
    let newest = -Infinity;
    for (const { id, state, changedAt, wroteMs = Infinity } of view.members.values())
      if (id !== context.id && state !== 'draining') newest = Math.max(newest, changedAt - wroteMs);
    const { clock, timing } = context;
    // A proof counts only if this node saw it come, and has not written since. It begins anew when no member has written for a while.
    const since = Math.max(writtenAt, this.#observingSince, clock.monotonic() - timing.leaseMs);
    if (writtenAt !== this.#writtenAt || newest <= since) {
      this.#writtenAt = writtenAt;
      this.#outdoneSince = Infinity;
      return false;
    }
    this.#outdoneSince = Math.min(this.#outdoneSince, newest);
    return newest - this.#outdoneSince >= timing.leaseMs;
  }

  /** Commits prove that this node can write. Where it has none, a probe does. */
  #probeWrites(): void {
    const { context, view, writes } = this.#options;
    const { clock, timing } = context;
    const isRecent = clock.monotonic() - writes.writtenAt < 2 * timing.heartbeatMs;
    if (view.members.size > 1 && !isRecent) writes.probe();
  }

  /** joining | settled -> outside. Never rejects. */
  async #stepDown(incarnation: string): Promise<void> {
    const { context, serveUntil, onEvicted } = this.#options;
    this.#end('outside');
    serveUntil(0);
    context.counters.stepDowns++;
    // Its alert fires: the lease has ended early.
    context.counters.leaseExpiries++;
    context.log.warn(
      {},
      'this node cannot write to the database, and others can: it leaves its shards to them',
    );
    await this.#removeEntry(incarnation);
    onEvicted();
  }

  #extend(sentAt: number): void {
    const { context, serveUntil, onLeaseValid } = this.#options;
    if (this.#isSuspended || !this.isMember) return;
    this.checkExpiry();
    const wasLeased = this.isLeased;
    this.#leasedUntil = sentAt + context.timing.leaseMs - context.timing.marginMs;
    this.#isExpired = false;
    serveUntil(Math.max(0, this.#leasedUntil));
    if (!wasLeased && this.isLeased) onLeaseValid();
  }

  /** any -> suspended */
  #suspend(): void {
    const { context, serveUntil } = this.#options;
    this.#isSuspended = true;
    this.#epoch++;
    this.#leasedUntil = -Infinity;
    this.#observingSince = Infinity;
    serveUntil(0);
    context.log.warn({}, 'the connection is lost: this node serves nothing until it is back');
  }

  /** suspended -> none: it must know what it missed before it may serve again. */
  async #resume(connection: number): Promise<void> {
    const { context, view } = this.#options;
    const isStale = (): boolean => connection !== this.#connectionChanges || this.#state === 'left';
    this.#connectedSince = context.clock.monotonic();
    for (;;) {
      try {
        await view.refresh();
        break;
      } catch (error) {
        context.log.debug({ err: error }, 'the register cannot be read yet');
      }
      if (isStale()) return;
      await pause(context.clock, retryMs);
      if (isStale()) return;
    }
    if (isStale()) return;
    this.#isSuspended = false;
    context.log.info({}, 'connected again');
    if (this.isMember) this.#schedule(0);
  }

  /** joining | settled -> outside; draining -> left */
  #evict(): void {
    const { context, serveUntil, onEvicted } = this.#options;
    const oldState = this.#state;
    this.#end(oldState === 'draining' ? 'left' : 'outside');
    serveUntil(0);
    context.log.warn({ state: oldState }, 'this node is no longer a member: it drops its shards');
    onEvicted();
  }

  #end(state: 'outside' | 'left'): void {
    this.#state = state;
    this.#incarnation = '';
    this.#epoch++;
    this.#leasedUntil = -Infinity;
    this.#isExpired = false;
    this.#observingSince = Infinity;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#stopAnswering();
    this.#stopAnswering = () => undefined;
  }
}
