/**
 * A stitch: a signed outbound webhook subscription.
 *
 *   (nothing) -> active          created; a receiver that fails gets one delivery at a time, until one succeeds
 *   active    -> error           10 failures in a row over at least 5 minutes: the circuit is open
 *   error     -> active          a probe succeeded, or the user said so (PATCH)
 *   active, error -> disabled    the user (PATCH), HTTP 410, or 120 h of failures with two exhausted deliveries
 *   disabled  -> active          the user (PATCH)
 *   any       -> archived        the user (DELETE): for good
 *
 * The state has two parts. The row holds the stitch itself, its place in the log, its health and its timers. The queue is never written:
 * it is rebuilt from the log beyond that place, and from the rows of `webhook_deliveries`, whenever the actor is loaded.
 */
import type { EnvironmentKind, Stitch, StitchStatus } from '../../protocol/resources/index.ts';
import type { ReplaySource } from '../../storage/deliveries/index.ts';
import { exists, type Metadata } from '../base/index.ts';
import { emptyQueue, forgetWaiting, type DeliveryQueue } from './queue.ts';

/** A signing secret as it is stored. */
export interface SealedSecret {
  /** A JWE with the context `stitches/<stitchId>/secret`. */
  readonly jwe: string;
  /** When a former secret stops signing, in epoch milliseconds; absent for the newest. */
  readonly until?: number;
}

/** What the circuit breaker remembers. */
export interface Health {
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** When the first of them happened, in epoch milliseconds. */
  readonly failingSince: number | null;
  /** Deliveries that have used up their attempts since the last success. */
  readonly exhausted: number;
  /** While one delivery is tried at a time: when the next may be, in epoch milliseconds. */
  readonly probeAt: number | null;
}

/** A replay of a span of time, done page by page. */
export interface ReplayJob extends ReplaySource {
  readonly id: string;
  /** Only what has failed and was not made good since; `statuses` says nothing then. */
  readonly onlyFailed?: true;
  /** ISO 8601. Absent, and so is the number, where a node of an earlier version began it. */
  readonly startedAt?: string;
  /** Deliveries that it has made so far. */
  readonly replayed?: number;
}

/** A mail to the owner of a stitch that has stopped delivering by itself. */
export interface OwnerNotification {
  /** The id of the event that says the same: a repeated notification is mailed once. */
  readonly eventId: string;
  readonly stitch: Stitch;
  readonly previousStatus: StitchStatus;
}

export interface StitchState {
  /** Empty while the stitch does not exist. */
  readonly projectId: string;
  readonly environmentId: string;
  readonly environmentKind: EnvironmentKind;
  readonly name: string;
  readonly webhookUrl: string | null;
  readonly status: StitchStatus;
  readonly eventNames: readonly string[];
  readonly metadata: Metadata;
  /** ISO 8601, all three. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt: string | null;
  /** The newest first. */
  readonly secrets: readonly SealedSecret[];
  readonly health: Health;
  /** The instant of the reminder `due`, in epoch milliseconds: the next retry, or the end of the next hold. */
  readonly dueAt: number | null;
  /**
   * The stitch was stopped: what was open then has to be cancelled, requests that are out have to be answered, and nothing is sent meanwhile.
   * The instant (ISO 8601) is that of the stop, or of the last row before it that the stitch had made, whichever is later; what it makes from
   * then on is later than that (`getRowTime`).
   */
  readonly cancelUntil: string | null;
  /** The latest instant of a delivery that it has made itself, in epoch milliseconds. */
  readonly madeAt: number;
  /**
   * The number of its last stop, 0 before the first. What was begun under another number is not tried again, whatever became of it since. It
   * is the instant of the stop (epoch milliseconds) where that is higher than the number before: an owner of an earlier version, which does
   * not know of numbers, leaves 0, and a count would come to a number again that requests which are out were begun under.
   */
  readonly stops: number;
  readonly replays: readonly ReplayJob[];
  /** Notifications that the owner has not got yet. */
  readonly ownerNotifications: readonly OwnerNotification[];
  /** Every event up to this number is settled or has a row. The next ones may, too: it is written now and then. */
  readonly settledSeq: number;
  /** The host that has proven that it wants the stitch's webhooks. Null: none. */
  readonly provenHost: string | null;
  /** How many events, deliveries and jobs the stitch itself has made; numbers their ids. */
  readonly made: number;
  /** Not in the row. */
  readonly queue: DeliveryQueue;
}

export const healthy: Health = { failures: 0, failingSince: null, exhausted: 0, probeAt: null };

/** A stitch that does not exist. */
export function blankStitch(): StitchState {
  return {
    projectId: '',
    environmentId: '',
    environmentKind: 'sandbox',
    name: '',
    webhookUrl: null,
    status: 'active',
    eventNames: [],
    metadata: {},
    createdAt: '',
    updatedAt: '',
    archivedAt: null,
    secrets: [],
    health: healthy,
    dueAt: null,
    cancelUntil: null,
    madeAt: 0,
    stops: 0,
    replays: [],
    ownerNotifications: [],
    settledSeq: 0,
    provenHost: null,
    made: 0,
    queue: emptyQueue,
  };
}

/** Whether one delivery is tried at a time, to see whether the receiver works again. */
export function isProbing({ status, health }: StitchState): boolean {
  return status === 'error' || health.probeAt !== null;
}

/** Whether the stitch gets deliveries. The database says the same of its row where the row is written (`skein_wanted`). */
export function isLive(state: StitchState): boolean {
  return exists(state) && state.archivedAt === null && state.status !== 'disabled';
}

/**
 * The instant of a delivery that the stitch makes itself (a test, a replay), in epoch milliseconds: after the stop whose rows are being
 * cancelled, though the stitch was stopped on a node whose clock is ahead.
 */
export function getRowTime({ cancelUntil }: StitchState, now: number): number {
  return cancelUntil === null ? now : Math.max(now, Date.parse(cancelUntil) + 1);
}

/**
 * The stitch as it is once it was stopped: what waits will be cancelled, and replays end. The instant of the stop is not before that of any
 * delivery that the stitch has made, though its node's clock was ahead.
 */
export function stop(state: StitchState, now: number): StitchState {
  return {
    ...state,
    cancelUntil: new Date(Math.max(now, state.madeAt)).toISOString(),
    stops: Math.max(state.stops + 1, now),
    replays: [],
    queue: forgetWaiting(state.queue),
  };
}
