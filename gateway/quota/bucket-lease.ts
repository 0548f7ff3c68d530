/**
 * What this node holds of one bucket of the cluster. Requests are charged to it synchronously while it holds tokens; when it has
 * none, the bucket's owner (actors/quota) is asked for more, by one ask at a time.
 *
 *   empty       never asked
 *   asking      the owner is being asked: requests wait
 *   granted     the owner has granted tokens: they are spent for `spendMs`
 *   exhausted   the bucket is empty: everybody is refused, without an ask, until its next token flows in. A flood costs the owner
 *               one ask per token.
 *   local       the owner did not answer: requests are charged to a bucket of this node's own ({@link RatePolicy.localRate})
 *
 *   empty -> asking
 *   asking -> granted, exhausted, local
 *   granted, exhausted, local -> asking     the tokens are spent or their time is over, and a request comes
 *   exhausted -> granted                    a token was refunded
 */
import {
  fullLevel,
  getQuotaRef,
  type Grant,
  msUntil,
  type Rate,
  refill,
  spendMs,
  type Take,
  toWholeTokens,
} from '../../actors/quota/index.ts';
import type { Clock, Random } from '../../runtime/time/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Quota } from '../pipeline/index.ts';

/** How many requests wait for one ask. Beyond that, and beyond what the bucket can hold, they are refused. */
const maxWaiting = 10_000;
/** How long a request waits for the owner, in milliseconds, before the node uses a bucket of its own. */
const askTimeoutMs = 250;
/** How long the owner is left alone after it did not answer, in milliseconds. */
const localMs = 1_000;

/** How the leases of one node reach the owners of their buckets. */
export class BucketClient {
  /** This node, in the accounts of the owners. */
  readonly holder: string;
  readonly #node: Pick<Node, 'ask'>;
  readonly #clock: Clock;

  constructor(node: Pick<Node, 'ask'>, clock: Clock, random: Random) {
    this.holder = Buffer.from(random.bytes(9)).toString('base64url');
    this.#node = node;
    this.#clock = clock;
  }

  /** Whole milliseconds of `Clock.monotonic`. */
  now(): number {
    return Math.floor(this.#clock.monotonic());
  }

  /** Asks the owner of a bucket; rejects when there is no answer in time. */
  ask(bucket: string, take: Take): Promise<Grant> {
    return this.#node.ask<Grant>(getQuotaRef(bucket, take), 'take', take, { deadlineMs: askTimeoutMs });
  }
}

/** What holds for all buckets of one name and rate. */
export interface RatePolicy {
  readonly name: string;
  readonly rate: Rate;
  /**
   * The rate of the bucket that this node keeps by itself while it cannot reach the owner. For ordinary requests it is the whole rate:
   * they go on, and the cluster may allow a multiple of the rate, one for each node, for the seconds until the bucket has an owner
   * again. For guesses at passwords it is a quarter.
   */
  readonly localRate: Rate;
  readonly counts: QuotaCounts;
  /** How the names of the buckets begin. The rate is in it: another rate is another bucket. */
  readonly prefix: string;
}

/** What is counted of the buckets of one name. */
export interface QuotaCounts {
  charged: number;
  refused: number;
  asks: number;
  /** Asks without an answer: requests were charged to the node's own bucket instead. */
  unanswered: number;
}

type Waiter = (quota: Quota) => void;

type LeaseState = 'empty' | 'asking' | 'granted' | 'exhausted' | 'local';

const moves: Readonly<Record<LeaseState, readonly LeaseState[]>> = {
  empty: ['asking'],
  asking: ['granted', 'exhausted', 'local'],
  granted: ['asking'],
  exhausted: ['asking', 'granted'],
  local: ['asking'],
};

export class BucketLease {
  readonly #bucket: string;
  readonly #policy: RatePolicy;
  readonly #client: BucketClient;
  readonly #waiting: Waiter[] = [];
  #state: LeaseState = 'empty';
  /** When the state lapses, where it does so by itself. */
  #until = Infinity;
  /** Tokens of the last grant that are left, and until when they may be spent. */
  #tokens = 0;
  #spendUntil = 0;
  /** What the owner had left, and when it said so; undefined: never asked. */
  #level: number | undefined;
  #levelAt = 0;
  /** The node's own bucket. */
  #localLevel: number;
  #localAt = 0;

  constructor(bucket: string, policy: RatePolicy, client: BucketClient) {
    this.#bucket = bucket;
    this.#policy = policy;
    this.#client = client;
    this.#localLevel = fullLevel(policy.localRate);
  }

