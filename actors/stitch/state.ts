/**
 * A stitch: a signed outbound webhook subscription (specification, "Stitch"; decisions, sections 4 and 6).
 *
 *   (nothing) -> active          created
 *   active    -> error           10 failures in a row over at least 5 minutes: the circuit is open
 *   error     -> active          a probe succeeded, or the user said so (PATCH)
 *   active, error -> disabled    the user (PATCH), HTTP 410, or 120 h of failures with two exhausted deliveries
 *   disabled  -> active          the user (PATCH)
 *   any       -> archived        the user (DELETE): for good
 *
 * The state has two parts. What is in the row: the stitch itself, its health, the timers that are set. And the queue, which
 * is rebuilt from the rows of `webhook_deliveries` whenever the actor is loaded, and never written.
 */
import type { EnvironmentKind } from '../../protocol/resources/environment.ts';
import type { Stitch, StitchStatus } from '../../protocol/resources/stitch.ts';
import type { ReplaySource } from '../../storage/reads/deliveries.ts';
import type { Metadata } from '../tenancy.ts';
import { emptyQueue, type Queue } from './queue.ts';

/** A signing secret as kept (storage/entities/stitches.ts). */
export interface SealedSecret {
  /** JWE, context `stitches/<stitchId>/secret`. */
  readonly jwe: string;
  /** Epoch milliseconds: a predecessor signs until then; absent for the newest. */
  readonly until?: number;
}

/** The circuit breaker's memory. */
export interface Health {
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** Epoch milliseconds of the first of them. */
  readonly failingSince: number | null;
  /** Deliveries that used up their attempts since the last success. */
  readonly exhausted: number;
  /** In `error`: the earliest instant of the next probe, epoch milliseconds. */
  readonly probeAt: number | null;
}

/** A replay of a span of time, worked off page by page. */
export interface ReplayJob extends ReplaySource {
  readonly id: string;
}

/** What the owner of a stitch is e-mailed: it has stopped delivering by itself. */
export interface OwnerNews {
  /** The id of the event that says the same: news that is told twice is mailed once. */
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
  /** The instant of the reminder `due`, epoch milliseconds: the next retry, or the end of the next hold. */
  readonly dueAt: number | null;
  /** Set while deliveries made up to this instant (ISO 8601) wait to be cancelled; nothing is sent meanwhile. */
  readonly cancelUntil: string | null;
  readonly replays: readonly ReplayJob[];
  /** What the owner has not been told yet. */
  readonly ownerNews: readonly OwnerNews[];
  /** Events, deliveries and jobs that the stitch itself has made: numbers their ids. */
  readonly made: number;
  /** Not in the row. */
  readonly queue: Queue;
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
    replays: [],
    ownerNews: [],
    made: 0,
    queue: emptyQueue,
  };
}

/** Whether it was created: an actor is there for every id. */
export function exists(state: StitchState): boolean {
  return state.projectId !== '';
}

/** Whether the stitch takes deliveries: what the commit of an event asks of its row too. */
export function isLive(state: StitchState): boolean {
  return exists(state) && state.archivedAt === null && state.status !== 'disabled';
}
