/**
 * The commands of a stitch. Payloads and replies are JSON. Commands from a request name the tenant: the stitch of another tenant answers as
 * if it did not exist. Commands from the stitch's own tasks and timers do not.
 *
 * The names of commands and of their fields go from node to node, also between two releases during an upgrade, and are stored with
 * reminders: they do not change.
 */
import type { EventName } from '../../protocol/events.ts';
import type { Actor, EnvironmentKind, Stitch, WebhookDelivery } from '../../protocol/resources/index.ts';
import type { StartedAttempt } from '../../storage/deliveries/index.ts';
import type { Audited, Conditional, Keyed, Metadata, Tenancy } from '../base/index.ts';
import type { LoadedPage, LoadRequest } from './queue-load.ts';
import type { Delivery, Released } from './queue.ts';
import type { ReplayJob } from './state.ts';
import type { Answer } from './window.ts';

export interface CreateStitch extends Tenancy, Audited, Keyed {
  readonly environmentKind: EnvironmentKind;
  readonly name: string;
  readonly webhookUrl: string;
  readonly eventNames: readonly string[];
  readonly metadata: Metadata;
  /** The sealed secret. */
  readonly jwe: string;
  /** The most stitches of the environment. */
  readonly limit: number;
  /** The most stitches of the environment at one public host. */
  readonly hostLimit?: number;
}

export interface UpdateStitch extends Tenancy, Audited, Conditional {
  readonly author: Actor;
  /** An absent field stays. */
  readonly changes: {
    readonly name?: string;
    readonly webhookUrl?: string;
    readonly status?: 'active' | 'disabled';
    /** Brings an archived stitch back. */
    readonly archived?: false;
    readonly eventNames?: readonly string[];
    /** Merged into what is there. */
    readonly metadata?: Metadata;
  };
  /** The most stitches of the project, for one that is restored: it counts again. */
  readonly limit?: number;
  /** The most stitches of the environment at one public host, for one that gets another address or is restored. */
  readonly hostLimit?: number;
}

export type ArchiveStitch = Tenancy & Audited & Conditional;

export interface RotateSecret extends Tenancy, Audited, Keyed {
  readonly author: Actor;
  readonly jwe: string;
  readonly gracePeriodSeconds: number;
}

/** A stitch with its newest secret, sealed. */
export type SealedStitch = Stitch & { readonly jwe: string };

export interface TestStitch extends Tenancy, Audited, Keyed {
  readonly author: Actor;
  /** What the receiver's owner wants to try; absent: `stitch.test.ping`. */
  readonly sample?: Sample;
}

