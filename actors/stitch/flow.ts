/** How a stitch's deliveries flow: what is loaded, started and released, turn by turn. None of it is in the row. */
import type { Decision, Effect, Turn } from '../../runtime/actor.ts';
import type { Write } from '../../storage/writes.ts';
import { requireOwn, type Tenancy } from '../tenancy.ts';
import type { SendOrder, StitchCommands } from './commands.ts';
import { accept, askLoad } from './load.ts';
import { expire, land, nextHoldEnd, release, rewind, start, wake as wakeQueue } from './queue.ts';
import { isLive, type StitchState } from './state.ts';

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

function flow(state: StitchState, turn: Turn, first: readonly Effect[] = []): StitchDecision<null> {
  return { ...pump(state, turn, first), transient: true, reply: null };
}

export function wake(
  state: StitchState,
  { from }: { readonly from?: number },
  turn: Turn,
): StitchDecision<null> {
  const queue = from === undefined ? wakeQueue(state.queue) : rewind(state.queue, from);
  return flow({ ...state, queue }, turn);
}

export function sweep(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  const work: Effect[] = unfinished(state);
  return flow({ ...state, queue: { ...rewind(state.queue, 0), due: true } }, turn, work);
}

/** The tasks that a crash may have interrupted. */
export function unfinished({ queue, cancelUntil, replays }: StitchState): Effect[] {
  const effects: Effect[] = replays.map(job => ({ do: 'perform', task: 'replay', payload: job }));
  if (cancelUntil !== null) {
    // Those end as their answers say.
    const except = [...queue.flying.keys()];
    effects.push({ do: 'perform', task: 'cancel', payload: { until: cancelUntil, except } });
  }
  return effects;
}

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

export function progress(
  state: StitchState,
  { answered, released }: StitchCommands['progress']['payload'],
  turn: Turn,
): StitchDecision<null> {
  const queue = release(land(state.queue, answered), released, turn.now);
  return flow({ ...state, queue }, turn);
}

export function remindDue(state: StitchState, { at }: { readonly at: number }): StitchDecision<null> {
  if (state.dueAt !== null && state.dueAt <= at) return { reply: null };
  return { state: { ...state, dueAt: at }, remind: [dueReminder(at)], reply: null };
}

export function dueReminder(at: number): { key: string; at: number; command: string; payload: unknown } {
  return { key: 'due', at, command: 'due', payload: {} };
}

export function due(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  const queue = { ...expire(state.queue, turn.now), due: true };
  return { ...pump({ ...state, dueAt: null, queue }, turn), reply: null };
}

export function probe(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  return { ...pump(state, turn), reply: null };
}

export function underWay(state: StitchState, tenancy: Tenancy): StitchDecision<readonly string[]> {
  requireOwn(state, tenancy);
  return { reply: [...state.queue.flying.keys()] };
}
