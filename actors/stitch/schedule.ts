/** When a failed delivery is tried again, and when a stitch stops: docs/contract-decisions.md ("Stitches"). */
import type { EnvironmentKind } from '../../protocol/resources/index.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The wait before each attempt, in milliseconds. There are as many attempts as waits. */
export const schedules: Readonly<Record<EnvironmentKind, readonly number[]>> = {
  production: [
    0,
    5 * second,
    30 * second,
    2 * minute,
    10 * minute,
    30 * minute,
    2 * hour,
    5 * hour,
    10 * hour,
    14 * hour,
    20 * hour,
    24 * hour,
  ],
  sandbox: [0, 5 * second, 30 * second, 5 * minute],
};

/** Each wait is longer or shorter by up to this share. */
export const jitterShare = 0.2;

/** What a receiver asks for is honoured up to so many times the scheduled wait. */
const longestAskedFor = 2;

/** A failing head holds back the later events of its thread for at most this long from its first attempt. */
export const holdMs = 5 * minute;

/** The wait between two probes of an open circuit. */
export const probeEveryMs = minute;

/** The circuit opens after this many failures in a row over at least this time. */
export const failuresToOpen = 10;
export const failingToOpenMs = 5 * minute;

/**
 * After as many failures in a row, and before the circuit opens, a receiver that does not answer, or says that it cannot (window.ts), gets
 * one delivery at a time, and the next as long after its failure as the failures have lasted, between these two. So an outage costs next to
 * nothing however many stitches it strikes: the attempts of 1,000 stitches whose receivers refused had left a node 3 % of its messages
 * (`npm run bench -- stitches-down`).
 */
export const failuresToBackOff = 10;
const shortestPauseMs = second;
const longestPauseMs = 10 * second;

/**
 * The wait after a failure before another delivery is tried, in milliseconds.
 *
 * @param failingMs for how long nothing has succeeded
 * @param jitter uniform in [0, 1)
 */
export function pauseAfter(failingMs: number, jitter: number): number {
  const pause = Math.min(longestPauseMs, Math.max(shortestPauseMs, failingMs));
  return Math.round(pause * (1 + jitterShare * (2 * jitter - 1)));
}

/** A stitch is disabled when it has failed for this long, with this many exhausted deliveries. */
export const failingToDisableMs = 120 * hour;
export const exhaustedToDisable = 2;

/**
 * The wait after the attempt with that number (1 is the first), in milliseconds. Undefined: it was the last.
 *
 * @param jitter uniform in [0, 1)
 * @param retryAfterMs what the receiver asked for: honoured up to twice the scheduled wait, and never below it
 */
export function waitAfter(
  attempt: number,
  kind: EnvironmentKind,
  jitter: number,
  retryAfterMs?: number,
): number | undefined {
  const step = schedules[kind][attempt];
  if (step === undefined) return undefined;
  const wait = step * (1 + jitterShare * (2 * jitter - 1));
  return Math.round(
    retryAfterMs === undefined ? wait : Math.max(wait, Math.min(retryAfterMs, longestAskedFor * step)),
  );
}

/**
 * The longest wait for a retry that a head can have while it holds its thread, in milliseconds: of the attempts that end within `holdMs`
 * of the first where every wait is short.
 */
export const longestWaitOfHead = Math.max(
  ...Object.values(schedules).map(([, ...waits]) => {
    let at = 0;
    let longest = 0;
    for (const wait of waits) {
      if (at > holdMs) break;
      longest = Math.max(longest, wait * Math.max(1 + jitterShare, longestAskedFor));
      at += wait * (1 - jitterShare);
    }
    return longest;
  }),
);

/** Retry-After (RFC 9110, section 10.2.3) in milliseconds from `now`. Undefined: it is missing or cannot be used. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * second;
  // In all three formats a date begins with the name of a day.
  if (!/^[A-Z][a-z]{2,8},? /.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
