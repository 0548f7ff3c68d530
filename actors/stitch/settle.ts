/**
 * What an attempt's result means: for the delivery, for its thread, for the stitch (decisions, sections 4 and 6).
 *
 * A delivery: pending or retrying, then
 *   -> delivered   2xx
 *   -> retrying    anything else, while the schedule has another attempt
 *   -> failed      anything else after the last one; HTTP 410; or its event is no longer kept
 *   -> cancelled   anything else while the stitch is disabled or archived
 */
import type { DeliveryStatus } from '../../protocol/resources/delivery.ts';
import type { Effect, Reminder, Turn } from '../../runtime/actor.ts';
import { insertAttempt, updateDelivery, type Write } from '../../storage/writes.ts';
import type { AttemptResult, StitchCommands } from './commands.ts';
import { dueReminder, type StitchDecision } from './flow.ts';
import { system } from '../system-actor.ts';
import { newsOf, stitchView, type StitchEvent } from './news.ts';
import { clear, unload, type Delivery, type Released } from './queue.ts';
import {
  exhaustedToDisable,
  failingToDisableMs,
  failingToOpenMs,
  failuresToOpen,
  holdMs,
  probeEveryMs,
  retryAfterMs,
  waitAfter,
} from './schedule.ts';
import { healthy, isLive, type OwnerNews, type StitchState } from './state.ts';

/** Retries and holds that end within one step wake the stitch once. */
const dueStepMs = 100;

/** News that the owner has not been told yet: of more, the oldest is dropped. */
const mostNews = 5;

/** A batch of results under way into a decision: changes nothing but itself. */
class Ledger {
  state: StitchState;
  readonly turn: Turn;
  readonly at: string;
  readonly writes: Write[] = [];
  readonly released: Released[] = [];
  readonly news: OwnerNews[] = [];
  nextDueAt: number | null;

  constructor(state: StitchState, turn: Turn) {
    this.state = state;
    this.turn = turn;
    this.at = new Date(turn.now).toISOString();
    this.nextDueAt = state.dueAt;
  }

  /** Gives the event's id. */
  event(event: StitchEvent): string {
    this.state = { ...this.state, made: this.state.made + 1 };
    const { eventId, write } = newsOf(this.state, event, this.turn);
    this.writes.push(write);
    return eventId;
  }

  /** In the row until the owner is told. */
  tellOwner(news: OwnerNews): void {
    this.news.push(news);
    this.state = { ...this.state, ownerNews: [...this.state.ownerNews, news].slice(-mostNews) };
  }
}

/** Writes results down, and what they mean for the circuit; replies with what they mean for their threads. */
export function settled(
  state: StitchState,
  { results }: StitchCommands['settled']['payload'],
  turn: Turn,
): StitchDecision<readonly Released[]> {
  const ledger = new Ledger(state, turn);
  for (const result of results) {
    if (result.status !== null && result.status >= 200 && result.status < 300) succeed(ledger, result);
    else fail(ledger, result);
  }
  const { state: next, writes, released, news } = ledger;
  const nextDueAt = ledger.nextDueAt === null ? null : Math.ceil(ledger.nextDueAt / dueStepMs) * dueStepMs;
  if (next === state && nextDueAt === state.dueAt) return { writes, reply: released };

  const remind: Reminder[] = [];
  if (nextDueAt !== null && nextDueAt !== state.dueAt) remind.push(dueReminder(nextDueAt));
  const { probeAt } = next.health;
  if (probeAt !== null && probeAt !== state.health.probeAt) {
    remind.push({ key: 'probe', at: probeAt, command: 'probe', payload: {} });
  }
  const effects: Effect[] = news.map(payload => ({ do: 'perform', task: 'tellOwner', payload }));
  if (next.cancelUntil !== state.cancelUntil) {
    const except = [...next.queue.flying.keys()];
    effects.push({ do: 'perform', task: 'cancel', payload: { until: next.cancelUntil, except } });
  }
  return { state: { ...next, dueAt: nextDueAt }, writes, remind, effects, reply: released };
}

function succeed(ledger: Ledger, result: AttemptResult): void {
  record(ledger, result, 'delivered', null);
  const { state } = ledger;
  if (state.health.failures > 0) ledger.state = { ...state, health: healthy };
  if (state.status === 'error') {
    changeStatus(ledger, 'active');
  }
}

function fail(ledger: Ledger, result: AttemptResult): void {
  const { turn, state } = ledger;
  const { delivery } = result;
  const live = isLive(state);
  // Not an attempt at all: there is nothing left to send.
  if (result.failure === 'no_body') {
    record(ledger, result, 'failed', null);
    return;
  }
  const wait = waitAfter(
    delivery.attempts + 1,
    state.environmentKind,
    result.jitter,
    retryAfterMs(result.retryAfter, turn.now),
  );
  const gone = result.status === 410;
  const status = !live && !gone ? 'cancelled' : gone || wait === undefined ? 'failed' : 'retrying';
  record(ledger, result, status, status === 'retrying' ? turn.now + (wait ?? 0) : null);
  const exhausted = status === 'failed' && !gone;
  if (exhausted) tellExhausted(ledger, result);
  if (live) weaken(ledger, exhausted, gone);
}

