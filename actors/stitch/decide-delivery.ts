/**
 * Decisions: which deliveries are loaded, sent and released, turn by turn. The queue is in memory only; these turns write no rows, except
 * for reminders and for the cancellation of late deliveries.
 */
import type { Decision, Effect, Reminder, Turn } from '../../runtime/actor/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { exists, requireSameTenancy, type Tenancy } from '../base/index.ts';
import type { CancelRequest, SendBatch, StitchCommands } from './commands.ts';
import { acceptLoad, requestLoad } from './queue-load.ts';
import {
  acknowledge,
  countInState,
  dropEndedHolds,
  getInFlightIds,
  getNextHoldEnd,
  noteNewDeliveries,
  release,
  rewind,
  start,
} from './queue.ts';
import { isLive, type StitchState } from './state.ts';
import { adapt } from './window.ts';

export type StitchDecision<Reply> = Decision<StitchState, Reply, Write>;

/** How many deliveries may be started now. */
function getFreeSlots({ queue, status, health, cancelUntil }: StitchState, now: number): number {
  if (cancelUntil !== null) return 0;
  if (status === 'active') return Math.floor(queue.window.size) - countInState(queue, 'inFlight');
  // The circuit is open: one probe, and nothing beside it.
  const isIdle = queue.started.size === 0;
  return status === 'error' && isIdle && now >= (health.probeAt ?? 0) ? 1 : 0;
}

/** Starts what may start, and requests a load if there is room: the end of every turn that changes the queue. */
export function startDeliveries(
  state: StitchState,
  turn: Turn,
  first: readonly Effect[] = [],
): { readonly state: StitchState; readonly effects: readonly Effect[] } {
  if (!isLive(state) || state.webhookUrl === null) return { state, effects: first };
  const slots = getFreeSlots(state, turn.now);
  const { queue: started, deliveries } = start(state.queue, slots, turn.now);
  const { queue, request } =
    slots > 0
      ? requestLoad(started, state.status === 'error', turn.now)
      : { queue: started, request: undefined };
  if (queue === state.queue) return { state, effects: first };
  const effects: Effect[] = [...first];
  if (deliveries.length > 0) {
    const batch: SendBatch = {
      url: state.webhookUrl,
      httpsOnly: state.environmentKind === 'production',
      projectId: state.projectId,
      secrets: state.secrets,
      deliveries,
    };
    effects.push({ do: 'perform', task: 'send', payload: batch });
  }
  if (request !== undefined) effects.push({ do: 'perform', task: 'load', payload: request });
  return { state: { ...state, queue }, effects };
}

/**
 * A transient decision: its effects do not wait for commits that are under way. The deliveries that it sends are committed rows. The
 * address and the secrets are the newest that were decided, and if the commit of a PATCH or of a rotation is refused, they were never
 * true. That is accepted: an authorised request named the address, which passes the address guard like any other; and a signature
 * that the receiver cannot verify (with a grace period of 0 only) is one failed attempt, which is repeated with the secrets that are
 * valid. Sends that wait for earlier commits would pay for that rare case with every event.
 */
function decideTransient(
  state: StitchState,
  turn: Turn,
  first: readonly Effect[] = [],
): StitchDecision<null> {
  return { ...startDeliveries(state, turn, first), transient: true, reply: null };
}

/** New deliveries were committed: of the event with number `from`, or without it of newer events. See wake.ts. */
export function wake(
  state: StitchState,
  { from }: { readonly from?: number },
  turn: Turn,
): StitchDecision<null> {
  const queue = from === undefined ? noteNewDeliveries(state.queue) : rewind(state.queue, from);
  const effects = mayHaveLateDeliveries(state) ? [createResumeEffect(turn)] : [];
  return decideTransient({ ...state, queue }, turn, effects);
}

/** Nothing is known of what is open: the whole table is read again, and what a crash interrupted is resumed. */
export function sweep(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  const hasWork = getUnfinishedWork(state).length > 0 || mayHaveLateDeliveries(state);
  const queue = { ...rewind(state.queue, 0), mayHaveDue: true };
  return decideTransient({ ...state, queue }, turn, hasWork ? [createResumeEffect(turn)] : []);
}

