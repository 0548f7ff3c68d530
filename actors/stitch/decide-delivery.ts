/**
 * Decisions: which deliveries are loaded, sent and released, turn by turn. The queue is in memory only; these turns write no rows, except
 * for reminders, and for what the stitch follows and how far it is.
 */
import type { Decision, Effect, Reminder, Turn } from '../../runtime/actor/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { exists, requireSameTenancy, type Tenancy } from '../base/index.ts';
import { endInFlight, followLog } from '../../storage/writes/index.ts';
import type { CancelRequest, LoadOrder, SendBatch, StitchCommands } from './commands.ts';
import { acceptLoad, dropLoad, requestLoad } from './queue-load.ts';
import {
  acknowledge,
  countInState,
  type DeliveryQueue,
  dropEndedHolds,
  forgetStarted,
  getInFlightIds,
  getStartedAttempts,
  getStartedIds,
  giveBack,
  getNextHoldEnd,
  getSettledSeq,
  noteNewEvents,
  readRows,
  release,
  start,
} from './queue.ts';
import { isLive, isProbing, type StitchState } from './state.ts';
import { adapt } from './window.ts';

export type StitchDecision<Reply> = Decision<StitchState, Reply, Write>;

/** How many deliveries may be started now. */
function getFreeSlots(state: StitchState, now: number): number {
  const { queue, health, cancelUntil } = state;
  if (cancelUntil !== null) return 0;
  if (!isProbing(state)) return Math.floor(queue.window.size) - countInState(queue, 'inFlight');
  // One probe, and nothing beside it.
  const isIdle = queue.started.size === 0;
  return isIdle && now >= (health.probeAt ?? 0) ? 1 : 0;
}

/** Starts what may start, and requests a load if there is room: the end of every turn that changes the queue. */
export function startDeliveries(
  state: StitchState,
  turn: Turn,
  first: readonly Effect[] = [],
): { readonly state: StitchState; readonly effects: readonly Effect[] } {
  if (!isLive(state) || state.webhookUrl === null) return { state, effects: first };
  const slots = getFreeSlots(state, turn.now);
  // Where some events fail and others do not, the next that succeeds is found by trying what was not tried before, so that is at hand when
  // the pause ends. With an open circuit the oldest come first, which some day are exhausted: only then is the stitch disabled.
  const prefersNew = isProbing(state) && state.status === 'active';
  const { queue: started, deliveries } = start(state.queue, slots, turn.now, prefersNew);
  const { queue, request } =
    slots > 0 || prefersNew
      ? requestLoad(started, isProbing(state), turn.now)
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
      stops: state.stops,
      provenHost: state.provenHost,
    };
    effects.push({ do: 'perform', task: 'send', payload: batch });
  }
  if (request !== undefined) {
    const { projectId, environmentId } = state;
    const order: LoadOrder = { projectId, environmentId, request };
    effects.push({ do: 'perform', task: 'load', payload: order });
  }
  return { state: { ...state, queue }, effects };
}

/**
 * A transient decision: its effects do not wait for commits that are under way. The deliveries that it sends are committed events. The
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

/** New events were committed, up to `newest`; or pending rows, of the event with number `from`. See wake.ts. */
export function wake(
  state: StitchState,
  { from, newest }: StitchCommands['wake']['payload'],
  turn: Turn,
): StitchDecision<null> {
  const queue = from === undefined ? noteNewEvents(state.queue, newest) : readRows(state.queue, from);
  return decideTransient(queue === state.queue ? state : { ...state, queue }, turn);
}

/** Wakes the stitch, resumes what a crash interrupted, and lets the row say how far the stitch is. */
export function sweep(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  const isBehind = getSettledSeq(state.queue) > state.settledSeq;
  const resumes = exists(state) && (isBehind || !isLive(state) || getUnfinishedWork(state).length > 0);
  const next = { ...state, queue: noteNewEvents(state.queue) };
  // A turn of its own, which is not transient: its effects wait until every earlier commit has succeeded.
  const to = { kind: 'stitch', id: turn.id };
  return decideTransient(next, turn, resumes ? [{ do: 'tell', to, command: 'resume', payload: {} }] : []);
}

/**
 * Resumes what a crash may have interrupted, and writes how far the stitch is.
 *
 * A stitch that accepts nothing follows nothing. It says so again, since a node that died may have had requests in flight when the others
 * were cancelled: they are not heard of any more. Nor is anything heard of them where it was enabled again since.
 */
export function resume(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  const effects = getUnfinishedWork(state);
  if (!exists(state)) return { effects, reply: null };
  const writes = [
    isLive(state)
      ? endInFlight({ stitchId: turn.id, inFlight: getStartedIds(state.queue) })
      : createFollowWrite(state, turn),
  ];
  const settledSeq = getSettledSeq(state.queue);
  if (settledSeq <= state.settledSeq) return { writes, effects, reply: null };
  return { state: { ...state, settledSeq }, writes, effects, reply: null };
}

