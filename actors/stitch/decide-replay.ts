/** Decisions: deliveries that somebody asks for: a test event, one event again, a span of time again. */
import { isDeepStrictEqual } from 'node:util';
import { numberedId } from '../../protocol/ids.ts';
import type { WebhookDelivery } from '../../protocol/resources/index.ts';
import type { Effect, Turn } from '../../runtime/actor/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { deriveDeliveryId } from '../../storage/deliveries/index.ts';
import { type DeliveryRow, insertDelivery } from '../../storage/writes/index.ts';
import { conflict } from '../../protocol/errors.ts';
import { createAuditWrites } from '../base/index.ts';
import type {
  PastEvent,
  ReplayEvent,
  ReplayPage,
  ReplaySpan,
  StartedReplay,
  TestStitch,
} from './commands.ts';
import type { StitchDecision } from './decide-delivery.ts';
import { requireChangeable } from './decide-lifecycle.ts';
import { createStitchEvent, type StitchEvent, toStitch } from './events.ts';
import { getRowTime, isLive, type ReplayJob, type StitchState } from './state.ts';

/** How many replays of spans a stitch works on at once. */
export const maxReplays = 5;

function requireLive(state: StitchState): void {
  if (!isLive(state)) throw conflict('The stitch is disabled.');
}

/**
 * Appends an event that is delivered to this stitch alone: `stitch.test.ping`, or a sample of another. The log has it as `stitch.test.ping`
 * in any case, so that nobody takes a sample for something that has happened: not on the Console stream, and not in a replay for the
 * stitches that select its name. 404 for another tenant's stitch, 409 when it is archived or disabled.
 */
export function test(state: StitchState, command: TestStitch, turn: Turn): StitchDecision<WebhookDelivery> {
  requireChangeable(state, command);
  requireLive(state);
  const madeAt = getRowTime(state, turn.now);
  const next = makeOne(state, madeAt);
  const { author, sample } = command;
  const { environmentId } = state;
  const event: StitchEvent = {
    name: 'stitch.test.ping',
    author,
    to: 'self',
    ...(sample === undefined
      ? { data: { test: true, stitch: toStitch(state, turn.id) } }
      : { sampledName: sample.eventName, data: { ...sample.data, environmentId, test: true } }),
  };
  const { eventId, write } = createStitchEvent(next, event, { ...turn, now: madeAt });
  const at = new Date(madeAt).toISOString();
  const reply: WebhookDelivery = {
    ...getNewDelivery(state, turn, at),
    deliveryId: deriveDeliveryId(eventId, turn.id),
    eventId,
    eventName: event.name,
    trigger: 'test',
  };
  const details = { eventName: sample?.eventName ?? event.name };
  const writes = [...createAuditWrites(command, state, turn, 'stitch.tested', details), write];
  return { state: next, writes, reply };
}

/** The state with one more delivery, made at that instant. */
function makeOne(state: StitchState, madeAt: number): StitchState {
  return { ...state, made: state.made + 1, madeAt: Math.max(state.madeAt, madeAt) };
}

