/**
 * How many requests of a stitch may be in flight: more while its receiver answers quickly, fewer when it fails or is slow. Additive
 * increase, multiplicative decrease (D. Chiu and R. Jain, "Analysis of the increase and decrease algorithms for congestion avoidance in
 * computer networks", 1989): by one for each window of good answers, and by half at most once for each round trip, because what else
 * was in flight then tells nothing new.
 */
const first = 20;
const least = 4;
export const maxInFlight = 256;

/** Milliseconds. An answer under this is quick, and lets the window grow. */
export const quickMs = 1_000;
/** An answer over this is as bad as none. */
const slowMs = 5_000;

/** What the answer to a request says about its receiver. */
export interface Answer {
  /** When the request was sent, in epoch milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  /** `refused`: it was not asked, or does not want this event (4xx), which says nothing of how much it can take. */
  readonly outcome: 'good' | 'refused' | 'failed';
}

export interface Window {
  /** Grows by fractions. */
  readonly size: number;
  /** When it was halved last, in epoch milliseconds. */
  readonly halvedAt: number;
}

export const firstWindow: Window = { size: first, halvedAt: 0 };

/** Failures of attempts that have not asked the receiver. */
const unasked: ReadonlySet<string | null> = new Set(['no_body', 'unreadable_secret', 'blocked_address']);

/** Judges the result of an attempt; a null status: there was no answer. RFC 9110, section 15; RFC 6585 for 429. */
export function toOutcome(status: number | null, failure: string | null): Answer['outcome'] {
  if (unasked.has(failure)) return 'refused';
  if (status === null || status >= 500 || status === 408 || status === 429) return 'failed';
  return status >= 200 && status < 300 ? 'good' : 'refused';
}

/**
 * The window after these answers.
 *
 * @param inFlight how many requests were in flight before them: a window that was not used says nothing when it goes well
 * @param now epoch milliseconds
 */
export function adapt(window: Window, answers: readonly Answer[], inFlight: number, now: number): Window {
  let { size, halvedAt } = window;
  const isUsed = inFlight >= Math.floor(size);
  for (const { at, durationMs, outcome } of answers) {
    if (outcome === 'failed' || durationMs >= slowMs) {
      if (at <= halvedAt) continue;
      size = Math.max(least, size / 2);
      halvedAt = now;
    } else if (isUsed && outcome === 'good' && durationMs < quickMs) {
      size = Math.min(maxInFlight, size + 1 / size);
    }
  }
  return { size, halvedAt };
}