/**
 * What the stitch follows from this commit on, as its state says.
 *
 * @param before the state whose queue has what is cancelled where the stitch accepts no more
 */
export function createFollowWrite(state: StitchState, turn: Turn, before = state): Write {
  return followLog({
    projectId: state.projectId,
    stitchId: turn.id,
    wanted: isLive(state) && state.webhookUrl !== null ? state.eventNames : null,
    settled: getSettledSeq(before.queue),
    inFlight: isLive(state) ? [] : getStartedIds(before.queue),
    at: new Date(turn.now).toISOString(),
  });
}

/** The tasks that the row stands for. `unfinishedStitches` (storage) finds the stitches that have any. */
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
export function createCancelEffects({ queue, cancelUntil, stops }: StitchState): Effect[] {
  if (cancelUntil === null) return [];
  // Those that have begun end as their answers say, be they answered already: only what was decided before the stop has a row that says
  // so by now, and if that is to be tried again, it is cancelled.
  const payload: CancelRequest = { until: cancelUntil, except: getStartedAttempts(queue), stops };
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
  // What waits is started by the next probe, which looks for the others, too.
  const isProbed = isProbing(state) && queue.waiting.length > 0;
  const isSet = at === undefined || isProbed || (state.dueAt !== null && state.dueAt <= at);
  const self = { kind: 'stitch', id: turn.id };
  const effects: Effect[] = [];
  if (!isSet) effects.push({ do: 'tell', to: self, command: 'remindDue', payload: { at } });
  return decideTransient({ ...state, queue }, turn, effects);
}

/** How long a stitch of an archived project waits until it looks again, in milliseconds, where nobody tells it that the project is back. */
const postponeMs = 300_000;

/**
 * The project is archived. All that waits is left where it is found again: in the log and in the table. Whoever restores the project has
 * the stitch swept; the recovery scanner does where it is behind the log, and the reminder `due` for its retries.
 *
 * Or the stitch was stopped before these deliveries had their turn in the node's queue: they are cancelled like all that waited here, and
 * the stop lasts no longer for them.
 */
export function postpone(
  state: StitchState,
  { askedAt, deliveryIds = [] }: StitchCommands['postpone']['payload'],
  turn: Turn,
): StitchDecision<null> {
  // Begun before this activation, and given back by a node that the stitch has been away from: nobody waits for them here.
  const isKnown = deliveryIds.some(id => state.queue.started.get(id)?.state === 'inFlight');
  if (askedAt === undefined && !isKnown) return { transient: true, reply: null };
  // Until a stop is over nothing begins: all that has begun is from before it.
  const isStopped = state.cancelUntil !== null;
  const given = isStopped ? forgetStarted(state.queue, deliveryIds) : giveBack(state.queue, deliveryIds);
  const { load } = given;
  const queue = load !== null && load.askedAt === askedAt ? dropLoad(given, load, turn.now) : given;
  const effects = resumeCancellation(state, queue, turn);
  if (state.dueAt !== null || isStopped || !isLive(state)) {
    return { state: { ...state, queue }, effects, transient: true, reply: null };
  }
  const at = turn.now + postponeMs;
  return { state: { ...state, queue, dueAt: at }, effects, remind: [createDueReminder(at)], reply: null };
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
  return decideTransient({ ...state, queue }, turn, resumeCancellation(state, queue, turn));
}

/** Where the stitch was stopped, and nothing is out any more that kept `cancelUntil` standing. A turn of its own, as in `sweep`. */
function resumeCancellation({ queue, cancelUntil }: StitchState, next: DeliveryQueue, turn: Turn): Effect[] {
  if (cancelUntil === null || queue.started.size === 0 || next.started.size > 0) return [];
  return [{ do: 'tell', to: { kind: 'stitch', id: turn.id }, command: 'resume', payload: {} }];
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
  return { ...startDeliveries({ ...state, dueAt: null, queue: expectDue(state, turn) }, turn), reply: null };
}

function expectDue({ queue }: StitchState, { now }: Turn): DeliveryQueue {
  return { ...dropEndedHolds(queue, now), mayHaveDue: true };
}

/** The reminder of a stitch whose receiver fails: one delivery may be tried. */
export function probe(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  return { ...startDeliveries({ ...state, queue: expectDue(state, turn) }, turn), reply: null };
}

/** The ids of the deliveries in flight. 404 for another tenant's stitch. */
export function listInFlight(state: StitchState, tenancy: Tenancy): StitchDecision<readonly string[]> {
  requireSameTenancy(state, tenancy);
  return { reply: getInFlightIds(state.queue) };
}
