/** A stitch's life: made, changed, given a new secret, archived. */
import { isDeepStrictEqual } from 'node:util';
import type { Stitch } from '../../protocol/resources/stitch.ts';
import type { Effect, Reminder, Turn } from '../../runtime/actor.ts';
import type { Write } from '../../storage/writes.ts';
import { actRows, fieldsOf } from '../act.ts';
import { conflict } from '../conflict.ts';
import { requireOwn, type Tenancy } from '../tenancy.ts';
import type { ArchiveStitch, CreateStitch, RotateSecret, UpdateStitch } from './commands.ts';
import { cancellation, pump, type StitchDecision } from './flow.ts';
import { newsOf, stitchView } from './news.ts';
import { clear, rewind } from './queue.ts';
import { exists, healthy, type SealedSecret, type StitchState } from './state.ts';

/** Most secrets that sign at once: the newest and two whose grace lasts. */
const mostSecrets = 3;

/** Makes the stitch, active. 409 when it exists. */
export function create(state: StitchState, command: CreateStitch, turn: Turn): StitchDecision<Stitch> {
  if (exists(state)) throw conflict('The stitch exists.');
  const { jwe, act: _, ...given } = command;
  const at = new Date(turn.now).toISOString();
  const next: StitchState = { ...state, ...given, secrets: [{ jwe }], createdAt: at, updatedAt: at };
  const { name, eventNames } = next;
  // Not its address, which may carry a secret.
  const writes = actRows(command, next, turn, 'stitch.created', { name, eventNames });
  return { state: next, writes, reply: stitchView(next, turn.id) };
}

/** 404 for another tenant; 409 for a stitch that is archived, which is only read any more. */
export function requireChangeable(state: StitchState, tenancy: Tenancy): void {
  requireOwn(state, tenancy);
  if (state.archivedAt !== null) throw conflict('The stitch is archived.');
}

/**
 * Changes, pauses for good (`disabled`) or starts again (`active`); what changes nothing leaves `updatedAt` as it is.
 */
export function update(state: StitchState, command: UpdateStitch, turn: Turn): StitchDecision<Stitch> {
  requireChangeable(state, command);
  const { status, ...changes } = command.changes;
  let next: StitchState = { ...state, ...changes };
  if (status !== undefined && status !== state.status) next = moved(next, status, turn);
  // A new address, or a word from the owner: an open circuit need not wait for its next probe.
  else if (next.webhookUrl !== state.webhookUrl && state.status === 'error') {
    next = { ...next, health: { ...next.health, probeAt: turn.now } };
  }
  if (isDeepStrictEqual(next, state)) return { reply: stitchView(state, turn.id) };
  next = { ...next, updatedAt: new Date(turn.now).toISOString() };

  const writes: Write[] = [...actRows(command, next, turn, 'stitch.updated', fieldsOf(command.changes))];
  if (next.status !== state.status) {
    next = { ...next, made: next.made + 1 };
    const data = { stitch: stitchView(next, turn.id), previousStatus: state.status };
    const event = { name: 'stitch.status.changed', author: command.author, data, to: 'others' } as const;
    writes.push(newsOf(next, event, turn).write);
  }
  const reply = stitchView(next, turn.id);
  return { ...pump(next, turn, cancelling(state, next)), writes, reply };
}

function moved(state: StitchState, status: 'active' | 'disabled', turn: Turn): StitchState {
  if (status === 'disabled') return stopped({ ...state, status }, turn);
  return { ...state, status, health: healthy, queue: { ...rewind(state.queue, 0), due: true } };
}

/** What was waiting will be cancelled. */
function stopped(state: StitchState, turn: Turn): StitchState {
  return {
    ...state,
    health: healthy,
    cancelUntil: new Date(turn.now).toISOString(),
    queue: clear(state.queue),
  };
}

function cancelling(before: StitchState, after: StitchState): readonly Effect[] {
  return before.cancelUntil === after.cancelUntil ? [] : cancellation(after);
}

/** The task `cancel` has ended everything until that instant (ISO 8601). */
export function cancelled(
  state: StitchState,
  { until }: { readonly until: string },
  turn: Turn,
): StitchDecision<null> {
  // Stopped again meanwhile: the later instant has a task of its own.
  if (state.cancelUntil !== until) return { reply: null };
  const queue = { ...rewind(state.queue, 0), due: true };
  return { ...pump({ ...state, cancelUntil: null, queue }, turn), reply: null };
}

/** Archiving twice is archiving once. */
export function archive(state: StitchState, command: ArchiveStitch, turn: Turn): StitchDecision<null> {
  requireOwn(state, command);
  if (state.archivedAt !== null) return { reply: null };
  const at = new Date(turn.now).toISOString();
  const next: StitchState = { ...stopped(state, turn), archivedAt: at, updatedAt: at, replays: [] };
  const writes = actRows(command, next, turn, 'stitch.archived', { name: state.name });
  return { state: next, writes, effects: cancelling(state, next), reply: null };
}

/** A new secret signs from now on, the older ones beside it until their grace ends (decisions section 6). */
export function rotateSecret(state: StitchState, command: RotateSecret, turn: Turn): StitchDecision<Stitch> {
  requireChangeable(state, command);
  const graceEnd = turn.now + command.gracePeriodSeconds * 1_000;
  const older = state.secrets.map(secret => ({
    ...secret,
    until: Math.min(secret.until ?? graceEnd, graceEnd),
  }));
  const secrets = signing([{ jwe: command.jwe }, ...older], turn.now).slice(0, mostSecrets);
  const updatedAt = new Date(turn.now).toISOString();
  const next: StitchState = { ...state, secrets, updatedAt, made: state.made + 1 };
  const stitch = stitchView(next, turn.id);
  const event = {
    name: 'stitch.secret.rotated',
    author: command.author,
    data: { stitch },
    to: 'all',
  } as const;
  return {
    state: next,
    writes: [
      ...actRows(command, next, turn, 'stitch.secret_rotated', {
        gracePeriodSeconds: command.gracePeriodSeconds,
      }),
      newsOf(next, event, turn).write,
    ],
    remind: graceReminder(secrets),
    reply: stitch,
  };
}

/** The secrets that sign at that instant. */
export function signing(secrets: readonly SealedSecret[], now: number): readonly SealedSecret[] {
  return secrets.filter(({ until }) => until === undefined || until > now);
}

function graceReminder(secrets: readonly SealedSecret[]): Reminder[] {
  const ends = secrets.flatMap(({ until }) => (until === undefined ? [] : [until]));
  if (ends.length === 0) return [];
  return [{ key: 'grace', at: Math.min(...ends), command: 'endGrace', payload: {} }];
}

/** The reminder: drops the secrets whose grace is over. */
export function endGrace(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  const secrets = signing(state.secrets, turn.now);
  if (secrets.length === state.secrets.length) return { reply: null };
  return { state: { ...state, secrets }, remind: graceReminder(secrets), reply: null };
}
