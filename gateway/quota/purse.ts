/**
 * What this node holds of one bucket of the cluster. Requests are charged to it synchronously while it holds tokens; the
 * bucket's owner (actors/quota/) is asked for more when there are none, by one ask at a time.
 *
 *   empty -> asking       a request comes: it waits, and so do those that come after it
 *   asking -> stocked     the owner has granted: who waits is served, and what is left is spent for `spendMs`
 *   asking -> dry         the bucket is empty: who is left is refused, and so is everybody else, without an ask, until its next
 *                         token flows in. A flood costs the owner one ask per token.
 *   asking -> apart       the owner cannot be reached within `askMs`: see {@link Terms.apart}
 *   stocked, dry, apart -> empty     spent, or their time is over
 */
import { full, msUntil, refilled, tokensIn, type Rate } from '../../actors/quota/bucket.ts';
import type { Grant, Take } from '../../actors/quota/kind.ts';
import { spendMs } from '../../actors/quota/ledger.ts';
import type { Quota } from '../rest/quota.ts';

/** Requests that wait for one ask. Beyond it, and beyond what the bucket can hold, they are refused. */
const mostWaiting = 10_000;
/** For how long the owner is left alone after it could not be reached. */
const apartMs = 1_000;

/** What all purses of a node share. */
export interface Till {
  /** This node, in the owner's books. */
  readonly holder: string;
  /** Whole milliseconds of `Clock.monotonic`. */
  now(): number;
  /** Asks the owner of a bucket; rejects when there is no answer within a short time. */
  ask(bucket: string, take: Take): Promise<Grant>;
}

/** What holds for all buckets of one name and rate. */
export interface Terms {
  readonly rate: Rate;
  /**
   * The rate of the bucket that this node keeps by itself while it cannot reach the owner. The requests of a product go on: for
   * them it is the whole rate, so that the cluster may allow a multiple of it, one for each node, for the seconds that it takes
   * until the bucket has an owner again. Guesses at passwords may not: for them it is a quarter.
   */
  readonly apart: Rate;
  readonly counts: QuotaCounts;
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

export class Purse {
  readonly #bucket: string;
  readonly #terms: Terms;
  readonly #till: Till;
  readonly #waiting: Waiter[] = [];
  #asking = false;
  /** Tokens that may be spent until the instant. */
  #tokens = 0;
  #spendUntil = 0;
  /** What the owner had left, and when it said so; undefined: never asked. */
  #level: number | undefined;
  #levelAt = 0;
  #dryUntil = 0;
  #apartUntil = 0;
  /** The node's own bucket. */
  #ownLevel: number;
  #ownAt = 0;

  constructor(bucket: string, terms: Terms, till: Till) {
    this.#bucket = bucket;
    this.#terms = terms;
    this.#till = till;
    this.#ownLevel = full(terms.apart);
  }

  /** Charges one request. */
  take(): Quota | Promise<Quota> {
    const now = this.#till.now();
    if (now < this.#dryUntil) return this.#refused(now, this.#dryUntil - now);
    if (!this.#asking) {
      if (this.#tokens > 0 && now < this.#spendUntil) return this.#spend(now);
      if (now < this.#apartUntil) return this.#spendOwn(now);
    }
    if (this.#waiting.length >= Math.min(mostWaiting, this.#terms.rate.limit)) {
      return this.#refused(now, this.#terms.rate.windowMs / this.#terms.rate.limit);
    }
    const quota = new Promise<Quota>(resolve => this.#waiting.push(resolve));
    if (!this.#asking) void this.#stockUp();
    return quota;
  }

  /** Takes a token back: the request was refused by another bucket. */
  giveBack(): void {
    if (this.#till.now() < this.#spendUntil) {
      this.#tokens++;
      this.#dryUntil = 0;
    }
    this.#terms.counts.charged--;
  }

  /** Asks until nobody waits. Never rejects. */
  async #stockUp(): Promise<void> {
    const { counts } = this.#terms;
    this.#asking = true;
    while (this.#waiting.length > 0) {
      const askedAt = this.#till.now();
      const wanted = this.#waiting.length;
      const take = this.#want(wanted, askedAt);
      counts.asks++;
      try {
        this.#stock(await this.#till.ask(this.#bucket, take), wanted, askedAt);
      } catch {
        counts.unanswered++;
        this.#apart();
      }
    }
    this.#asking = false;
  }

  #want(tokens: number, now: number): Take {
    const { rate } = this.#terms;
    const take = { ...rate, holder: this.#till.holder, tokens, unspent: this.#tokens };
    this.#tokens = 0;
    // Past a window the bucket would be full again, which is what an owner that knows nothing takes it for.
    if (this.#level === undefined || now - this.#levelAt >= rate.windowMs) return take;
    return { ...take, level: this.#levelNow(now) };
  }

  #stock({ tokens, level }: Grant, wanted: number, askedAt: number): void {
    const now = this.#till.now();
    this.#tokens = tokens;
    // From when it was asked: by then the owner counts it as held in any case.
    this.#spendUntil = askedAt + spendMs;
    this.#level = level;
    this.#levelAt = now;
    // This process stood still: what it was granted has lapsed meanwhile.
    if (now >= this.#spendUntil) return;
    for (const resolve of this.#waiting.splice(0, Math.min(tokens, this.#waiting.length))) {
      resolve(this.#spend(now));
    }
    if (tokens >= wanted) return;
    const { rate } = this.#terms;
    const waitMs = Math.max(1, msUntil(rate, level, rate.windowMs));
    this.#dryUntil = now + waitMs;
    for (const resolve of this.#waiting.splice(0)) resolve(this.#refused(now, waitMs));
  }

  #apart(): void {
    const now = this.#till.now();
    this.#apartUntil = now + apartMs;
    for (const resolve of this.#waiting.splice(0)) resolve(this.#spendOwn(now));
  }

  #spend(now: number): Quota {
    const { rate, counts } = this.#terms;
    counts.charged++;
    this.#tokens--;
    const level = this.#tokens * rate.windowMs + this.#levelNow(now);
    return {
      allowed: true,
      limit: rate.limit,
      remaining: tokensIn(rate, Math.min(level, full(rate))),
      resetSeconds: msUntil(rate, level, full(rate)) / 1_000,
    };
  }

  #spendOwn(now: number): Quota {
    const { apart, counts } = this.#terms;
    const level = refilled(apart, this.#ownLevel, now - this.#ownAt);
    const allowed = tokensIn(apart, level) > 0;
    this.#ownLevel = allowed ? level - apart.windowMs : level;
    this.#ownAt = now;
    if (allowed) counts.charged++;
    else counts.refused++;
    const waitMs = allowed ? 0 : msUntil(apart, level, apart.windowMs);
    return {
      allowed,
      limit: apart.limit,
      remaining: tokensIn(apart, this.#ownLevel),
      resetSeconds: msUntil(apart, this.#ownLevel, full(apart)) / 1_000,
      ...(allowed ? undefined : { retryAfterSeconds: waitMs / 1_000 }),
    };
  }

  #refused(now: number, waitMs: number): Quota {
    const { rate, counts } = this.#terms;
    counts.refused++;
    return {
      allowed: false,
      limit: rate.limit,
      remaining: 0,
      resetSeconds: msUntil(rate, this.#levelNow(now), full(rate)) / 1_000,
      retryAfterSeconds: waitMs / 1_000,
    };
  }

  /** What the owner has left by now, if nobody else has taken any. */
  #levelNow(now: number): number {
    return this.#level === undefined ? 0 : refilled(this.#terms.rate, this.#level, now - this.#levelAt);
  }
}