/** The breaker, after one more failure. */
function weaken(ledger: Ledger, exhausted: boolean, gone: boolean): void {
  const { state, turn } = ledger;
  const since = state.health.failingSince ?? turn.now;
  const health = {
    failures: state.health.failures + 1,
    failingSince: since,
    exhausted: state.health.exhausted + (exhausted ? 1 : 0),
    probeAt: state.health.probeAt,
  };
  ledger.state = { ...state, health };
  const failingMs = turn.now - since;
  if (gone || (failingMs >= failingToDisableMs && health.exhausted >= exhaustedToDisable)) {
    changeStatus(ledger, 'disabled');
  } else if (state.status === 'error') {
    ledger.state = { ...ledger.state, health: { ...health, probeAt: turn.now + probeEveryMs } };
  } else if (health.failures >= failuresToOpen && failingMs >= failingToOpenMs) {
    changeStatus(ledger, 'error');
  }
}

function changeStatus(ledger: Ledger, status: StitchState['status']): void {
  const { state, turn, at } = ledger;
  const { queue, health } = state;
  const next = { ...state, status, updatedAt: at };
  switch (status) {
    case 'active':
      ledger.state = { ...next, health: healthy };
      break;
    case 'error':
      ledger.state = {
        ...next,
        health: { ...health, probeAt: turn.now + probeEveryMs },
        queue: unload(queue),
      };
      break;
    case 'disabled':
      ledger.state = { ...next, health: { ...health, probeAt: null }, cancelUntil: at, queue: clear(queue) };
      break;
    default:
      status satisfies never;
  }
  const stitch = stitchView(ledger.state, turn.id);
  const data = { stitch, previousStatus: state.status };
  const eventId = ledger.event({ name: 'stitch.status.changed', author: system, data, to: 'others' });
  if (status !== 'active') ledger.tellOwner({ eventId, stitch, previousStatus: state.status });
}

/** The mail is queued: that news is no longer owed. */
export function ownerTold(
  state: StitchState,
  { eventId }: { readonly eventId: string },
): StitchDecision<null> {
  const ownerNews = state.ownerNews.filter(news => news.eventId !== eventId);
  return ownerNews.length === state.ownerNews.length
    ? { reply: null }
    : { state: { ...state, ownerNews }, reply: null };
}

/** Other stitches hear of it; but of news about stitches nobody does, or two that both fail would feed each other for ever. */
function tellExhausted(ledger: Ledger, result: AttemptResult): void {
  const { delivery } = result;
  if (delivery.eventName.startsWith('stitch.')) return;
  const { state, turn, at } = ledger;
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
      lastError: errorOf(result),
      lastAttemptAt: new Date(result.at).toISOString(),
      nextAttemptAt: null,
      createdAt: delivery.createdAt,
      updatedAt: at,
    },
  };
  ledger.event({ name: 'stitch.delivery.exhausted', author: system, data, to: 'others' });
}

/** The rows of one result, and what it means for the thread. */
function record(
  ledger: Ledger,
  result: AttemptResult,
  status: DeliveryStatus,
  nextAttempt: number | null,
): void {
  const { delivery, failure } = result;
  const { deliveryId } = delivery;
  const attempted = failure !== 'no_body';
  const number = delivery.attempts + (attempted ? 1 : 0);
  const attemptedAt = attempted ? new Date(result.at).toISOString() : null;
  const nextAttemptAt = nextAttempt === null ? null : new Date(nextAttempt).toISOString();
  ledger.writes.push(
    updateDelivery({
      deliveryId,
      createdAt: delivery.createdAt,
      status,
      attemptCount: number,
      responseStatus: result.status,
      lastError: status === 'delivered' ? null : errorOf(result),
      lastAttemptAt: attemptedAt,
      nextAttemptAt,
      at: ledger.at,
    }),
  );
  if (attemptedAt !== null) {
    ledger.writes.push(
      insertAttempt({
        deliveryId,
        number,
        projectId: ledger.state.projectId,
        trigger: delivery.trigger,
        attemptedAt,
        durationMs: result.durationMs,
        responseStatus: result.status,
        responseBody: result.body,
        errorClass: status === 'delivered' ? null : (failure ?? 'http_status'),
        error: result.error,
        nextAttemptAt,
      }),
    );
  }
  ledger.released.push(releasedBy(ledger, delivery, result.at, nextAttempt));
}

function releasedBy(
  ledger: Ledger,
  delivery: Delivery,
  attemptedAt: number,
  nextAttempt: number | null,
): Released {
  const { deliveryId, threadId, eventSeq } = delivery;
  const end = (delivery.firstAttemptAt ?? attemptedAt) + holdMs;
  const holdUntil = nextAttempt !== null && threadId !== null && end > ledger.turn.now ? end : null;
  for (const at of [nextAttempt, holdUntil]) {
    if (at !== null && (ledger.nextDueAt === null || at < ledger.nextDueAt)) ledger.nextDueAt = at;
  }
  const attempts = nextAttempt === null ? null : delivery.attempts + 1;
  return { deliveryId, threadId, eventSeq, attempts, retryAt: nextAttempt, holdUntil };
}

function errorOf({ status, failure, error }: AttemptResult): string {
  if (status !== null) return `HTTP ${status}`;
  return failure === 'no_body' ? 'the event is no longer kept' : `${failure ?? ''}: ${error ?? ''}`;
}