/** What all new deliveries have in common. */
function getNewDelivery(state: StitchState, turn: Turn, at: string) {
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

function createDeliveryRow(
  state: StitchState,
  turn: Turn,
  event: PastEvent,
  trigger: 'manual' | 'replay',
): DeliveryRow {
  const createdAt = getRowTime(state, turn.now);
  const { eventId, eventSeq, eventName, eventAt, threadId } = event;
  return {
    deliveryId: numberedId('delivery', createdAt, turn.id, state.made),
    projectId: state.projectId,
    environmentId: state.environmentId,
    stitchId: turn.id,
    eventId,
    eventSeq,
    eventName,
    eventAt,
    ...(threadId === null ? {} : { threadId }),
    trigger,
    createdAt: new Date(createdAt).toISOString(),
  };
}

/** Delivers one event again, as a delivery of its own (trigger `manual`). Refuses like `test`. */
export function replay(
  state: StitchState,
  command: ReplayEvent,
  turn: Turn,
): StitchDecision<WebhookDelivery> {
  requireChangeable(state, command);
  requireLive(state);
  const { event, deliveryId: repeatedId, sourceStitchId } = command;
  const next = makeOne(state, getRowTime(state, turn.now));
  const row = createDeliveryRow(next, turn, event, 'manual');
  const { deliveryId, eventId, eventName, trigger, createdAt } = row;
  const reply: WebhookDelivery = {
    ...getNewDelivery(state, turn, createdAt),
    deliveryId,
    eventId,
    eventName,
    trigger,
    threadId: event.threadId,
  };
  return {
    state: next,
    writes: [
      ...createAuditWrites(command, state, turn, 'stitch.delivery_replayed', {
        ...(repeatedId === undefined ? {} : { deliveryId: repeatedId }),
        ...(sourceStitchId === undefined ? {} : { sourceStitchId }),
        eventId,
        eventName,
      }),
      insertDelivery(row),
    ],
    effects: [createWakeEffect(event.eventSeq, turn)],
    reply,
  };
}

/**
 * Begins to replay a span of time, one page per commit. Refuses like `test`, and with 409 beyond `maxReplays`. Dead letters are replayed by
 * one job at a time, so that none of them is replayed by two: the same order meanwhile is that job.
 */
export function replaySpan(
  state: StitchState,
  command: ReplaySpan,
  turn: Turn,
): StitchDecision<StartedReplay> {
  requireChangeable(state, command);
  requireLive(state);
  const { sourceStitchId, since, until, eventNames, statuses, onlyFailed } = command;
  const other = onlyFailed === true ? state.replays.find(job => job.onlyFailed === true) : undefined;
  if (other !== undefined) {
    const isSame = other.since === since && isDeepStrictEqual(other.eventNames, eventNames);
    if (isSame && other.sourceStitchId === sourceStitchId) return { reply: { replayId: other.id } };
    throw conflict('The stitch replays what has failed already.');
  }
  if (state.replays.length >= maxReplays) {
    throw conflict(`The stitch has ${maxReplays} replays under way already.`);
  }
  const made = state.made + 1;
  const order = {
    sourceStitchId,
    since,
    until,
    eventNames,
    statuses,
    ...(onlyFailed === true ? { onlyFailed } : {}),
  };
  const job: ReplayJob = {
    ...order,
    id: String(made),
    startedAt: new Date(turn.now).toISOString(),
    replayed: 0,
    after: null,
  };
  const next: StitchState = { ...state, made, replays: [...state.replays, job] };
  return {
    state: next,
    writes: createAuditWrites(command, state, turn, 'stitch.replayed', order),
    effects: [createReplayEffect(job)],
    reply: { replayId: job.id },
  };
}

/** After the commit: a load that begins before it does not see the new rows. */
function createWakeEffect(from: number, turn: Turn): Effect {
  return { do: 'tell', to: { kind: 'stitch', id: turn.id }, command: 'wake', payload: { from } };
}

function createReplayEffect(job: ReplayJob): Effect {
  return { do: 'perform', task: 'replay', payload: job };
}

/** Adds the deliveries of a page and asks for the next. A page that was read twice, or of a replay that has ended, is dropped. */
export function replayPage(state: StitchState, page: ReplayPage, turn: Turn): StitchDecision<null> {
  const job = state.replays.find(({ id }) => id === page.jobId);
  if (job === undefined || !isDeepStrictEqual(job.after, page.after)) return { reply: null };
  let next = state;
  const writes: Write[] = [];
  let lowest = Infinity;
  for (const event of page.events) {
    next = makeOne(next, getRowTime(next, turn.now));
    writes.push(insertDelivery(createDeliveryRow(next, turn, event, 'replay')));
    lowest = Math.min(lowest, event.eventSeq);
  }
  const others = state.replays.filter(other => other !== job);
  const rest =
    isLive(state) && page.next !== null
      ? { ...job, after: page.next, replayed: (job.replayed ?? 0) + page.events.length }
      : undefined;
  const replays = rest === undefined ? others : [...others, rest];
  const effects = rest === undefined ? [] : [createReplayEffect(rest)];
  if (lowest !== Infinity) effects.push(createWakeEffect(lowest, turn));
  return { state: { ...next, replays }, writes, effects, reply: null };
}
