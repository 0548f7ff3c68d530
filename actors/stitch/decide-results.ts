/**
 * Decisions: what the result of an attempt means for the delivery, for its thread and for the stitch.
 *
 * A delivery that is pending or retrying becomes
 *   -> delivered   by a 2xx
 *   -> retrying    by anything else, while the schedule has another attempt (schedule.ts)
 *   -> failed      by anything else after the last attempt; by HTTP 410; or because its event is no longer kept
 *   -> cancelled   by anything else while the stitch is disabled or archived, or where it was since the attempt was begun
 */
import { numberedId } from '../../protocol/ids.ts';
import type { DeliveryStatus } from '../../protocol/resources/index.ts';
import type { Effect, Reminder, Turn } from '../../runtime/actor/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import {
  countAttempts,
  type CountedAttempt,
  type DeliveryRow,
  insertAttempt,
  insertAuditEntry,
  insertNewAttempt,
  recordDelivery,
  toAuditActor,
  updateDelivery,
} from '../../storage/writes/index.ts';
import { systemActor } from '../base/index.ts';
import type { AttemptResult, StitchCommands } from './commands.ts';
import {
  createCancelEffects,
  createDueReminder,
  createFollowWrite,
  type StitchDecision,
} from './decide-delivery.ts';
import { createStitchEvent, toStitch, type StitchEvent } from './events.ts';
import { getSettledSeq, unload, type Delivery, type Released } from './queue.ts';
import {
  exhaustedToDisable,
  failingToDisableMs,
  failingToOpenMs,
  failuresToBackOff,
  failuresToOpen,
  holdMs,
  pauseAfter,
  probeEveryMs,
  retryAfterMs,
  waitAfter,
} from './schedule.ts';
import {
  type Health,
  healthy,
  isLive,
  isProbing,
  type OwnerNotification,
  stop,
  type StitchState,
} from './state.ts';
import { toOutcome } from './window.ts';

/** Retries and holds that end within one step wake the stitch once. */
const dueStepMs = 100;

/**
 * The row says how far the stitch is when it has come so far: each time it is written costs as much as a result. Meanwhile a restart looks
 * at so many events again.
 */
const settledStep = 256;

/** Of more notifications that the owner has not got yet, the oldest is dropped. */
const maxNotifications = 5;

/** Builds the decision about a batch of results. A builder lives for one turn and changes nothing but itself. */
class StitchDecisionBuilder {
  readonly turn: Turn;
  readonly at: string;
  /** The state, replaced with each result. */
  state: StitchState;
  /** When the first of the retries and holds ends, in epoch milliseconds. */
  nextDueAt: number | null;
  readonly writes: Write[] = [];
  readonly released: Released[] = [];
  readonly attempts: CountedAttempt[] = [];
  /** Whether an earlier command may have written the results. */
  readonly isRepeated: boolean;
  readonly #before: StitchState;
  readonly #notifications: OwnerNotification[] = [];

  /** @param before the state as it was before this turn */
  constructor(state: StitchState, turn: Turn, before: StitchState, isRepeated: boolean) {
    this.#before = before;
    this.isRepeated = isRepeated;
    this.state = state;
    this.turn = turn;
    this.at = new Date(turn.now).toISOString();
    this.nextDueAt = state.dueAt;
  }

  /** Returns the event's id. */
  addEvent(event: StitchEvent): string {
    this.state = { ...this.state, made: this.state.made + 1 };
    const { eventId, write } = createStitchEvent(this.state, event, this.turn);
    this.writes.push(write);
    return eventId;
  }

  /** The notification is in the row until the owner has got it. */
  notifyOwner(notification: OwnerNotification): void {
    this.#notifications.push(notification);
    const ownerNotifications = [...this.state.ownerNotifications, notification].slice(-maxNotifications);
    this.state = { ...this.state, ownerNotifications };
  }

