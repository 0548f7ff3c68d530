/**
 * The leases of shards: carries out, for each shard, what shard-step.ts says, a few at a time.
 *
 * It acts when something changes: a record, the members, this node's lease, or the end of its own last step. A step that fails
 * rests until the register has been read anew, so writes in vain are few.
 */
import type { Shards } from '../placement.ts';
import type { FailureDetector } from './failure-detector.ts';
import type { ClusterHost } from './host.ts';
import type { Membership } from './membership.ts';
import { doneWithin } from '../pause.ts';
import { encode, shardKey, type Cause, type ShardEntry } from './records.ts';
import { Assignment } from './rendezvous.ts';
import { nextStep, type Doing, type Standing, type Step } from './shard-step.ts';
import type { ClusterView, Member } from './view.ts';

/** So that the drain of a node with thousands of shards ends in its time. */
const shardsPerMove = 256;

const nothingToFinish = { released: Promise.resolve() };

export interface LeasesOptions {
  readonly host: ClusterHost;
  readonly view: ClusterView;
  readonly membership: Membership;
  readonly detector: Pick<FailureDetector, 'fate'>;
  readonly shards: Shards;
}

export class Leases {
  readonly #options: LeasesOptions;
  readonly #movesAtOnce: number;
  #assignment = new Assignment([]);
  /** Absent: idle. */
  readonly #doing = new Map<number, Exclude<Doing, 'idle'>>();
  /** The revision at which a hand-over was sent that was not answered. */
  readonly #doubts = new Map<number, number>();
  /** Shards whose last step failed. */
  readonly #resting = new Set<number>();
  /** Shards to be taken, and to be handed over, for which there is no place yet. */
  readonly #waitingTakes = new Set<number>();
  readonly #waitingMoves = new Set<number>();
  /** Steps under way in which a shard is served that is not held: it is being taken, or waits for a lull. */
  readonly #serving = new Set<Promise<unknown>>();
  /** Claims and takes under way. */
  #taking = 0;
  /** Hand-overs under way. */
  #moving = 0;
  #closed = false;
  #whenCalm: (() => void)[] = [];

  constructor(options: LeasesOptions) {
    this.#options = options;
    const { host, shards } = options;
    this.#movesAtOnce = Math.max(host.timing.movesAtOnce, Math.ceil(shards.count / shardsPerMove));
  }

  /** A step failed: the register should be read anew. */
  get hasFailed(): boolean {
    return this.#resting.size > 0;
  }

  doing(shard: number): Doing {
    return this.#doing.get(shard) ?? 'idle';
  }

  standing(shard: number): Standing {
    const { view, membership } = this.#options;
    if (view.isVacant(shard)) return 'vacant';
    const owner = view.ownerOf(shard);
    return owner !== undefined && owner === membership.self ? 'mine' : 'others';
  }

  /** Who should own the shard, given who does. */
  desired(shard: number): string | undefined {
    return this.#assignment.owner(shard, this.#options.view.ownerOf(shard)?.id);
  }

  /** To be called when members came, went, or changed their states, and when the lease has become valid. */
  allChanged(): void {
    const { view, shards } = this.#options;
    this.#assignment = new Assignment(view.members.values());
    this.#resting.clear();
    for (let shard = 0; shard < shards.count; shard++) this.#act(shard);
    this.#checkCalm();
  }

