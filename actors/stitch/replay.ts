/** Deliveries that somebody asks for: a test event, one event again, a span of time again. */
import { createHash } from 'node:crypto';
import { numberedId } from '../../protocol/ids.ts';
import type { WebhookDelivery } from '../../protocol/resources/delivery.ts';
import type { Effect, Turn } from '../../runtime/actor.ts';
import { insertDelivery, type DeliveryRow, type Write } from '../../storage/writes.ts';
import { conflict } from '../conflict.ts';
import type { PastEvent, ReplayEvent, ReplayPage, ReplaySpan, TestStitch } from './commands.ts';
import type { StitchDecision } from './flow.ts';
import { requireChangeable } from './manage.ts';
import { newsOf, stitchView } from './news.ts';
import { isLive, type ReplayJob, type StitchState } from './state.ts';

/** Replays of spans that a stitch works off at the same time. */
export const mostReplays = 5;

function requireLive(state: StitchState): void {
  if (!isLive(state)) throw conflict('The stitch is disabled.');
}

/**
 * The id that the commit gives to the delivery of an event to a stitch: `skein_delivery_id` of the first migration, in
 * TypeScript.
 */
export function deliveryIdOf(eventId: string, stitchId: string): string {
  const hash = createHash('md5').update(`${eventId}/${stitchId}`).digest('hex');
  return `whd_${eventId.slice(4, 14)}e${hash.slice(0, 2)}a${hash.slice(2, 14)}`;
}

/**
 * Makes an event `stitch.test.ping` and its delivery to this stitch alone. 404 for another tenant's stitch, 409 when
 * it is archived or disabled.
 */
export function test(state: StitchState, command: TestStitch, turn: Turn): StitchDecision<WebhookDelivery> {
  requireChangeable(state, command);
  requireLive(state);
  const next: StitchState = { ...state, made: state.made + 1 };
  const { eventName } = command;
  const data = { stitch: stitchView(state, turn.id), ...(eventName === undefined ? {} : { eventName }) };
  const event = { name: 'stitch.test.ping', author: command.author, data, to: 'self' } as const;
  const { eventId, write } = newsOf(next, event, turn);
  const at = new Date(turn.now).toISOString();
  const reply = { ...fresh(state, turn, at), deliveryId: deliveryIdOf(eventId, turn.id), eventId };
  return { state: next, writes: [write], reply: { ...reply, eventName: event.name, trigger: 'test' } };
}

/** What every delivery that has just been made has in common. */
function fresh(state: StitchState, turn: Turn, at: string) {
  return {
    projectId: state.projectId,
    environmentId: state.environmentId,
    stitchId: turn.id,
    status: 'pending',
    attemptCount: 0,
    responseStatus: null,
    lastError: null,
    lastAttemptAt: null,
    nextAttemptAt: at,
    threadId: null,
    createdAt: at,
    updatedAt: at,
  } as const;
}

function rowOf(state: StitchState, turn: Turn, event: PastEvent, trigger: 'manual' | 'replay'): DeliveryRow {
  const { eventId, eventSeq, eventName, eventAt, threadId } = event;
  return {
    deliveryId: numberedId('delivery', turn.now, turn.id, state.made),
    projectId: state.projectId,
    environmentId: state.environmentId,
    stitchId: turn.id,
    eventId,
    eventSeq,
    eventName,
    eventAt,
    ...(threadId === null ? {} : { threadId }),
    trigger,
    createdAt: new Date(turn.now).toISOString(),
  };
}

/** One event again, as a delivery of its own (trigger `manual`). Refuses like `test`. */
export function replay(
  state: StitchState,
  command: ReplayEvent,
  turn: Turn,
): StitchDecision<WebhookDelivery> {
  requireChangeable(state, command);
  requireLive(state);
  const { event } = command;
  const next: StitchState = { ...state, made: state.made + 1 };
  const row = rowOf(next, turn, event, 'manual');
  const { deliveryId, eventId, eventName, trigger, createdAt } = row;
  const reply: WebhookDelivery = {
    ...fresh(state, turn, createdAt),
    deliveryId,
    eventId,
    eventName,
    trigger,
    threadId: event.threadId,
  };
  return { state: next, writes: [insertDelivery(row)], effects: [lookFrom(event.eventSeq, turn)], reply };
}

/** Begins to replay a span of time, a page per commit. Refuses like `test`, and with 409 beyond `mostReplays`. */
export function replaySpan(state: StitchState, command: ReplaySpan): StitchDecision<null> {
  requireChangeable(state, command);
  requireLive(state);
  if (state.replays.length >= mostReplays) {
    throw conflict(`The stitch works off ${mostReplays} replays already.`);
  }
  const { sourceStitchId, since, until, eventNames, statuses } = command;
  const made = state.made + 1;
  const job: ReplayJob = {
    id: String(made),
    sourceStitchId,
    since,
    until,
    eventNames,
    statuses,
    after: null,
  };
  const next: StitchState = { ...state, made, replays: [...state.replays, job] };
  return { state: next, effects: [work(job)], reply: null };
}

// After the commit: a load that is under way or begins before it does not see the new rows.
function lookFrom(from: number, turn: Turn): Effect {
  return { do: 'tell', to: { kind: 'stitch', id: turn.id }, command: 'wake', payload: { from } };
}

function work(job: ReplayJob): Effect {
  return { do: 'perform', task: 'replay', payload: job };
}

/** Makes the deliveries of a page and asks for the next. A page that was read twice, or of a replay that has ended, is dropped. */
export function replayPage(state: StitchState, page: ReplayPage, turn: Turn): StitchDecision<null> {
  const job = state.replays.find(({ id }) => id === page.jobId);
  if (job === undefined || job.after?.eventSeq !== page.after?.eventSeq) return { reply: null };
  let next = state;
  const writes: Write[] = [];
  let lowest = Infinity;
  for (const event of page.events) {
    next = { ...next, made: next.made + 1 };
    writes.push(insertDelivery(rowOf(next, turn, event, 'replay')));
    lowest = Math.min(lowest, event.eventSeq);
  }
  const others = state.replays.filter(other => other !== job);
  const going = isLive(state) && page.next !== null ? { ...job, after: page.next } : undefined;
  const replays = going === undefined ? others : [...others, going];
  const effects = going === undefined ? [] : [work(going)];
  if (lowest !== Infinity) effects.push(lookFrom(lowest, turn));
  return { state: { ...next, replays }, writes, effects, reply: null };
}
