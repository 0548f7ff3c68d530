/** How a stitch's deliveries flow: what is loaded, started and released, turn by turn. None of it is in the row. */
import type { Decision, Effect, Turn } from '../../runtime/actor.ts';
import type { Write } from '../../storage/writes.ts';
import { requireOwn, type Tenancy } from '../tenancy.ts';
import type { SendOrder, StitchCommands } from './commands.ts';
import { accept, askLoad } from './load.ts';
import { expire, land, nextHoldEnd, release, rewind, start, wake as wakeQueue } from './queue.ts';
import { exists, isLive, type StitchState } from './state.ts';

export type StitchDecision<Reply> = Decision<StitchState, Reply, Write>;

/** Requests of one stitch that are out at once (decisions, section 6). */
export const mostInFlight = 20;

/** How many deliveries may be started now. */
export function slotsOf({ queue, status, health, cancelUntil }: StitchState, now: number): number {
  if (cancelUntil !== null) return 0;
  if (status === 'active') return mostInFlight - queue.flying.size;
  // The circuit is open: one probe, and nothing beside it.
  const quiet = queue.flying.size === 0 && queue.settling.size === 0;
  return status === 'error' && quiet && now >= (health.probeAt ?? 0) ? 1 : 0;
}

/** Starts what may start and asks for more where there is room: the end of every turn that changes the queue. */
export function pump(
  state: StitchState,
  turn: Turn,
  first: readonly Effect[] = [],
): { readonly state: StitchState; readonly effects: readonly Effect[] } {
  if (!isLive(state) || state.webhookUrl === null) return { state, effects: first };
  const slots = slotsOf(state, turn.now);
  const { queue: started, started: deliveries } = start(state.queue, slots, turn.now);
  const { queue, request } =
    slots > 0 ? askLoad(started, state.status === 'error', turn.now) : { queue: started, request: undefined };
  if (queue === state.queue) return { state, effects: first };
  const effects: Effect[] = [...first];
  if (deliveries.length > 0) {
    const order: SendOrder = {
      url: state.webhookUrl,
      httpsOnly: state.environmentKind === 'production',
      projectId: state.projectId,
      secrets: state.secrets,
      deliveries,
    };
    effects.push({ do: 'perform', task: 'send', payload: order });
  }
  if (request !== undefined) effects.push({ do: 'perform', task: 'load', payload: request });
  return { state: { ...state, queue }, effects };
}

/**
 * Transient, so ahead of commits under way. The deliveries that it sends are committed rows; the address and the secrets are the
 * newest decided, and a PATCH or a rotation whose commit is then refused was never true. That is accepted: an authorised
 * request named the address, which passes the guard like any other; and a signature that the receiver cannot verify, with a
 * grace of 0 only, is one failed attempt, made again with the secrets that hold. A send that waits for the commits before
 * it would pay for that seldom case at every event.
 */
function flow(state: StitchState, turn: Turn, first: readonly Effect[] = []): StitchDecision<null> {
  return { ...pump(state, turn, first), transient: true, reply: null };
}

/** New deliveries were committed: of the event with number `from`, or without it of newer events. */
export function wake(
  state: StitchState,
  { from }: { readonly from?: number },
  turn: Turn,
): StitchDecision<null> {
  const queue = from === undefined ? wakeQueue(state.queue) : rewind(state.queue, from);
  return flow({ ...state, queue }, turn, mayHaveStrays(state) ? [resumption(turn)] : []);
}

/**
 * Of what is open nothing is known any more: the whole table is looked through, and what a crash interrupted taken
 * up.
 */
export function sweep(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  const work = unfinished(state).length > 0 || mayHaveStrays(state) ? [resumption(turn)] : [];
  return flow({ ...state, queue: { ...rewind(state.queue, 0), due: true } }, turn, work);
}