  /** To be called when a shard's record has changed. */
  changed(shard: number): void {
    if (shard >= this.#options.shards.count) return;
    this.#resting.delete(shard);
    this.#act(shard);
    this.#checkCalm();
  }

  /** Resolves when there is nothing to do for now: no step under way, waiting, or resting. */
  calm(): Promise<void> {
    return new Promise(resolve => {
      this.#whenCalm.push(resolve);
      this.#checkCalm();
    });
  }

  /**
   * Stops to serve every shard; resolves when none is served. What was admitted is being finished then, which `finished` waits
   * for. Never rejects.
   */
  async dropAll(): Promise<{ readonly finished: Promise<void> }> {
    const held = [...this.#doing].filter(([, doing]) => doing === 'held').map(([shard]) => shard);
    const finished = this.#leave(held);
    // What is just being taken is left when it has been: its lease is over.
    await Promise.all(this.#serving);
    return { finished };
  }

  /** The same, and for good. */
  close(): Promise<{ readonly finished: Promise<void> }> {
    this.#closed = true;
    return this.dropAll();
  }

  #act(shard: number): void {
    this.#waitingTakes.delete(shard);
    this.#waitingMoves.delete(shard);
    if (this.#resting.has(shard)) return;
    const { timing } = this.#options.host;
    const step = this.#next(shard);
    switch (step.do) {
      case 'nothing':
        return;
      case 'leave':
        void this.#leave([shard]);
        return;
      case 'claim':
      case 'take':
        if (this.#taking >= timing.takesAtOnce) this.#waitingTakes.add(shard);
        else if (step.do === 'claim') void this.#claim(shard);
        else void this.#note(this.#take(shard));
        return;
      case 'hand over':
        if (this.#moving >= this.#movesAtOnce) this.#waitingMoves.add(shard);
        else void this.#handOver(shard);
    }
  }

  #next(shard: number): Step {
    const { host, membership } = this.#options;
    const doubtful = this.#doubts.get(shard);
    return nextStep({
      standing: this.standing(shard),
      doing: this.doing(shard),
      inDoubt: doubtful !== undefined && doubtful === this.#revision(shard),
      leased: membership.leased && !this.#closed,
      draining: membership.self?.state === 'draining',
      self: host.id,
      desired: this.desired(shard),
    });
  }

  #begin(shard: number, doing: Exclude<Doing, 'idle'>): void {
    this.#doing.set(shard, doing);
  }

  /** The end of a step; the next begins. */
  #end(shard: number, doing: 'idle' | 'held'): void {
    if (doing === 'idle') this.#doing.delete(shard);
    else this.#doing.set(shard, doing);
    if (this.#closed && doing === 'held') void this.#leave([shard]);
    else this.#act(shard);
    const { takesAtOnce } = this.#options.host.timing;
    while (this.#taking < takesAtOnce && this.#actOnFirst(this.#waitingTakes));
    while (this.#moving < this.#movesAtOnce && this.#actOnFirst(this.#waitingMoves));
    this.#checkCalm();
  }

  #actOnFirst(waiting: ReadonlySet<number>): boolean {
    const [first] = waiting;
    if (first === undefined) return false;
    this.#act(first);
    return true;
  }

  #checkCalm(): void {
    if (this.#whenCalm.length === 0) return;
    if (this.#waitingTakes.size + this.#waitingMoves.size + this.#resting.size > 0) return;
    for (const doing of this.#doing.values()) if (doing !== 'held') return;
    for (const resolve of this.#whenCalm.splice(0)) resolve();
  }

  /** Never rejects. */
  async #claim(shard: number): Promise<void> {
    const { host, view, detector } = this.#options;
    const old = view.shard(shard);
    const isMine = this.standing(shard) === 'mine';
    const cause: Cause = old === undefined ? 'first' : isMine ? 'kept' : 'takeover';
    const fate =
      cause === 'takeover' && old !== undefined ? detector.fate(old.owner, old.incarnation) : undefined;
    this.#begin(shard, 'claiming');
    this.#taking++;
    const outcome = await this.#write(shard, this.#options.membership.incarnation, host.id, {
      ...{ cause, fate, from: cause === 'takeover' ? old?.owner : undefined },
    });
    if (outcome === 'written' && cause === 'takeover') host.counters.takeovers++;
    // Evicted meanwhile; or something is wrong, which must not make it write again and again.
    if (outcome === 'written' && this.standing(shard) !== 'mine') this.#resting.add(shard);
    this.#taking--;
    this.#end(shard, 'idle');
  }

  /** Never rejects. */
  async #take(shard: number): Promise<void> {
    const { host, view, shards } = this.#options;
    this.#begin(shard, 'taking');
    this.#taking++;
    let isServed = false;
    try {
      await shards.take(shard);
      isServed = true;
      if (view.shard(shard)?.cause === 'handover') host.counters.handoversIn++;
    } catch (error) {
      host.log.warn({ err: error, shard }, 'a shard could not be taken');
      this.#resting.add(shard);
    }
    this.#taking--;
    this.#end(shard, isServed ? 'held' : 'idle');
  }

  /** Never rejects. */
  async #handOver(shard: number): Promise<void> {
    const { host, membership } = this.#options;
    const isHeld = this.doing(shard) === 'held';
    this.#begin(shard, 'handing over');
    this.#moving++;
    const { released } = isHeld ? await this.#note(this.#stop(shard)) : nothingToFinish;
    const isFinished = await doneWithin(host.clock, host.timing.releaseMs, released);
    const to = this.#target(shard);
    if (to !== undefined) {
      const revision = this.#revision(shard);
      const outcome = await this.#write(shard, to.incarnation, to.id, { cause: 'handover', from: host.id });
      if (outcome === 'written') host.counters.handoversOut++;
      if (outcome === 'unknown' && revision !== undefined) this.#doubts.set(shard, revision);
    }
    this.#moving--;
    if (!isFinished) {
      host.log.warn({ shard, to: to?.id, member: membership.inside }, 'a shard went before it was finished');
      this.#begin(shard, 'leaving');
      await released;
    }
    this.#end(shard, 'idle');
  }

  /** Serves the shard until the next lull. Then what was admitted, if it did not come to one in time, is being finished. Never rejects. */
  async #stop(shard: number): Promise<{ readonly released: Promise<void> }> {
    const { host, shards } = this.#options;
    await shards.lull(shard, host.timing.lullMs);
    return { released: this.#release([shard]) };
  }

  async #note<T>(step: Promise<T>): Promise<T> {
    this.#serving.add(step);
    const outcome = await step;
    this.#serving.delete(step);
    return outcome;
  }

  /** To whom the shard is to be handed over: the members may have changed while it was finished. */
  #target(shard: number): Member | undefined {
    const { host, view, membership } = this.#options;
    const desired = this.desired(shard);
    if (desired === undefined || desired === host.id) return undefined;
    return membership.leased && this.standing(shard) === 'mine' ? view.members.get(desired) : undefined;
  }

