/**
 * This node as a member of the cluster.
 *
 *   outside -> joining              `join`: its entry is created
 *   joining -> settled              it has been up for `joinMs`
 *   joining | settled -> draining   `startDraining`
 *   joining | settled -> outside    evicted: its entry was removed, by others or by mischance. It is this incarnation's end: the
 *                                   shards are dropped, and the node joins anew
 *   draining -> left                `leave`; or evicted
 *   outside -> left                 `leave`
 *
 * The lease, while it is a member: how long it may serve what it owns.
 *
 *   none -> valid        a renewal succeeded, or the entry was created: valid until `leaseMs - marginMs` after that was SENT. Others
 *                        count `leaseMs` from when they SEE it, so it ends here before it can end there
 *   valid -> lapsed      no renewal succeeded in time
 *   lapsed -> valid      a later one did: nobody had removed the entry, so nobody has taken anything
 *   any -> suspended     the connection is lost: others may find this node gone at any moment
 *   suspended -> none    connected again, and everything was read anew
 */
import type { Timer } from '../clock.ts';
import { Fresh } from './fresh.ts';
import { memberName, type ClusterHost } from './host.ts';
import { checkBirth, outlive } from './joining.ts';
import { pause } from '../pause.ts';
import { encode, memberKey, type MemberEntry, type MemberState } from './records.ts';
import type { ClusterView, Member } from './view.ts';

const retryMs = 100;
const joinTries = 10;
const leaveTries = 3;

export interface MembershipOptions {
  readonly host: ClusterHost;
  readonly view: ClusterView;
  readonly shards: number;
  readonly serveUntil: (monotonicMs: number) => void;
  /** The lease is valid that was not. */
  readonly leased: () => void;
  /** The node is a member no more. It draws no lease until it joins anew. */
  readonly evicted: () => void;
}

interface Candidate {
  readonly incarnation: string;
  /** Ends its answers to pings. */
  readonly unanswer: () => void;
}

type State = 'outside' | MemberState | 'left';

export class Membership {
  readonly #options: MembershipOptions;
  #state: State = 'outside';
  /** Empty while outside. */
  #incarnation = '';
  /** Under which the node tries to join: kept until it has, to know its own entry when the outcome was unknown. */
  #candidate: Candidate | undefined;
  #unanswer: () => void = () => undefined;
  #joinedAt = 0;
  #since = 0;
  #beat = 0;
  #until = -Infinity;
  #lapsed = false;
  #suspended = false;
  /** Counts losses of the connection and of the membership: what was begun before one grants no lease. */
  #epoch = 0;
  /** Counts changes of the connection. */
  #connection = 0;
  #observingSince = Infinity;
  #connectedSince = -Infinity;
  #timer: Timer | undefined;
  readonly #renewal = new Fresh(() => this.#renew());

  constructor(options: MembershipOptions) {
    this.#options = options;
    this.#suspended = !options.host.peers.connected;
  }

  get state(): State {
    return this.#state;
  }

  get incarnation(): string {
    return this.#incarnation;
  }

  /** It has an entry, as far as it knows. */
  get inside(): boolean {
    return this.#incarnation !== '';
  }

  /** Its own entry. */
  get self(): Member | undefined {
    return this.inside ? this.#options.view.member(this.#options.host.id, this.#incarnation) : undefined;
  }

  /** Whether the lease is valid. */
  get leased(): boolean {
    return this.#options.host.clock.monotonic() < this.#until;
  }

  /** The end of the lease, by the monotonic clock. */
  get leasedUntil(): number {
    return this.#until;
  }

  /** Since when this node has been able to see the others' renewals without a gap; Infinity while it is not. Monotonic. */
  get observingSince(): number {
    return this.#observingSince;
  }

  /** Since when it has been connected without a gap. Monotonic. */
  get connectedSince(): number {
    return this.#connectedSince;
  }

