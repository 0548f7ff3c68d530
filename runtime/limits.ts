/** The runtime's bounds (rule 6: nothing is unbounded). Reaching one is an answer, never growth. */

export interface Limits {
  /** Commands of one actor that wait or are in flight. Default 1,000; beyond it 503. */
  readonly mailbox: number;
  /** Commands that wait or are in flight on the node, and as many again on their way to other nodes. Default 10,000; beyond it 503. */
  readonly admitted: number;
  /** Actors in memory; the least recently used go first. Busy ones stay, so `admitted` bounds what exceeds it. Default 200,000. */
  readonly residents: number;
  /** Times that a command may find its own commit fenced before it is answered 503. Default 5. */
  readonly fencedTries: number;
  /** How often idle actors are looked for, in milliseconds; the unit in which idle time is measured. Default 1,000. */
  readonly sweepMs: number;
  /** Tasks of one kind that wait for their turn; beyond it they are dead letters. Default 10,000. */
  readonly tasksQueued: number;
  /** Tries of a task before it is a dead letter. Default 5. */
  readonly taskTries: number;
  /** Reminders being delivered at once. Default 256. */
  readonly remindersAtOnce: number;
  /** Tries of a reminder that meets defects before it is a dead letter. Default 12. */
  readonly reminderTries: number;
  /** Longest time between two looks at the reminders, in milliseconds. Default 5,000. */
  readonly reminderPollMs: number;
  /** Longest time that a drain may take, in milliseconds. Default 15,000. */
  readonly drainMs: number;
}

export const defaultLimits: Limits = {
  mailbox: 1_000,
  admitted: 10_000,
  residents: 200_000,
  fencedTries: 5,
  sweepMs: 1_000,
  tasksQueued: 10_000,
  taskTries: 5,
  remindersAtOnce: 256,
  reminderTries: 12,
  reminderPollMs: 5_000,
  drainMs: 15_000,
};

/** The defaults with the given ones in their place. Throws a `RangeError` that names the offender. */
export function limitsOf(given: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...given };
  for (const [name, value] of Object.entries(limits) as [string, number][]) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new RangeError(`limits.${name} must be a positive integer, not ${value}`);
    }
  }
  return limits;
}