/** In a turn of its own, which is not transient: its effects wait until every earlier commit has landed. */
function resumption({ id }: Turn): Effect {
  return { do: 'tell', to: { kind: 'stitch', id }, command: 'resume', payload: {} };
}

/**
 * A commit that still saw the stitch live may land after the last page of the cancellation, and its deliveries would stay
 * open for ever.
 */
function mayHaveStrays(state: StitchState): boolean {
  return state.cancelUntil === null && exists(state) && !isLive(state);
}

/** Takes up what a crash may have interrupted, and cancels once more where nothing is to be open. */
export function resume(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  if (!mayHaveStrays(state)) return { effects: unfinished(state), reply: null };
  const next: StitchState = { ...state, cancelUntil: new Date(turn.now).toISOString() };
  return { state: next, effects: unfinished(next), reply: null };
}

/** The tasks that the row stands for: see also `stitchesWithWork`, which finds the stitches that have any. */
function unfinished(state: StitchState): Effect[] {
  return [
    ...state.replays.map((job): Effect => ({ do: 'perform', task: 'replay', payload: job })),
    ...state.ownerNews.map((news): Effect => ({ do: 'perform', task: 'tellOwner', payload: news })),
    ...cancellation(state),
  ];
}

/** The task that `cancelUntil` stands for. */
export function cancellation({ queue, cancelUntil }: StitchState): Effect[] {
  if (cancelUntil === null) return [];
  // Those end as their answers say.
  const except = [...queue.flying.keys()];
  return [{ do: 'perform', task: 'cancel', payload: { until: cancelUntil, except } }];
}

/**
 * Takes a page that the task `load` has read. `nextDueAt`, epoch milliseconds: when the first retry after it is due.
 */
export function loaded(
  state: StitchState,
  { request, page, nextDueAt }: StitchCommands['loaded']['payload'],
  turn: Turn,
): StitchDecision<null> {
  const queue = accept(state.queue, request, page, turn.now);
  const at = earliest(nextDueAt, nextHoldEnd(queue));
  const isSet = at === undefined || (state.dueAt !== null && state.dueAt <= at);
  const self = { kind: 'stitch', id: turn.id };
  const remind: Effect = { do: 'tell', to: self, command: 'remindDue', payload: { at } };
  return flow({ ...state, queue }, turn, isSet ? [] : [remind]);
}

function earliest(a: number | null, b: number | undefined): number | undefined {
  if (a === null) return b;
  return b === undefined ? a : Math.min(a, b);
}

/** Takes note of answers, whose places are free again, and of committed results, whose threads may go on. */
export function progress(
  state: StitchState,
  { answered, released }: StitchCommands['progress']['payload'],
  turn: Turn,
): StitchDecision<null> {
  const queue = release(land(state.queue, answered), released, turn.now);
  return flow({ ...state, queue }, turn);
}

/** Sets the reminder `due` at `at` (epoch milliseconds), unless it is set for earlier. */
export function remindDue(state: StitchState, { at }: { readonly at: number }): StitchDecision<null> {
  if (state.dueAt !== null && state.dueAt <= at) return { reply: null };
  return { state: { ...state, dueAt: at }, remind: [dueReminder(at)], reply: null };
}

/** @param at epoch milliseconds */
export function dueReminder(at: number): { key: string; at: number; command: string; payload: unknown } {
  return { key: 'due', at, command: 'due', payload: {} };
}

/** The reminder: retries or holds are due. */
export function due(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  const queue = { ...expire(state.queue, turn.now), due: true };
  return { ...pump({ ...state, dueAt: null, queue }, turn), reply: null };
}

/** The reminder of an open circuit: one delivery may try. */
export function probe(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  return { ...pump(state, turn), reply: null };
}

/** The ids of the deliveries that are out at this moment. 404 for another tenant's stitch. */
export function underWay(state: StitchState, tenancy: Tenancy): StitchDecision<readonly string[]> {
  requireOwn(state, tenancy);
  return { reply: [...state.queue.flying.keys()] };
}
