/** What may never happen, and what of it did. */

/** Each invariant with its place: the rules of docs/develop/architecture.md, and what the runtime promises beyond. */
export const invariants = {
  'nothing acknowledged is lost': 'rule 1',
  'only what is committed leaves': 'rules 1 and 4',
  'one writer per version': 'rule 2',
  'nothing is served past the lease': 'leases',
  'one lease per shard': 'leases',
  'no lease without the database': 'leases',
  'nothing is applied twice': 'idempotency',
  'what was refused is not applied': 'rule 1',
  'order is kept': 'rule 5',
  'sequences are dense': 'rule 5',
  'every event is shown once, in order': 'Console streams',
  'every event is delivered': 'rule 4',
  'every wanted event is delivered': 'rule 4, stitches',
  'a thread is delivered in order': 'rule 5, stitches',
  'nothing is settled twice': 'rule 4, stitches',
  'an attempt counts once': 'rule 4, stitches',
  'nothing is delivered that nobody wants': 'stitches',
  'a stop leaves nothing open': 'stitches',
  'every delivery is listed': 'stitches',
  'a replay is whole, and comes once': 'stitches',
  'nothing erased is sent': 'erasure',
  'every reminder fires': 'reminders',
  'no actor is stuck': 'liveness',
  'bounds are kept': 'rule 6',
  'nothing leaks': 'rule 6',
  'a planned move fails no request': 'drain and join',
  'nothing fails that nobody broke': 'defects',
} as const;

export type Invariant = keyof typeof invariants;

export interface Violation {
  readonly invariant: Invariant;
  readonly detail: string;
  /** Virtual milliseconds. */
  readonly at: number;
}

/** More say nothing new. */
const enough = 20;

export class Verdict {
  readonly violations: Violation[] = [];
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  broken(invariant: Invariant, detail: string): void {
    if (this.violations.length < enough) this.violations.push({ invariant, detail, at: this.#now() });
  }

  /** Every detail is a violation of the invariant. */
  all(invariant: Invariant, details: readonly string[]): void {
    for (const detail of details) this.broken(invariant, detail);
  }
}
