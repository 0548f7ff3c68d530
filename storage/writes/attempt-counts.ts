/** Counts of a stitch's attempts by hour and by how long they took: rows of `stitch_hours`. */
import { statement, type Write } from '../statements/index.ts';

/** Four classes for each doubling: a duration is known to a tenth. */
const classesPerDoubling = 4;
const hourMs = 3_600_000;

/** The class of a duration; those of 0 and 1 ms are one. */
export function toDurationClass(durationMs: number): number {
  return Math.floor(Math.log2(Math.max(1, durationMs)) * classesPerDoubling);
}

/** The shortest duration of the class, in milliseconds. */
export function fromDurationClass(durationClass: number): number {
  return 2 ** (durationClass / classesPerDoubling);
}

/** Epoch milliseconds. */
export function toHour(ms: number): number {
  return ms - (ms % hourMs);
}

// Only the node that has the stitch writes its rows, and always in this order.
const count = statement(
  'attempts.count',
  64,
  {
    stitch_id: 'text',
    hour: 'timestamptz',
    duration_class: 'int',
    succeeded: 'int',
    failed: 'int',
    longest_wait_ms: 'bigint',
  },
  input => `
    insert into stitch_hours as h (stitch_id, hour, duration_class, succeeded, failed, longest_wait_ms)
    select stitch_id, hour, duration_class, sum(succeeded), sum(failed), max(longest_wait_ms) from ${input}
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (stitch_id, hour, duration_class) do update set succeeded = h.succeeded + excluded.succeeded,
      failed = h.failed + excluded.failed, longest_wait_ms = greatest(h.longest_wait_ms, excluded.longest_wait_ms)`,
);

/** An attempt, as it is counted. */
export interface CountedAttempt {
  /** When it began, in epoch milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  readonly hasSucceeded: boolean;
  /** How long the delivery had waited by then. */
  readonly waitMs: number;
}

interface Counted {
  readonly hour: number;
  readonly durationClass: number;
  succeeded: number;
  failed: number;
  longestWaitMs: number;
}

/** One row for attempts of the same hour and class, of which a batch has few. */
export function countAttempts(stitchId: string, attempts: readonly CountedAttempt[]): Write[] {
  const rows = new Map<number, Counted>();
  for (const { at, durationMs, hasSucceeded, waitMs } of attempts) {
    const hour = toHour(at);
    const durationClass = toDurationClass(durationMs);
    const key = hour + durationClass;
    let row = rows.get(key);
    if (row === undefined) {
      rows.set(key, (row = { hour, durationClass, succeeded: 0, failed: 0, longestWaitMs: 0 }));
    }
    if (hasSucceeded) row.succeeded++;
    else row.failed++;
    row.longestWaitMs = Math.max(row.longestWaitMs, waitMs);
  }
  return [...rows.values()].map(({ hour, durationClass, succeeded, failed, longestWaitMs }) => ({
    statement: count,
    values: [stitchId, new Date(hour).toISOString(), durationClass, succeeded, failed, longestWaitMs],
  }));
}
