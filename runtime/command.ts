/** One admitted command, from its arrival to its answer. It is in one queue of one actor at a time: see queue.ts. */
import type { Decision, Turn } from './actor.ts';
import type { Commit, DueReminder } from './store.ts';

/** A decision with its types erased. */
export type Decide = (state: unknown, payload: unknown, turn: Turn) => Decision<unknown>;

/**
 * Where a command is on its way.
 *
 *   waiting  its turn has not come
 *   open     decided; its commit is in flight
 *   held     decided, with nothing to commit; waits for the commits before it, on which its decision may rest
 *   landed   its commit is durable; answered when it is the first in flight
 *   failed   its commit was refused alone, and none that came after rests on it; answered when it is the first in flight
 *   broken   its commit was refused; what came after rests on it and is void
 */
export type Step = 'waiting' | 'open' | 'held' | 'landed' | 'failed' | 'broken';

/** For whom a command runs: what a log line about it names. */
export interface Origin {
  readonly requestId?: string | undefined;
  /** W3C Trace Context. */
  readonly traceparent?: string | undefined;
}

export class Command {
  readonly name: string;
  readonly decide: Decide;
  readonly payload: unknown;
  /** Monotonic milliseconds. */
  readonly deadline: number;
  readonly origin: Origin | undefined;
  /** The reminder that it delivers, deleted by the commit that handles it. */
  readonly reminder: DueReminder | undefined;
  /** Both absent in a tell. */
  readonly resolve: ((reply: unknown) => void) | undefined;
  readonly reject: ((error: Error) => void) | undefined;

  /** The next one in its queue. */
  next: Command | undefined = undefined;
  step: Step = 'waiting';
  /** Times that its own commit was fenced. */
  tries = 0;
  decision: Decision<unknown> | undefined = undefined;
  commit: Commit | undefined = undefined;
  /** A refusal, or what became of the commit. */
  error: unknown = undefined;
  /** When its commit was sent, in monotonic milliseconds. */
  sentAt = 0;

  constructor(
    name: string,
    decide: Decide,
    payload: unknown,
    deadline: number,
    origin?: Origin,
    reminder?: DueReminder,
    resolve?: (reply: unknown) => void,
    reject?: (error: Error) => void,
  ) {
    this.name = name;
    this.decide = decide;
    this.payload = payload;
    this.deadline = deadline;
    this.origin = origin;
    this.reminder = reminder;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Forgets its turn, so that it can be decided again. */
  rewind(): void {
    this.step = 'waiting';
    this.decision = undefined;
    this.commit = undefined;
    this.error = undefined;
  }
}
