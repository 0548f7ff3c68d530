/** What is shown of an open thread at one moment. */
import type { SkeinEvent, Thread } from '../../sdk/index.ts';
import { noActivity, type AgentActivity } from '../agent/activity.ts';
import { takeChange } from '../live/thread-changes.ts';
import type { Entry, TurnEvent } from './history.ts';

export interface ThreadState {
  readonly phase: 'new' | 'reading' | 'ready' | 'failed';
  /** Why it could not be read. */
  readonly error: unknown;
  readonly thread: Thread | undefined;
  readonly entries: readonly Entry[];
  readonly reachesStart: boolean;
  /** Whether the newest messages are among what is shown. */
  readonly reachesEnd: boolean;
  readonly isReadingEarlier: boolean;
  readonly isReadingLater: boolean;
  /** Number of the last event of the thread that came here. */
  readonly lastSequence: number;
  readonly activity: AgentActivity;
  /** Whether the agents' runs of before were read: what comes from then on is new. */
  readonly knowsRuns: boolean;
  /** Who was the last to take or close it. */
  readonly lastTurn: TurnEvent | undefined;
}

/** Before anything was read. */
export const newThread: ThreadState = {
  phase: 'new',
  error: undefined,
  thread: undefined,
  entries: [],
  reachesStart: false,
  reachesEnd: true,
  isReadingEarlier: false,
  isReadingLater: false,
  lastSequence: 0,
  activity: noActivity,
  knowsRuns: false,
  lastTurn: undefined,
};

/** The later state of a thread. What only reads have stays. */
export function mergeThread(known: Thread | undefined, given: Thread): Thread {
  if (known === undefined) return given;
  if ((known.sequence ?? 0) > (given.sequence ?? 0)) return known;
  const readSequence = Math.max(known.readSequence ?? 0, given.readSequence ?? 0);
  return { ...given, readSequence };
}

/** The thread after one of its events. */
export function takeThreadEvent(known: Thread | undefined, event: SkeinEvent): Thread | undefined {
  const { data } = event;
  if (!('thread' in data)) return known && takeChange(known, event);
  const isNews = (data.thread.sequence ?? 0) > (known?.sequence ?? 0);
  return isNews ? mergeThread(known, data.thread) : known;
}
