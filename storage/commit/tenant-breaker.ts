/**
 * Keeps a tenant whose commits run into the time limit of a statement from holding up its neighbours: a circuit breaker for each
 * tenant, shared by the commit lanes. A tenant is
 *
 *   closed -> suspect    a commit of it, alone in its transaction, ran into the limit: its commits go apart from all others
 *   suspect -> open      three did: its commits are refused at once, for 5 s, and twice as long with each further one, up to 20 s
 *   open -> suspect      that time is over: the next commit that runs into the limit opens it again
 *   suspect -> closed    no commit of any tenant ran into the limit for a minute
 *
 * The time that a commit waits for locks does not count: the lock is held by another transaction.
 */
import type { Clock } from '../../runtime/time/index.ts';

/** Commits of a tenant that run into the limit before it is open. */
const maxTimeouts = 3;
const firstOpenMs = 5_000;
/** A second of a lane is what it costs the neighbours to try again; after an outage of the whole database it is what the tenant still waits. */
const maxOpenMs = 20_000;
/** Milliseconds after the last timeout, or after the end of a refusal, in which the lanes stay cautious. */
const cautiousMs = 60_000;

export type BreakerState = 'closed' | 'suspect' | 'open';

interface Suspect {
  timeouts: number;
  openUntil: number;
}

export class TenantBreaker {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #suspects = new Map<string, Suspect>();
  /** In monotonic milliseconds. From then on every tenant is closed, so the lanes need not ask. */
  cautiousUntil = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** A transaction ran into the limit, and it is not known yet which tenant is the cause. */
  beCautious(): void {
    const now = this.#clock.monotonic();
    if (now >= this.cautiousUntil) this.#suspects.clear();
    this.cautiousUntil = Math.max(this.cautiousUntil, now + cautiousMs);
  }

  /** A commit of the tenant was alone in its transaction when that ran into the limit. */
  recordTimeout(tenant: string): void {
    this.beCautious();
    const suspect = this.#suspects.get(tenant) ?? { timeouts: 0, openUntil: 0 };
    this.#suspects.set(tenant, suspect);
    suspect.timeouts++;
    if (suspect.timeouts < maxTimeouts) return;
    const openMs = Math.min(maxOpenMs, firstOpenMs * 2 ** Math.min(suspect.timeouts - maxTimeouts, 30));
    suspect.openUntil = this.#clock.monotonic() + openMs;
    this.cautiousUntil = Math.max(this.cautiousUntil, suspect.openUntil + cautiousMs);
  }

  getState(tenant: string): BreakerState {
    const suspect = this.#suspects.get(tenant);
    if (suspect === undefined) return 'closed';
    return this.#clock.monotonic() < suspect.openUntil ? 'open' : 'suspect';
  }
}