  decide(): StitchDecision<readonly Released[]> {
    const { writes, released: reply } = this;
    const before = this.#before;
    const dueAt = this.#getDueAt();
    if (this.state === before && dueAt === before.dueAt) return { writes, reply };
    const state: StitchState = { ...this.state, dueAt };
    const remind: Reminder[] = [];
    if (dueAt !== null && dueAt !== before.dueAt) remind.push(createDueReminder(dueAt));
    const { probeAt } = state.health;
    if (probeAt !== null && probeAt !== before.health.probeAt) {
      remind.push({ key: 'probe', at: probeAt, command: 'probe', payload: {} });
    }
    const effects = this.#notifications.map((payload): Effect => ({
      do: 'perform',
      task: 'notifyOwner',
      payload,
    }));
    if (state.cancelUntil !== before.cancelUntil) effects.push(...createCancelEffects(state));
    return { state, writes, remind, effects, reply };
  }

  /** While one delivery is tried at a time, each probe finds what is due: a reminder of its own would be a commit more for each. */
  #getDueAt(): number | null {
    if (isProbing(this.state)) return this.#before.dueAt;
    return this.nextDueAt === null ? null : Math.ceil(this.nextDueAt / dueStepMs) * dueStepMs;
  }
}

/** It is not tried with one delivery at a time any more: what was due meanwhile has no reminder. */
function endProbing(state: StitchState, health: Health): StitchState {
  const { queue } = state;
  return { ...state, health, ...(isProbing(state) ? { queue: { ...queue, mayHaveDue: true } } : {}) };
}

/**
 * Writes the results, and what they mean for the circuit. Replies with what they mean for their threads. Each attempt is counted once,
 * however often its result is reported: the commit of a repeated report is refused where the attempt has its row.
 */
export function settled(
  state: StitchState,
  { results, repetition }: StitchCommands['settled']['payload'],
  turn: Turn,
): StitchDecision<readonly Released[]> {
  const recorded = new Set(results.map(({ delivery }) => delivery.deliveryId));
  const settledSeq = getSettledSeq(state.queue, recorded);
  const isFar = settledSeq >= state.settledSeq + settledStep;
  const next = isFar ? { ...state, settledSeq } : state;
  const builder = new StitchDecisionBuilder(next, turn, state, repetition !== undefined);
  for (const result of results) {
    if (result.status !== null && result.status >= 200 && result.status < 300) succeed(builder, result);
    else fail(builder, result);
  }
  if (repetition === 'certain') return { reply: builder.released };
  builder.writes.push(...countAttempts(turn.id, builder.attempts));
  return builder.decide();
}

function succeed(builder: StitchDecisionBuilder, result: AttemptResult): void {
  writeResult(builder, result, 'delivered', null);
  const { provenHost = null } = result;
  if (provenHost !== null) builder.state = { ...builder.state, provenHost };
  const { state } = builder;
  if (state.health.failures > 0) builder.state = endProbing(state, healthy);
  if (state.status === 'error') changeStatus(builder, 'active');
}

function fail(builder: StitchDecisionBuilder, result: AttemptResult): void {
  const { turn, state } = builder;
  const { delivery } = result;
  // Not an attempt at all: there is nothing left to send.
  if (result.failure === 'no_body') {
    writeResult(builder, result, 'failed', null);
    return;
  }
  const waitMs = waitAfter(
    delivery.attempts + 1,
    state.environmentKind,
    result.jitter,
    retryAfterMs(result.retryAfter, turn.now),
  );
  const live = isLive(state);
  const isGone = result.status === 410;
  const wasStopped = live && (result.stops ?? state.stops) !== state.stops;
  // Of another owner, who did not know of the stop: the delivery is cancelled already, or this owner has it to make.
  if (wasStopped && !isGone && !state.queue.started.has(delivery.deliveryId)) return;
  // While the stop lasts, all that is under way here was open when it came.
  const isCancelled = !live || (wasStopped && state.cancelUntil !== null);
  if (isCancelled && !isGone) {
    writeResult(builder, result, 'cancelled', null);
    return;
  }
  const isExhausted = !isGone && waitMs === undefined;
  if (isGone || waitMs === undefined) writeResult(builder, result, 'failed', null);
  else writeResult(builder, result, 'retrying', turn.now + waitMs);
  if (isExhausted) announceExhausted(builder, result);
  if (live && !wasStopped) countFailure(builder, result, isExhausted);
}