  /** Never rejects. */
  async #leave(leaving: readonly number[]): Promise<void> {
    if (leaving.length === 0) return;
    for (const shard of leaving) this.#begin(shard, 'leaving');
    await this.#release(leaving);
    for (const shard of leaving) this.#end(shard, 'idle');
  }

  /** Never rejects. */
  async #release(leaving: readonly number[]): Promise<void> {
    try {
      await this.#options.shards.release(leaving);
    } catch (error) {
      this.#options.host.log.warn({ err: error, shards: leaving }, 'shards were not given up in order');
    }
  }

  #revision(shard: number): number | undefined {
    return this.#options.view.shard(shard)?.revision;
  }

  /** Never rejects. */
  async #write(
    shard: number,
    incarnation: string,
    owner: string,
    why: Pick<ShardEntry, 'cause' | 'from' | 'fate'>,
  ): Promise<'written' | 'refused' | 'unknown'> {
    const { register, clock, log } = this.#options.host;
    const key = shardKey(shard);
    const value = encode({ owner, incarnation, ...why, since: clock.now() });
    const before = this.#revision(shard);
    let outcome: 'refused' | 'unknown' = 'refused';
    try {
      const revision =
        before === undefined ? await register.create(key, value) : await register.update(key, value, before);
      if (revision !== undefined) {
        this.#options.view.apply({ key, value, revision });
        return 'written';
      }
    } catch (error) {
      log.debug({ err: error, shard }, 'a lease was written, or was not: the register did not answer');
      outcome = 'unknown';
    }
    // Unless it has been heard of meanwhile, what stands there is to be read first.
    if (this.#revision(shard) === before) this.#resting.add(shard);
    return outcome;
  }
}
