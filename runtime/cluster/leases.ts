/**
 * The leases of shards: carries out, for each shard, what lease-action.ts says, a few at a time.
 *
 * It acts when something changes: a record, the members, this node's lease, or the end of its own last step. A step that
 * fails waits until the register has been read again, so few writes fail.
 */
import type { NodeShards } from '../placement/index.ts';
import type { FailureDetector } from './failure-detector.ts';
import type { ClusterContext } from './cluster-context.ts';
import type { Membership } from './membership.ts';
import { completesWithin } from '../time/index.ts';
import { encode, shardKey, type OwnershipCause, type ShardEntry } from './records.ts';
import { Assignment } from './rendezvous.ts';
import { decideLeaseAction, type LeaseAction, type Ownership, type ShardActivity } from './lease-action.ts';
import type { ClusterView, Member } from './view.ts';

/** More shards move at the same time in a large cluster, so that a drain ends in its time. */
const shardsPerMove = 256;

const nothingToFinish = { released: Promise.resolve() };

export interface LeasesOptions {
  readonly context: ClusterContext;
  readonly view: ClusterView;
  readonly membership: Membership;
  readonly detector: Pick<FailureDetector, 'getRemovalReason'>;
  readonly shards: NodeShards;
}

export class Leases {
  readonly #options: LeasesOptions;
  readonly #movesAtOnce: number;
  #assignment = new Assignment([]);
  /** By shard; absent when idle. */
  readonly #activities = new Map<number, Exclude<ShardActivity, 'idle'>>();
  /** The revision at which a hand-over was sent that was not answered, by shard. */
  readonly #unanswered = new Map<number, number>();
  /** Shards whose last activity failed. */
  readonly #failed = new Set<number>();
  /** Shards to be taken, and to be handed over, when a slot is free. */
  readonly #waitingTakes = new Set<number>();
  readonly #waitingMoves = new Set<number>();
  /** Activities during which a shard is served that is not `held`: it is being taken, or waits to be idle. */
  readonly #serving = new Set<Promise<unknown>>();
  /** Claims and takes in progress. */
  #taking = 0;
  /** Hand-overs in progress. */
  #moving = 0;
  #closed = false;
  #whenIdle: (() => void)[] = [];

  constructor(options: LeasesOptions) {
    this.#options = options;
    const { context, shards } = options;
    this.#movesAtOnce = Math.max(context.timing.movesAtOnce, Math.ceil(shards.count / shardsPerMove));
  }

  /** Something failed: the register should be read again. */
  get hasFailed(): boolean {
    return this.#failed.size > 0;
  }

  getActivity(shard: number): ShardActivity {
    return this.#activities.get(shard) ?? 'idle';
  }

  getOwnership(shard: number): Ownership {
    const { view, membership } = this.#options;
    if (view.isVacant(shard)) return 'vacant';
    const owner = view.getOwner(shard);
    return owner !== undefined && owner === membership.self ? 'mine' : 'others';
  }

  /** The id of the node that should own the shard, given its present owner. */
  getDesiredOwner(shard: number): string | undefined {
    return this.#assignment.pickOwner(shard, this.#options.view.getOwner(shard)?.id);
  }

  /** Call it when members joined, left or changed their states, and when the lease has become valid. */
  onMembersChange(): void {
    const { view, shards } = this.#options;
    this.#assignment = new Assignment(view.members.values(), this.#assignment);
    this.#failed.clear();
    for (let shard = 0; shard < shards.count; shard++) this.#advance(shard);
    this.#notifyIdle();
  }

