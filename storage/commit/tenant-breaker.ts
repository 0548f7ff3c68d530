/**
 * Keeps a tenant whose commits run into the time limit of a statement from holding up its neighbours: a circuit breaker for each
 * tenant, shared by the commit lanes. A tenant is
 *
 *   closed -> suspect    a commit of it, alone in its transaction, ran into the limit: its commits go apart from all others
 *   suspect -> open      three did: its commits are refused at once, for 5 s, and twice as long with each further one, up to 20 s
 *   open -> suspect      that time is over: the next commit that runs into the limit opens it again
 *   suspect -> closed    nobody's commit ran into the limit for a minute
 */
import type { Commit } from '../../runtime/actor/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Write } from '../statements/index.ts';

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
  /** In monotonic milliseconds. From then on every tenant is closed: nobody has to ask. */
  cautiousUntil = 0;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** A transaction was interrupted, and nobody knows yet by whom. */
  beCautious(): void {
    const now = this.#clock.monotonic();
    if (now >= this.cautiousUntil) this.#suspects.clear();
    this.cautiousUntil = Math.max(this.cautiousUntil, now + cautiousMs);
  }

  /** The commit was alone in its transaction when that was interrupted. */
  recordTimeout(commit: Commit<Write>): void {
    this.beCautious();
    const tenant = findTenant(commit);
    const suspect = this.#suspects.get(tenant) ?? { timeouts: 0, openUntil: 0 };
    this.#suspects.set(tenant, suspect);
    suspect.timeouts++;
    if (suspect.timeouts < maxTimeouts) return;
    const openMs = Math.min(maxOpenMs, firstOpenMs * 2 ** Math.min(suspect.timeouts - maxTimeouts, 30));
    suspect.openUntil = this.#clock.monotonic() + openMs;
    this.cautiousUntil = Math.max(this.cautiousUntil, suspect.openUntil + cautiousMs);
  }

  /** The state of the commit's tenant. */
  getState(commit: Commit<Write>): BreakerState {
    const suspect = this.#suspects.get(findTenant(commit));
    if (suspect === undefined) return 'closed';
    return this.#clock.monotonic() < suspect.openUntil ? 'open' : 'suspect';
  }
}

/** The project of the commit's first event; without events, the commit can slow down its actor's row alone. */
function findTenant({ actor, writes }: Commit<Write>): string {
  for (const { event } of writes) if (event !== undefined) return event.projectId;
  return `${actor.kind}/${actor.id}`;
}