/** The circuit breaker, after one more failure. */
function countFailure(
  builder: StitchDecisionBuilder,
  { status, failure, jitter }: AttemptResult,
  isExhausted: boolean,
): void {
  const { state, turn } = builder;
  const since = state.health.failingSince ?? turn.now;
  const health = {
    failures: state.health.failures + 1,
    failingSince: since,
    exhausted: state.health.exhausted + (isExhausted ? 1 : 0),
    probeAt: state.health.probeAt,
  };
  builder.state = { ...state, health };
  const failingMs = turn.now - since;
  const hasFailedLong = failingMs >= failingToDisableMs && health.exhausted >= exhaustedToDisable;
  if (status === 410 || hasFailedLong) {
    changeStatus(builder, 'disabled');
    recordDisabling(builder, state, status === 410 ? 'gone' : 'failing');
  } else if (state.status === 'error') {
    builder.state = { ...builder.state, health: { ...health, probeAt: turn.now + probeEveryMs } };
  } else if (health.failures >= failuresToOpen && failingMs >= failingToOpenMs) {
    changeStatus(builder, 'error');
  } else if (toOutcome(status, failure) === 'refused') {
    // It works, and does not want this event.
    builder.state = endProbing(state, { ...health, probeAt: null });
  } else if (health.failures >= failuresToBackOff) {
    builder.state = {
      ...builder.state,
      health: { ...health, probeAt: turn.now + pauseAfter(failingMs, jitter) },
      // Probes need few of those that wait.
      ...(health.probeAt === null ? { queue: unload(state.queue) } : {}),
    };
  }
}

function changeStatus(builder: StitchDecisionBuilder, status: StitchState['status']): void {
  const { state, turn, at } = builder;
  const { queue, health } = state;
  const next = { ...state, status, updatedAt: at };
  switch (status) {
    case 'active':
      builder.state = { ...next, health: healthy };
      break;
    case 'error':
      builder.state = {
        ...next,
        health: { ...health, probeAt: turn.now + probeEveryMs },
        queue: unload(queue),
      };
      break;
    case 'disabled':
      builder.state = stop({ ...next, health: { ...health, probeAt: null } }, turn.now);
      builder.writes.push(createFollowWrite(builder.state, turn, state));
      break;
    default:
      status satisfies never;
  }
  const stitch = toStitch(builder.state, turn.id);
  const data = { stitch, previousStatus: state.status };
  const eventId = builder.addEvent({
    name: 'stitch.status.changed',
    author: systemActor,
    data,
    to: 'others',
  });
  if (status !== 'active') builder.notifyOwner({ eventId, stitch, previousStatus: state.status });
}

/** The audit record of the one change of a stitch that nobody has asked for, and that only a person takes back. */
function recordDisabling(
  builder: StitchDecisionBuilder,
  { projectId, environmentId, status }: StitchState,
  reason: 'gone' | 'failing',
): void {
  const { turn, at, state } = builder;
  builder.writes.push(
    insertAuditEntry({
      // The number is that of the event which announces it.
      auditLogId: numberedId('audit', turn.now, turn.id, state.made),
      projectId,
      environmentId,
      actor: toAuditActor(systemActor),
      action: 'stitch.disabled',
      targetId: turn.id,
      details: { reason, previousStatus: status },
      at,
    }),
  );
}

/** The mail is queued: the notification is done. */
export function ownerTold(
  state: StitchState,
  { eventId }: { readonly eventId: string },
): StitchDecision<null> {
  const ownerNotifications = state.ownerNotifications.filter(each => each.eventId !== eventId);
  return ownerNotifications.length === state.ownerNotifications.length
    ? { reply: null }
    : { state: { ...state, ownerNotifications }, reply: null };
}

/**
 * Other stitches get an event about it. Exhausted deliveries of events about stitches have none: two stitches that both fail would
 * produce events for each other without end.
 */