  /** Charges one request. */
  take(): Quota | Promise<Quota> {
    const now = this.#client.now();
    if (now < this.#until) {
      if (this.#state === 'granted' && this.#tokens > 0) return this.#spend(now);
      if (this.#state === 'exhausted') return this.#refuse(now, this.#until - now);
      if (this.#state === 'local') return this.#spendLocal(now);
    }
    const { rate } = this.#policy;
    if (this.#waiting.length >= Math.min(maxWaiting, rate.limit)) {
      return this.#refuse(now, rate.windowMs / rate.limit);
    }
    const quota = new Promise<Quota>(resolve => this.#waiting.push(resolve));
    if (this.#state !== 'asking') void this.#ask();
    return quota;
  }

  /**
   * Takes a charge back: another bucket has refused the request, or it turned out not to be due. Where the token may not be spent any
   * more, the next ask returns it to the owner as unspent.
   */
  refund(): void {
    const isSpendable = this.#client.now() < this.#spendUntil;
    if (isSpendable || this.#state === 'granted') this.#tokens++;
    if (isSpendable && this.#state === 'exhausted') this.#move('granted', this.#spendUntil);
    this.#policy.counts.charged--;
  }

  /** The one place that sets the state. @param until when it lapses by itself */
  #move(to: LeaseState, until: number): void {
    if (!moves[this.#state].includes(to)) {
      throw new Error(`the lease of ${this.#policy.prefix} cannot go from ${this.#state} to ${to}`);
    }
    this.#state = to;
    this.#until = until;
  }

  /** Asks until nobody waits. Never rejects. */
  async #ask(): Promise<void> {
    const { counts } = this.#policy;
    this.#move('asking', Infinity);
    while (this.#waiting.length > 0) {
      const askedAt = this.#client.now();
      const wanted = this.#waiting.length;
      const take = this.#createTake(wanted, askedAt);
      counts.asks++;
      const grant = await this.#client.ask(this.#bucket, take).catch(() => undefined);
      if (grant === undefined) {
        counts.unanswered++;
        this.#goLocal();
      } else this.#receive(grant, wanted, askedAt);
    }
  }

  #createTake(tokens: number, now: number): Take {
    const { rate } = this.#policy;
    const take = { ...rate, holder: this.#client.holder, tokens, unspent: this.#tokens };
    this.#tokens = 0;
    // After a whole window the bucket would be full again. An owner that knows nothing assumes that anyway.
    if (this.#level === undefined || now - this.#levelAt >= rate.windowMs) return take;
    return { ...take, level: this.#levelNow(now) };
  }

  #receive({ tokens, level }: Grant, wanted: number, askedAt: number): void {
    const now = this.#client.now();
    this.#tokens = tokens;
    // Counted from the ask: from then on the owner takes the tokens for held.
    this.#spendUntil = askedAt + spendMs;
    this.#level = level;
    this.#levelAt = now;
    // This process stood still: the grant has lapsed meanwhile. Ask again.
    if (now >= this.#spendUntil) return;
    for (const resolve of this.#waiting.splice(0, Math.min(tokens, this.#waiting.length))) {
      resolve(this.#spend(now));
    }
    if (tokens < wanted) {
      const { rate } = this.#policy;
      const waitMs = Math.max(1, msUntil(rate, level, rate.windowMs));
      this.#move('exhausted', now + waitMs);
      for (const resolve of this.#waiting.splice(0)) resolve(this.#refuse(now, waitMs));
    } else if (this.#waiting.length === 0) {
      this.#move('granted', this.#spendUntil);
    }
  }

  #goLocal(): void {
    const now = this.#client.now();
    this.#move('local', now + localMs);
    for (const resolve of this.#waiting.splice(0)) resolve(this.#spendLocal(now));
  }

  #spend(now: number): Quota {
    const { rate, counts } = this.#policy;
    counts.charged++;
    this.#tokens--;
    const level = this.#tokens * rate.windowMs + this.#levelNow(now);
    return {
      allowed: true,
      limit: rate.limit,
      remaining: toWholeTokens(rate, Math.min(level, fullLevel(rate))),
      resetSeconds: msUntil(rate, level, fullLevel(rate)) / 1_000,
    };
  }

  #spendLocal(now: number): Quota {
    const { localRate: rate, counts } = this.#policy;
    const level = refill(rate, this.#localLevel, now - this.#localAt);
    const allowed = toWholeTokens(rate, level) > 0;
    this.#localLevel = allowed ? level - rate.windowMs : level;
    this.#localAt = now;
    if (allowed) counts.charged++;
    else counts.refused++;
    const waitMs = allowed ? 0 : msUntil(rate, level, rate.windowMs);
    return {
      allowed,
      limit: rate.limit,
      remaining: toWholeTokens(rate, this.#localLevel),
      resetSeconds: msUntil(rate, this.#localLevel, fullLevel(rate)) / 1_000,
      ...(allowed ? undefined : this.#describeRefusal(rate, waitMs)),
    };
  }

  #refuse(now: number, waitMs: number): Quota {
    const { rate, counts } = this.#policy;
    counts.refused++;
    return {
      allowed: false,
      limit: rate.limit,
      remaining: 0,
      resetSeconds: msUntil(rate, this.#levelNow(now), fullLevel(rate)) / 1_000,
      ...this.#describeRefusal(rate, waitMs),
    };
  }

  #describeRefusal({ windowMs }: Rate, waitMs: number) {
    return {
      retryAfterSeconds: waitMs / 1_000,
      bucket: this.#policy.name,
      windowSeconds: windowMs / 1_000,
    };
  }

  /** What the owner has left by now, if nobody else has taken any. */
  #levelNow(now: number): number {
    return this.#level === undefined ? 0 : refill(this.#policy.rate, this.#level, now - this.#levelAt);
  }
}