/** An invented event. */
export interface Sample {
  readonly eventName: EventName;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event that has been committed. */
export interface PastEvent {
  readonly eventId: string;
  readonly eventSeq: number;
  readonly eventName: string;
  readonly eventAt: string;
  readonly threadId: string | null;
}

export interface ReplayEvent extends Tenancy, Audited, Keyed {
  readonly event: PastEvent;
  /** Of which the new delivery is a repetition, and the stitch whose it is: for the audit log. */
  readonly deliveryId?: string;
  readonly sourceStitchId?: string;
}

export type ReplaySpan = Tenancy &
  Audited &
  Keyed &
  Pick<ReplayJob, 'sourceStitchId' | 'since' | 'until' | 'eventNames' | 'statuses' | 'onlyFailed'>;

/** A replay that has begun. */
export interface StartedReplay {
  readonly replayId: string;
}

/** A page of a replay's source. */
export interface ReplayPage {
  readonly jobId: string;
  /** Where the page began. A page that was read twice counts once. */
  readonly after: ReplayJob['after'];
  readonly events: readonly PastEvent[];
  /** Where the next page begins; null when this was the last. */
  readonly next: ReplayJob['after'];
}

/** The result of one attempt. */
export interface AttemptResult {
  readonly delivery: Delivery;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  readonly status: number | null;
  /** The part of the answer that is kept; storable. */
  readonly body: string | null;
  /**
   * Null: there was an answer. No request was made for `no_body` (the event is no longer kept) and for `unreadable_secret` (none of the
   * stitch's secrets can be opened).
   */
  readonly failure:
    | 'timeout'
    | 'dns'
    | 'connect'
    | 'tls'
    | 'blocked_address'
    | 'no_body'
    | 'unreadable_secret'
    | null;
  readonly error: string | null;
  /** The header Retry-After. */
  readonly retryAfter?: string;
  /** Uniform in [0, 1): spreads the next attempt. */
  readonly jitter: number;
  /** The host that this answer, to a test event, has proven: see tasks/host-proof.ts. */
  readonly provenHost?: string;
  /** The number of the stitch's last stop when it was begun. Absent where a node of an earlier version reports. */
  readonly stops?: number;
}

/** The payload of the task `send`. */
export interface SendBatch {
  readonly url: string;
  readonly httpsOnly: boolean;
  readonly projectId: string;
  /** Sealed, the newest first. */
  readonly secrets: readonly { readonly jwe: string; readonly until?: number }[];
  readonly deliveries: readonly Delivery[];
  /** The number of the stitch's last stop. */
  readonly stops: number;
  /** The host that has proven that it wants the stitch's webhooks. */
  readonly provenHost: string | null;
}

/** The payload of the task `load`. */
export interface LoadOrder {
  readonly projectId: string;
  readonly environmentId: string;
  readonly request: LoadRequest;
}

/** The payload of the task `cancel`. */
export interface CancelRequest {
  /** The stop, as `cancelUntil` says it. */
  readonly until: string;
  /** Except these, whose results are still to come. */
  readonly except: readonly StartedAttempt[];
  /** The number of that stop. */
  readonly stops: number;
}

// A type and not an interface: only a type has the index signature that `Commands` requires.
export type StitchCommands = {
  readonly create: { readonly payload: CreateStitch; readonly reply: Stitch };
  readonly update: { readonly payload: UpdateStitch; readonly reply: Stitch };
  readonly archive: { readonly payload: ArchiveStitch; readonly reply: null };
  readonly rotateSecret: { readonly payload: RotateSecret; readonly reply: Stitch };
  readonly test: { readonly payload: TestStitch; readonly reply: WebhookDelivery };
  readonly replay: { readonly payload: ReplayEvent; readonly reply: WebhookDelivery };
  readonly replaySpan: { readonly payload: ReplaySpan; readonly reply: StartedReplay };
  /** The ids of the deliveries in flight. */
  readonly underWay: { readonly payload: Tenancy; readonly reply: readonly string[] };
  /**
   * New events were committed, up to that with number `newest`; or pending rows, of the event with number `from`. Costs little, however often
   * it is told.
   */
  readonly wake: {
    readonly payload: { readonly from?: number; readonly newest?: number };
    readonly reply: null;
  };
  /** Finds what a crash or a lost wake-up has left behind: after activation, and now and then where the stitch is behind the log. */
  readonly sweep: { readonly payload: unknown; readonly reply: null };
  readonly resume: { readonly payload: unknown; readonly reply: null };
  readonly loaded: {
    readonly payload: {
      readonly request: LoadRequest;
      readonly page: LoadedPage;
      readonly nextDueAt: number | null;
    };
    readonly reply: null;
  };
  /** Deliveries that were answered, and results that are committed. */
  readonly progress: {
    readonly payload: {
      readonly answered: readonly string[];
      /** What the answers say about the receiver. Absent where a node of an earlier version reports. */
      readonly answers?: readonly Answer[];
      readonly released: readonly Released[];
    };
    readonly reply: null;
  };
  /**
   * Writes results. The reply says what they mean for their threads.
   *
   * `repetition`: the command was sent before. `possible`: it is refused with a conflict of the scope `attempt` if one of the results is
   * written already. `certain`: the results are written, only the reply was lost.
   */
  readonly settled: {
    readonly payload: {
      readonly results: readonly AttemptResult[];
      readonly repetition?: 'possible' | 'certain';
    };
    readonly reply: readonly Released[];
  };
  /** The project is archived: a load (by when it was asked for) found nothing out. Or these deliveries were not sent, for that or for a stop. */
  readonly postpone: {
    readonly payload: { readonly askedAt?: number; readonly deliveryIds?: readonly string[] };
    readonly reply: null;
  };
  readonly ownerTold: { readonly payload: { readonly eventId: string }; readonly reply: null };
  /** `partly`: but for those that were left out because they were in flight. */
  readonly cancelled: {
    readonly payload: { readonly until: string; readonly partly?: true };
    readonly reply: null;
  };
  readonly replayPage: { readonly payload: ReplayPage; readonly reply: null };
  /** Sets the reminder `due`, unless it is set for earlier. */
  readonly remindDue: { readonly payload: { readonly at: number }; readonly reply: null };
  /** Reminders: retries or holds are due; a probe is due; a secret's grace period has ended. */
  readonly due: { readonly payload: unknown; readonly reply: null };
  readonly probe: { readonly payload: unknown; readonly reply: null };
  readonly endGrace: { readonly payload: unknown; readonly reply: null };
};