function announceExhausted(builder: StitchDecisionBuilder, result: AttemptResult): void {
  const { delivery } = result;
  if (delivery.eventName.startsWith('stitch.')) return;
  const { state, turn, at } = builder;
  const data = {
    ...(delivery.threadId === null ? {} : { threadId: delivery.threadId }),
    delivery: {
      deliveryId: delivery.deliveryId,
      projectId: state.projectId,
      environmentId: state.environmentId,
      stitchId: turn.id,
      eventId: delivery.eventId,
      eventName: delivery.eventName,
      threadId: delivery.threadId,
      trigger: delivery.trigger,
      status: 'failed',
      attemptCount: delivery.attempts + 1,
      responseStatus: result.status,
      lastError: describeFailure(result),
      lastAttemptAt: new Date(result.at).toISOString(),
      nextAttemptAt: null,
      createdAt: delivery.createdAt,
      updatedAt: at,
    },
  };
  builder.addEvent({ name: 'stitch.delivery.exhausted', author: systemActor, data, to: 'others' });
}

/** The rows of one result, and what it means for its thread. `retryAt`: epoch milliseconds. */
function writeResult(
  builder: StitchDecisionBuilder,
  result: AttemptResult,
  status: DeliveryStatus,
  retryAt: number | null,
): void {
  const { delivery, failure } = result;
  const { deliveryId } = delivery;
  const wasAttempted = failure !== 'no_body';
  const attempts = delivery.attempts + (wasAttempted ? 1 : 0);
  const attemptedAt = wasAttempted ? new Date(result.at).toISOString() : null;
  const nextAttemptAt = retryAt === null ? null : new Date(retryAt).toISOString();
  const outcome = {
    status,
    attemptCount: attempts,
    responseStatus: result.status,
    lastError: status === 'delivered' ? null : describeFailure(result),
    lastAttemptAt: attemptedAt,
    nextAttemptAt,
    at: builder.at,
  };
  const { createdAt } = delivery;
  builder.writes.push(
    delivery.hasRow
      ? updateDelivery({ deliveryId, createdAt, ...outcome })
      : recordDelivery(createRow(builder, delivery), outcome),
  );
  if (attemptedAt !== null) {
    const attempt = {
      deliveryId,
      number: attempts,
      projectId: builder.state.projectId,
      trigger: delivery.trigger,
      attemptedAt,
      durationMs: result.durationMs,
      responseStatus: result.status,
      responseBody: result.body,
      errorClass: status === 'delivered' ? null : (failure ?? 'http_status'),
      error: result.error,
      nextAttemptAt,
    };
    builder.writes.push(builder.isRepeated ? insertNewAttempt(attempt) : insertAttempt(attempt));
    builder.attempts.push({
      at: result.at,
      durationMs: result.durationMs,
      hasSucceeded: status === 'delivered',
      waitMs: Math.max(0, result.at - Date.parse(createdAt)),
    });
  }
  builder.released.push(createReleased(builder, delivery, result.at, retryAt));
}

function createRow({ state, turn }: StitchDecisionBuilder, delivery: Delivery): DeliveryRow {
  const { projectId, environmentId } = state;
  const { threadId, ...rest } = delivery;
  return { ...rest, projectId, environmentId, stitchId: turn.id, ...(threadId === null ? {} : { threadId }) };
}

function createReleased(
  builder: StitchDecisionBuilder,
  delivery: Delivery,
  attemptedAt: number,
  retryAt: number | null,
): Released {
  const { deliveryId, threadId, eventSeq } = delivery;
  const holdEnd = (delivery.firstAttemptAt ?? attemptedAt) + holdMs;
  const holdUntil = retryAt !== null && threadId !== null && holdEnd > builder.turn.now ? holdEnd : null;
  for (const at of [retryAt, holdUntil]) {
    if (at !== null && (builder.nextDueAt === null || at < builder.nextDueAt)) builder.nextDueAt = at;
  }
  const attempts = retryAt === null ? null : delivery.attempts + 1;
  return { deliveryId, threadId, eventSeq, attempts, retryAt, holdUntil };
}

function describeFailure({ status, failure, error }: AttemptResult): string {
  if (status !== null) return `HTTP ${status}`;
  if (failure === 'no_body') return 'the event is no longer kept';
  return error === null ? (failure ?? '') : `${failure ?? ''}: ${error}`;
}