  /** Call it when a shard's record has changed. */
  onRecordChange(shard: number): void {
    if (shard >= this.#options.shards.count) return;
    this.#failed.delete(shard);
    this.#advance(shard);
    this.#notifyIdle();
  }

  /** Resolves when there is nothing to do for now: nothing in progress, waiting, or failed. */
  whenIdle(): Promise<void> {
    return new Promise(resolve => {
      this.#whenIdle.push(resolve);
      this.#notifyIdle();
    });
  }

  /**
   * Stops serving every shard, and resolves when none is served. `finished` resolves when the admitted commands are finished, too. Never
   * rejects.
   */
  async dropAll(): Promise<{ readonly finished: Promise<void> }> {
    const held = [...this.#activities].filter(([, activity]) => activity === 'held').map(([shard]) => shard);
    const finished = this.#stopServing(held);
    // A shard that is being taken is given up as soon as it is taken: the lease is over.
    await Promise.all(this.#serving);
    return { finished };
  }

  /** The same, for good. */
  close(): Promise<{ readonly finished: Promise<void> }> {
    this.#closed = true;
    return this.dropAll();
  }

  #advance(shard: number): void {
    this.#waitingTakes.delete(shard);
    this.#waitingMoves.delete(shard);
    if (this.#failed.has(shard)) return;
    const { timing } = this.#options.context;
    const action = this.#decide(shard);
    switch (action.do) {
      case 'nothing':
        return;
      case 'leave':
        void this.#stopServing([shard]);
        return;
      case 'claim':
      case 'take':
        if (this.#taking >= timing.takesAtOnce) this.#waitingTakes.add(shard);
        else if (action.do === 'claim') void this.#claim(shard);
        else void this.#trackServing(this.#take(shard));
        return;
      case 'hand over':
        if (this.#moving >= this.#movesAtOnce) this.#waitingMoves.add(shard);
        else void this.#handOver(shard);
    }
  }

  #decide(shard: number): LeaseAction {
    const { context, membership } = this.#options;
    const unansweredAt = this.#unanswered.get(shard);
    return decideLeaseAction({
      ownership: this.getOwnership(shard),
      activity: this.getActivity(shard),
      inDoubt: unansweredAt !== undefined && unansweredAt === this.#getRevision(shard),
      leased: membership.isLeased && !this.#closed,
      draining: membership.self?.state === 'draining',
      self: context.id,
      desired: this.getDesiredOwner(shard),
    });
  }

  #begin(shard: number, activity: Exclude<ShardActivity, 'idle'>): void {
    this.#activities.set(shard, activity);
  }

  /** The end of an activity; the next begins. */
  #end(shard: number, activity: 'idle' | 'held'): void {
    if (activity === 'idle') this.#activities.delete(shard);
    else this.#activities.set(shard, activity);
    if (this.#closed && activity === 'held') void this.#stopServing([shard]);
    else this.#advance(shard);
    const { takesAtOnce } = this.#options.context.timing;
    while (this.#taking < takesAtOnce && this.#advanceFirst(this.#waitingTakes));
    while (this.#moving < this.#movesAtOnce && this.#advanceFirst(this.#waitingMoves));
    this.#notifyIdle();
  }

  #advanceFirst(waiting: ReadonlySet<number>): boolean {
    const [first] = waiting;
    if (first === undefined) return false;
    this.#advance(first);
    return true;
  }

  #notifyIdle(): void {
    if (this.#whenIdle.length === 0) return;
    if (this.#waitingTakes.size + this.#waitingMoves.size + this.#failed.size > 0) return;
    for (const activity of this.#activities.values()) if (activity !== 'held') return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Never rejects. */
  async #claim(shard: number): Promise<void> {
    const { context, view, detector } = this.#options;
    const old = view.getRecord(shard);
    const isMine = this.getOwnership(shard) === 'mine';
    const cause: OwnershipCause = old === undefined ? 'first' : isMine ? 'kept' : 'takeover';
    const removal =
      cause === 'takeover' && old !== undefined
        ? detector.getRemovalReason(old.owner, old.incarnation)
        : undefined;
    this.#begin(shard, 'claiming');
    this.#taking++;
    const outcome = await this.#write(shard, this.#options.membership.incarnation, context.id, {
      cause,
      fate: removal,
      from: cause === 'takeover' ? old?.owner : undefined,
    });
    if (outcome === 'written' && cause === 'takeover') context.counters.takeovers++;
    // Evicted meanwhile; or something is wrong: do not retry the write in a loop.
    if (outcome === 'written' && this.getOwnership(shard) !== 'mine') this.#failed.add(shard);
    this.#taking--;
    this.#end(shard, 'idle');
  }

  /** Never rejects. */
  async #take(shard: number): Promise<void> {
    const { context, view, shards } = this.#options;
    this.#begin(shard, 'taking');
    this.#taking++;
    let isServed = false;
    try {
      await shards.take(shard);
      isServed = true;
      if (view.getRecord(shard)?.cause === 'handover') context.counters.handoversIn++;
    } catch (error) {
      context.log.warn({ err: error, shard }, 'a shard could not be taken');
      this.#failed.add(shard);
    }
    this.#taking--;
    this.#end(shard, isServed ? 'held' : 'idle');
  }

  /** Never rejects. */
  async #handOver(shard: number): Promise<void> {
    const { context, membership } = this.#options;
    const isHeld = this.getActivity(shard) === 'held';
    this.#begin(shard, 'handing over');
    this.#moving++;
    const { released } = isHeld ? await this.#trackServing(this.#stopWhenIdle(shard)) : nothingToFinish;
    const isFinished = await completesWithin(context.clock, context.timing.releaseMs, released);
    const to = this.#pickTarget(shard);
    if (to !== undefined) {
      const revision = this.#getRevision(shard);
      const outcome = await this.#write(shard, to.incarnation, to.id, {
        cause: 'handover',
        from: context.id,
      });
      if (outcome === 'written') context.counters.handoversOut++;
      if (outcome === 'unknown' && revision !== undefined) this.#unanswered.set(shard, revision);
    }
    this.#moving--;
    if (!isFinished) {
      context.log.warn(
        { shard, to: to?.id, member: membership.isMember },
        'a shard was handed over before its commands were finished',
      );
      this.#begin(shard, 'leaving');
      await released;
    }
    this.#end(shard, 'idle');
  }