/** A turn of its own, which is not transient: its effects wait until every earlier commit has succeeded. */
function createResumeEffect({ id }: Turn): Effect {
  return { do: 'tell', to: { kind: 'stitch', id }, command: 'resume', payload: {} };
}

/**
 * The commit of an event that still saw the stitch live may end after the last page of the cancellation. Its deliveries would never
 * be closed.
 */
function mayHaveLateDeliveries(state: StitchState): boolean {
  return state.cancelUntil === null && exists(state) && !isLive(state);
}

/** Resumes what a crash may have interrupted, and cancels once more if nothing may be open. */
export function resume(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  if (!mayHaveLateDeliveries(state)) return { effects: getUnfinishedWork(state), reply: null };
  const next: StitchState = { ...state, cancelUntil: new Date(turn.now).toISOString() };
  return { state: next, effects: getUnfinishedWork(next), reply: null };
}

/** The tasks that the row stands for. `stitchesWithWork` (storage) finds the stitches that have any. */
function getUnfinishedWork(state: StitchState): Effect[] {
  return [
    ...state.replays.map((job): Effect => ({ do: 'perform', task: 'replay', payload: job })),
    ...state.ownerNotifications.map((notification): Effect => ({
      do: 'perform',
      task: 'notifyOwner',
      payload: notification,
    })),
    ...createCancelEffects(state),
  ];
}

/** The task that `cancelUntil` stands for. */
export function createCancelEffects({ queue, cancelUntil }: StitchState): Effect[] {
  if (cancelUntil === null) return [];
  // Those in flight end as their answers say.
  const payload: CancelRequest = { until: cancelUntil, except: getInFlightIds(queue) };
  return [{ do: 'perform', task: 'cancel', payload }];
}

/** Takes a page that the task `load` has read. `nextDueAt`: when the first retry after it is due, in epoch milliseconds. */
export function loaded(
  state: StitchState,
  { request, page, nextDueAt }: StitchCommands['loaded']['payload'],
  turn: Turn,
): StitchDecision<null> {
  const queue = acceptLoad(state.queue, request, page, turn.now);
  const at = getEarliest(nextDueAt, getNextHoldEnd(queue));
  const isSet = at === undefined || (state.dueAt !== null && state.dueAt <= at);
  const self = { kind: 'stitch', id: turn.id };
  const remind: Effect = { do: 'tell', to: self, command: 'remindDue', payload: { at } };
  return decideTransient({ ...state, queue }, turn, isSet ? [] : [remind]);
}

function getEarliest(a: number | null, b: number | undefined): number | undefined {
  if (a === null) return b;
  return b === undefined ? a : Math.min(a, b);
}

/** Receivers have answered, so that others may start; results are committed, so that their threads may go on. */
export function progress(
  state: StitchState,
  { answered, answers = [], released }: StitchCommands['progress']['payload'],
  turn: Turn,
): StitchDecision<null> {
  const window = adapt(state.queue.window, answers, countInState(state.queue, 'inFlight'), turn.now);
  const queue = release(acknowledge({ ...state.queue, window }, answered), released, turn.now);
  return decideTransient({ ...state, queue }, turn);
}

/** Sets the reminder `due` at `at` (epoch milliseconds), unless it is set for earlier. */
export function remindDue(state: StitchState, { at }: { readonly at: number }): StitchDecision<null> {
  if (state.dueAt !== null && state.dueAt <= at) return { reply: null };
  return { state: { ...state, dueAt: at }, remind: [createDueReminder(at)], reply: null };
}

/** @param at epoch milliseconds */
export function createDueReminder(at: number): Reminder {
  return { key: 'due', at, command: 'due', payload: {} };
}

/** The reminder: retries or holds are due. */
export function due(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  const queue = { ...dropEndedHolds(state.queue, turn.now), mayHaveDue: true };
  return { ...startDeliveries({ ...state, dueAt: null, queue }, turn), reply: null };
}

/** The reminder of an open circuit: one delivery may be tried. */
export function probe(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  return { ...startDeliveries(state, turn), reply: null };
}

/** The ids of the deliveries in flight. 404 for another tenant's stitch. */
export function listInFlight(state: StitchState, tenancy: Tenancy): StitchDecision<readonly string[]> {
  requireSameTenancy(state, tenancy);
  return { reply: getInFlightIds(state.queue) };
}
