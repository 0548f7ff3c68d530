/** What a node gives the actors on it: limits, a clock, the store, and the way to what follows a commit. */
import type { Log, Metrics, Tracer } from '../observability/index.ts';
import type { Clock } from '../time/index.ts';
import type { ActorRef, Effect } from './actor.ts';
import type { DueReminder, Store } from './store.ts';

/** The runtime's bounds. Reaching one is an answer, never growth. */
export interface Limits {
  /** Commands of one actor that wait or are in flight. Default 1,000; beyond it 503. */
  readonly mailbox: number;
  /** Commands that wait or are in flight on the node, and as many again on their way to others. Default 10,000; beyond it 503. */
  readonly admitted: number;
  /** Actors in memory; the least recently used leave first. Busy ones stay, so `admitted` bounds the excess. Default 200,000. */
  readonly activations: number;
  /** How often a command's own commit may be fenced before the answer is 503. Default 5. */
  readonly fencedTries: number;
  /** Milliseconds between two checks for idle actors; also the unit of idle time. Default 1,000. */
  readonly sweepMs: number;
  /** Queued tasks of one kind, and failed tasks that wait for a retry; any more become dead letters. Default 10,000. */
  readonly tasksQueued: number;
  /** How often actors may refuse a task before it becomes a dead letter. Default 5. */
  readonly taskRefusals: number;
  /** Reminders being delivered at once. Default 256. */
  readonly remindersAtOnce: number;
  /** Longest time between two scans for due reminders, in milliseconds. Default 5,000. */
  readonly reminderPollMs: number;
  /** Longest time for a drain, in milliseconds. Default 15,000. */
  readonly drainMs: number;
}

export const defaultLimits: Limits = {
  mailbox: 1_000,
  admitted: 10_000,
  activations: 200_000,
  fencedTries: 5,
  sweepMs: 1_000,
  tasksQueued: 10_000,
  taskRefusals: 5,
  remindersAtOnce: 256,
  reminderPollMs: 5_000,
  drainMs: 15_000,
};

/** The defaults, overridden by the given ones. Throws a `RangeError` that names a bad one. */
export function parseLimits(given: Partial<Limits> = {}): Limits {
  const limits = { ...defaultLimits, ...given };
  for (const [name, value] of Object.entries(limits) as [string, number][]) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new RangeError(`limits.${name} must be a positive integer, not ${value}`);
    }
  }
  return limits;
}

/** An actor in memory that stays there while its effects run. */
export interface Pinned {
  readonly ref: ActorRef;
  /** Unfinished effects. */
  pins: number;
}

export interface NodeContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  /** Commands that wait or are in flight on this node; answering one counts it off. */
  admitted: number;
  /** Sweeps so far: the clock of idle time. */
  sweeps: number;
  /** Throws for a kind that the node does not know. */
  getShard(actor: ActorRef): number;
  /** Starts the effects of a committed decision; never in the caller's stack. */
  startEffects(actor: Pinned, effects: readonly Effect[]): void;
  /** Schedules reminders that have been committed. */
  scheduleReminders(reminders: readonly DueReminder[]): void;
  /** The actor has left memory because it could not be loaded. */
  onLoadFailed(actor: ActorRef): void;
}
