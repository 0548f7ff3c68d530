/**
 * What a stitch is asked and told. Payloads and replies are JSON. What comes from a request says whose stitch it means: the
 * stitch of another tenant answers as if it did not exist. What comes from the stitch's own tasks and timers says nothing of it.
 */
import type { EnvironmentKind } from '../../protocol/resources/environment.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import type { WebhookDelivery } from '../../protocol/resources/delivery.ts';
import type { Stitch } from '../../protocol/resources/stitch.ts';
import type { Marked } from '../act.ts';
import type { Metadata, Tenancy } from '../tenancy.ts';
import type { LoadedPage, LoadRequest } from './load.ts';
import type { Delivery, Released } from './queue.ts';
import type { ReplayJob } from './state.ts';

export interface CreateStitch extends Tenancy, Marked {
  readonly environmentKind: EnvironmentKind;
  readonly name: string;
  readonly webhookUrl: string;
  readonly eventNames: readonly string[];
  readonly metadata: Metadata;
  /** The sealed secret. */
  readonly jwe: string;
}

export interface UpdateStitch extends Tenancy, Marked {
  readonly author: Actor;
  /** An absent field stays. */
  readonly changes: {
    readonly name?: string;
    readonly webhookUrl?: string;
    readonly status?: 'active' | 'disabled';
    readonly eventNames?: readonly string[];
    readonly metadata?: Metadata;
  };
}

export type ArchiveStitch = Tenancy & Marked;

export interface RotateSecret extends Tenancy, Marked {
  readonly author: Actor;
  readonly jwe: string;
  readonly gracePeriodSeconds: number;
}

export interface TestStitch extends Tenancy {
  readonly author: Actor;
  /** The name of the event that the receiver's owner wants to try; the event itself is always stitch.test.ping. */
  readonly eventName?: string;
}

/** An event that is in the table already. */
export interface PastEvent {
  readonly eventId: string;
  readonly eventSeq: number;
  readonly eventName: string;
  readonly eventAt: string;
  readonly threadId: string | null;
}

export interface ReplayEvent extends Tenancy {
  readonly event: PastEvent;
}

export type ReplaySpan = Tenancy &
  Pick<ReplayJob, 'sourceStitchId' | 'since' | 'until' | 'eventNames' | 'statuses'>;

/** A page of a replay's source. */
export interface ReplayPage {
  readonly jobId: string;
  /** Where the page began: a page that was read twice counts once. */
  readonly after: ReplayJob['after'];
  readonly events: readonly PastEvent[];
  /** Where the next page begins; null when this was the last. */
  readonly next: ReplayJob['after'];
}

/** What came of one attempt. */
export interface AttemptResult {
  readonly delivery: Delivery;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly durationMs: number;
  readonly status: number | null;
  /** The kept part of the answer, storable. */
  readonly body: string | null;
  /** A class of decisions section 6; null when there was an answer. `no_body`: the event is not kept any more. */
  readonly failure: 'timeout' | 'dns' | 'connect' | 'tls' | 'blocked_address' | 'no_body' | null;
  readonly error: string | null;
  /** The header Retry-After. */
  readonly retryAfter?: string;
  /** Uniform in [0, 1): spreads the next attempt. */
  readonly jitter: number;
}

/** What a task is given to send. */
export interface SendOrder {
  readonly url: string;
  readonly httpsOnly: boolean;
  readonly projectId: string;
  /** Sealed, the newest first. */
  readonly secrets: readonly { readonly jwe: string; readonly until?: number }[];
  readonly deliveries: readonly Delivery[];
}

export interface CancelOrder {
  /** Deliveries created up to this instant (ISO 8601). */
  readonly until: string;
  /** Not these: their requests are out. */
  readonly except: readonly string[];
}

// A type and not an interface: only a type has the index signature that `Commands` asks for.
export type StitchCommands = {
  readonly create: { readonly payload: CreateStitch; readonly reply: Stitch };
  readonly update: { readonly payload: UpdateStitch; readonly reply: Stitch };
  readonly archive: { readonly payload: ArchiveStitch; readonly reply: null };
  readonly rotateSecret: { readonly payload: RotateSecret; readonly reply: Stitch };
  readonly test: { readonly payload: TestStitch; readonly reply: WebhookDelivery };
  readonly replay: { readonly payload: ReplayEvent; readonly reply: WebhookDelivery };
  readonly replaySpan: { readonly payload: ReplaySpan; readonly reply: null };
  /** Which deliveries are out at this moment. */
  readonly underWay: { readonly payload: Tenancy; readonly reply: readonly string[] };
  /** New deliveries were committed: of new events, or of the event with number `from`. Cheap to say often. */
  readonly wake: { readonly payload: { readonly from?: number }; readonly reply: null };
  /** Look through the whole table for open deliveries: after a load, and now and then. */
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
  /** Answers that are in, and results that are committed. */
  readonly progress: {
    readonly payload: { readonly answered: readonly string[]; readonly released: readonly Released[] };
    readonly reply: null;
  };
  /** Writes results down; the reply says what they mean for their threads. */
  readonly settled: {
    readonly payload: { readonly results: readonly AttemptResult[] };
    readonly reply: readonly Released[];
  };
  readonly ownerTold: { readonly payload: { readonly eventId: string }; readonly reply: null };
  readonly cancelled: { readonly payload: { readonly until: string }; readonly reply: null };
  readonly replayPage: { readonly payload: ReplayPage; readonly reply: null };
  /** Sets the reminder `due`, unless it is set for earlier. */
  readonly remindDue: { readonly payload: { readonly at: number }; readonly reply: null };
  /** Reminders: retries or holds are due; a probe is due; a secret's grace has ended. */
  readonly due: { readonly payload: unknown; readonly reply: null };
  readonly probe: { readonly payload: unknown; readonly reply: null };
  readonly endGrace: { readonly payload: unknown; readonly reply: null };
};