  /** Becomes a member. Rejects with `ClusterRefusal`, and with `RegisterUnavailable`, after which it may be called again. */
  async join(): Promise<void> {
    const { host, view, shards } = this.#options;
    for (let tries = 0; tries < joinTries && this.#state === 'outside'; tries++) {
      await view.refresh();
      await checkBirth(host, view, shards);
      const candidate = (this.#candidate ??= await this.#newCandidate());
      const standing = view.members.get(host.id);
      if (standing?.incarnation === candidate.incarnation) return this.#enter(candidate, -Infinity);
      if (standing !== undefined) await outlive(host, view, standing);
      const sentAt = host.clock.monotonic();
      const epoch = this.#epoch;
      const entry = this.#entry(candidate.incarnation, 'joining', host.clock.now());
      const key = memberKey(host.id);
      const value = encode(entry);
      const revision = await host.register.create(key, value);
      if (revision === undefined) continue;
      view.apply({ key, value, revision });
      return this.#enter(candidate, epoch === this.#epoch ? sentAt : -Infinity);
    }
    if (this.#state === 'outside') throw new Error(`no way into the cluster in ${joinTries} tries`);
  }

  /** To be called at each change of the view, before anything else acts on it. */
  viewChanged(): void {
    if (this.inside && this.self === undefined) this.#evict();
  }

  connectionChanged(connected: boolean): void {
    this.#connection++;
    if (connected) void this.#resume(this.#connection);
    else this.#suspend();
  }

  /** Notices what time has brought. */
  tick(): void {
    const { counters, log } = this.#options.host;
    if (this.#until === -Infinity || this.#lapsed || this.leased) return;
    this.#lapsed = true;
    counters.leaseExpiries++;
    log.warn({}, 'the lease of this node has run out: it serves nothing until it is renewed');
  }

  /** Resolves when others know that they are given its shards, or the node is evicted. Tries as long as it takes. */
  async startDraining(): Promise<void> {
    const { clock } = this.#options.host;
    if (this.#state === 'outside') this.#state = 'left';
    if (!this.inside) return;
    this.#state = 'draining';
    while (this.inside && this.self?.state !== 'draining') {
      const outcome = this.#suspended ? 'unknown' : await this.#renewal.run();
      if (outcome === 'unknown') await pause(clock, retryMs);
    }
  }

  /** Gives up the membership, whatever the register says to it: an entry that stays behind expires. Never rejects. */
  async leave(): Promise<void> {
    const { host, view, serveUntil } = this.#options;
    const { incarnation } = this;
    this.#end('left');
    serveUntil(0);
    this.#candidate?.unanswer();
    try {
      for (let tries = 0; tries < leaveTries; tries++) {
        const own = view.member(host.id, incarnation);
        if (own === undefined) return;
        if (await host.register.remove(memberKey(host.id), own.revision)) {
          view.removed(host.id, own.revision);
          return;
        }
        await view.refresh();
      }
    } catch (error) {
      host.log.info({ err: error }, 'this node is a member until it expires: its entry could not be removed');
    }
  }

  async #newCandidate(): Promise<Candidate> {
    const { id, random, peers } = this.#options.host;
    const incarnation = Buffer.from(random.bytes(6)).toString('hex');
    // Before the entry is there, or others would find it gone.
    return { incarnation, unanswer: await peers.answer(memberName(id, incarnation)) };
  }

  /** outside -> joining */
  #enter(candidate: Candidate, sentAt: number): void {
    const { host, view } = this.#options;
    this.#candidate = undefined;
    this.#incarnation = candidate.incarnation;
    this.#unanswer = candidate.unanswer;
    // Drained meanwhile.
    if (this.#state === 'left') return void this.leave();
    this.#state = 'joining';
    this.#joinedAt = host.clock.monotonic();
    this.#beat = this.self?.beat ?? 0;
    this.#since = this.self?.since ?? host.clock.now();
    const { incarnation } = candidate;
    host.log.info({ id: host.id, incarnation, members: view.members.size }, 'joined the cluster');
    this.#extend(sentAt);
    this.#schedule(sentAt === -Infinity ? 0 : host.timing.heartbeatMs);
  }

  #entry(incarnation: string, state: MemberState, since: number): MemberEntry {
    const { release, wire } = this.#options.host;
    return { incarnation, beat: this.#beat, release, wire, state, since };
  }

  #schedule(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.host.clock.after(Math.max(0, ms), () => void this.#heartbeat());
  }

  async #heartbeat(): Promise<void> {
    const { clock, timing } = this.#options.host;
    const startedAt = clock.monotonic();
    const outcome = this.#suspended ? 'suspended' : await this.#renewal.run();
    if (!this.inside) return;
    const took = clock.monotonic() - startedAt;
    this.#schedule(outcome === 'unknown' ? retryMs : timing.heartbeatMs - took);
  }

  /** Never rejects. */
  async #renew(): Promise<'renewed' | 'unknown'> {
    const { host, view } = this.#options;
    const { clock, register, counters, log, timing } = host;
    const { self } = this;
    if (self === undefined || this.#state === 'outside' || this.#state === 'left') return 'unknown';
    const sentAt = clock.monotonic();
    const epoch = this.#epoch;
    if (this.#state === 'joining' && sentAt - this.#joinedAt >= timing.joinMs) this.#state = 'settled';
    this.#beat++;
    const key = memberKey(host.id);
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
      // An earlier renewal of unknown outcome has landed after all, or the node was evicted: the register knows.
      await view.refresh();
    } catch (error) {
      log.debug({ err: error }, 'the lease could not be renewed');
    }
    counters.renewalsFailed++;
    this.#observingSince = Infinity;
    return 'unknown';
  }

  #extend(sentAt: number): void {
    const { host, serveUntil, leased } = this.#options;
    if (this.#suspended || !this.inside) return;
    this.tick();
    const wasLeased = this.leased;
    this.#until = sentAt + host.timing.leaseMs - host.timing.marginMs;
    this.#lapsed = false;
    serveUntil(Math.max(0, this.#until));
    if (!wasLeased && this.leased) leased();
  }

  /** any -> suspended */
  #suspend(): void {
    const { host, serveUntil } = this.#options;
    this.#suspended = true;
    this.#epoch++;
    this.#until = -Infinity;
    this.#observingSince = Infinity;
    serveUntil(0);
    host.log.warn({}, 'the connection is lost: this node serves nothing until it is back');
  }

  /** suspended -> none: it has to know what it missed before it may serve again. */
  async #resume(connection: number): Promise<void> {
    const { host, view } = this.#options;
    const isStale = (): boolean => connection !== this.#connection || this.#state === 'left';
    this.#connectedSince = host.clock.monotonic();
    for (;;) {
      try {
        await view.refresh();
        break;
      } catch (error) {
        host.log.debug({ err: error }, 'the register cannot be read yet');
      }
      if (isStale()) return;
      await pause(host.clock, retryMs);
      if (isStale()) return;
    }
    if (isStale()) return;
    this.#suspended = false;
    host.log.info({}, 'connected again');
    if (this.inside) this.#schedule(0);
  }

  /** any of a member -> outside; draining -> left */
  #evict(): void {
    const { host, serveUntil, evicted } = this.#options;
    const wasState = this.#state;
    this.#end(wasState === 'draining' ? 'left' : 'outside');
    serveUntil(0);
    host.log.warn({ state: wasState }, 'this node is a member no more: it drops its shards');
    evicted();
  }

  #end(state: 'outside' | 'left'): void {
    this.#state = state;
    this.#incarnation = '';
    this.#epoch++;
    this.#until = -Infinity;
    this.#lapsed = false;
    this.#observingSince = Infinity;
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#unanswer();
    this.#unanswer = () => undefined;
  }
}
