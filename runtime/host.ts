/** What an activation needs of its node. */
import type { ActorRef, Effect } from './actor.ts';
import type { Clock } from './clock.ts';
import type { Limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';
import type { DueReminder, Store } from './store.ts';

/** An actor in memory that must stay there while work is done for it. */
export interface Pinned {
  readonly ref: ActorRef;
  /** Effects that are not finished. */
  pins: number;
}

export interface Host {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: Limits;
  readonly metrics: Metrics;
  /** Commands that wait or are in flight on this node; each is counted off when it is answered. */
  admitted: number;
  /** Sweeps so far: the clock by which idle time is measured. */
  tick: number;
  /** Throws for a kind that the node does not know. */
  shardOf(actor: ActorRef): number;
  /** Starts effects whose commit has landed; never in the caller's stack. */
  start(actor: Pinned, effects: readonly Effect[]): void;
  /** Takes notice of reminders whose commit has landed. */
  remind(reminders: readonly DueReminder[]): void;
  /** The actor has left memory by itself. */
  retire(actor: ActorRef): void;
}