  /** Serves the shard until it is idle, or the time for that is over. `released` resolves when admitted commands are finished. Never rejects. */
  async #stopWhenIdle(shard: number): Promise<{ readonly released: Promise<void> }> {
    const { context, shards } = this.#options;
    await shards.waitUntilIdle(shard, context.timing.handoverIdleMs);
    return { released: this.#release([shard]) };
  }

  async #trackServing<T>(step: Promise<T>): Promise<T> {
    this.#serving.add(step);
    const outcome = await step;
    this.#serving.delete(step);
    return outcome;
  }

  /** The member that should get the shard: the members may have changed while admitted commands were finished. */
  #pickTarget(shard: number): Member | undefined {
    const { context, view, membership } = this.#options;
    const desired = this.getDesiredOwner(shard);
    if (desired === undefined || desired === context.id) return undefined;
    return membership.isLeased && this.getOwnership(shard) === 'mine' ? view.members.get(desired) : undefined;
  }

  /** Never rejects. */
  async #stopServing(leaving: readonly number[]): Promise<void> {
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
      this.#options.context.log.warn(
        { err: error, shards: leaving },
        'shards could not be given up properly',
      );
    }
  }

  #getRevision(shard: number): number | undefined {
    return this.#options.view.getRecord(shard)?.revision;
  }

  /** Never rejects. */
  async #write(
    shard: number,
    incarnation: string,
    owner: string,
    why: Pick<ShardEntry, 'cause' | 'from' | 'fate'>,
  ): Promise<'written' | 'refused' | 'unknown'> {
    const { register, clock, log } = this.#options.context;
    const key = shardKey(shard);
    const value = encode({ owner, incarnation, ...why, since: clock.now() });
    const before = this.#getRevision(shard);
    let outcome: 'refused' | 'unknown' = 'refused';
    try {
      const revision =
        before === undefined ? await register.create(key, value) : await register.update(key, value, before);
      if (revision !== undefined) {
        this.#options.view.apply({ key, value, revision });
        return 'written';
      }
    } catch (error) {
      log.debug({ err: error, shard }, 'the register did not answer: a lease may have been written');
      outcome = 'unknown';
    }
    // Unless the change has arrived meanwhile, the record has to be read first.
    if (this.#getRevision(shard) === before) this.#failed.add(shard);
    return outcome;
  }
}
