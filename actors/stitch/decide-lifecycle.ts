/** Decisions: a stitch is created, changed, given a new secret, archived. */
import { isDeepStrictEqual } from 'node:util';
import type { Stitch } from '../../protocol/resources/index.ts';
import type { Effect, Reminder, Turn } from '../../runtime/actor/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { getPublicHost } from '../../runtime/outbound/index.ts';
import { checkLimit, checkStitchHosts } from '../../storage/writes/index.ts';
import { conflict } from '../../protocol/errors.ts';
import {
  createAuditWrites,
  exists,
  getChangedFields,
  mergeObject,
  requireSameTenancy,
  requireUnchanged,
  type Tenancy,
} from '../base/index.ts';
import type {
  ArchiveStitch,
  CreateStitch,
  RotateSecret,
  SealedStitch,
  StitchCommands,
  UpdateStitch,
} from './commands.ts';
import {
  createCancelEffects,
  createFollowWrite,
  startDeliveries,
  type StitchDecision,
} from './decide-delivery.ts';
import { createStitchEvent, toStitch } from './events.ts';
import { noteNewEvents, type DeliveryQueue } from './queue.ts';
import { healthy, isLive, isProbing, stop, type SealedSecret, type StitchState } from './state.ts';

/** The most secrets that sign at once: the newest, and two in their grace period. */
const maxSecrets = 3;

/** Creates the stitch, active. 409 when it exists. */
export function create(state: StitchState, command: CreateStitch, turn: Turn): StitchDecision<Stitch> {
  if (exists(state)) throw conflict('The stitch exists.');
  const { jwe, limit, hostLimit, act: _, key: _key, ...given } = command;
  const at = new Date(turn.now).toISOString();
  const next: StitchState = { ...state, ...given, secrets: [{ jwe }], createdAt: at, updatedAt: at };
  const { name, eventNames } = next;
  // Not its address, which may contain a secret.
  const writes = [
    checkLimit('stitches', limit, next.environmentId),
    ...checkHost(next, hostLimit),
    ...createAuditWrites(command, next, turn, 'stitch.created', { name, eventNames }),
    createFollowWrite(next, turn),
  ];
  return { state: next, writes, reply: toStitch(next, turn.id) };
}

/** Limits the stitches of the environment at the stitch's host, if that is a public one. */
function checkHost({ webhookUrl, environmentId }: StitchState, limit: number | undefined): Write[] {
  const host = webhookUrl === null ? undefined : getPublicHost(webhookUrl);
  return host === undefined || limit === undefined ? [] : [checkStitchHosts(limit, environmentId, host)];
}

/** 404 for another tenant's stitch; 409 for an archived one, which can only be restored. */
export function requireChangeable(state: StitchState, tenancy: Tenancy): void {
  requireSameTenancy(state, tenancy);
  if (state.archivedAt !== null) throw conflict('The stitch is archived.');
}

/**
 * Changes the stitch, disables it, activates it again, or brings it back from the archive. A change to the same values leaves `updatedAt`
 * as it is. 412 where If-Match names another state.
 */
export function update(state: StitchState, command: UpdateStitch, turn: Turn): StitchDecision<Stitch> {
  const { status, archived, ...changes } = command.changes;
  if (archived === undefined) requireChangeable(state, command);
  else requireSameTenancy(state, command);
  requireUnchanged(command, toStitch(state, turn.id));
  const metadata = mergeObject('metadata', state.metadata, changes.metadata);
  const isRestored = state.archivedAt !== null;
  let next: StitchState = { ...(isRestored ? restore(state) : state), ...changes, metadata };
  if (status !== undefined && status !== state.status) next = changeStatus(next, status, turn);
  // With a new address a stitch that failed need not wait for its next probe.
  else if (next.webhookUrl !== state.webhookUrl && isProbing(state)) {
    next = { ...next, health: { ...next.health, probeAt: turn.now } };
  }
  if (isDeepStrictEqual(next, state)) return { reply: toStitch(state, turn.id) };
  next = { ...next, updatedAt: new Date(turn.now).toISOString() };

  const changed = getChangedFields(command.changes);
  const writes: Write[] = [...createAuditWrites(command, next, turn, 'stitch.updated', changed)];
  if (followsOtherEvents(state, next)) writes.push(createFollowWrite(next, turn, state));
  const { limit } = command;
  if (isRestored && limit !== undefined) writes.push(checkLimit('stitches', limit, next.environmentId));
  if (isRestored || next.webhookUrl !== state.webhookUrl) writes.push(...checkHost(next, command.hostLimit));
  if (next.status !== state.status) {
    next = { ...next, made: next.made + 1 };
    const data = { stitch: toStitch(next, turn.id), previousStatus: state.status };
    const event = { name: 'stitch.status.changed', author: command.author, data, to: 'others' } as const;
    writes.push(createStitchEvent(next, event, turn).write);
  }
  const reply = toStitch(next, turn.id);
  return { ...startDeliveries(next, turn, getNewCancelEffects(state, next)), writes, reply };
}

function followsOtherEvents(before: StitchState, after: StitchState): boolean {
  return isLive(before) !== isLive(after) || !isDeepStrictEqual(before.eventNames, after.eventNames);
}

function changeStatus(state: StitchState, status: 'active' | 'disabled', turn: Turn): StitchState {
  if (status === 'disabled') return stop({ ...state, status, health: healthy }, turn.now);
  return { ...state, status, health: healthy, queue: expectDeliveries(state.queue) };
}

/** Back from the archive: the stitch gets the events from now on. */
function restore(state: StitchState): StitchState {
  return { ...state, archivedAt: null, queue: expectDeliveries(state.queue) };
}

/** There may be deliveries of every sort. */
function expectDeliveries(queue: DeliveryQueue): DeliveryQueue {
  return { ...noteNewEvents(queue), mayHaveRows: true, mayHaveDue: true };
}

function getNewCancelEffects(before: StitchState, after: StitchState): readonly Effect[] {
  return before.cancelUntil === after.cancelUntil ? [] : createCancelEffects(after);
}

/** The task `cancel` has cancelled everything that was open at that stop (ISO 8601). */
export function cancelled(
  state: StitchState,
  { until, partly }: StitchCommands['cancelled']['payload'],
  turn: Turn,
): StitchDecision<null> {
  // The stitch was stopped again since: the later instant has a task of its own.
  if (state.cancelUntil !== until) return { reply: null };
  // What is out was left as it is. Its row, if it has one by now, would be tried again: by this owner, or should its node die, by the next.
  if (state.queue.started.size > 0) return { reply: null };
  if (partly === true) return { effects: createCancelEffects(state), reply: null };
  const queue = expectDeliveries(state.queue);
  return { ...startDeliveries({ ...state, cancelUntil: null, queue }, turn), reply: null };
}

/** Archiving twice changes nothing. 404 for another tenant's stitch, 412 where If-Match names another state. */
export function archive(state: StitchState, command: ArchiveStitch, turn: Turn): StitchDecision<null> {
  requireSameTenancy(state, command);
  requireUnchanged(command, toStitch(state, turn.id));
  if (state.archivedAt !== null) return { reply: null };
  const at = new Date(turn.now).toISOString();
  const next: StitchState = { ...stop(state, turn.now), health: healthy, archivedAt: at, updatedAt: at };
  const writes = [
    ...createAuditWrites(command, next, turn, 'stitch.archived', { name: state.name }),
    createFollowWrite(next, turn, state),
  ];
  return { state: next, writes, effects: getNewCancelEffects(state, next), reply: null };
}

/** The new secret signs from now on; the older ones sign too until their grace period ends. */
export function rotateSecret(state: StitchState, command: RotateSecret, turn: Turn): StitchDecision<Stitch> {
  requireChangeable(state, command);
  const { gracePeriodSeconds } = command;
  const graceEnd = turn.now + gracePeriodSeconds * 1_000;
  const older = state.secrets.map(secret => ({
    ...secret,
    until: Math.min(secret.until ?? graceEnd, graceEnd),
  }));
  const secrets = getSigningSecrets([{ jwe: command.jwe }, ...older], turn.now).slice(0, maxSecrets);
  const updatedAt = new Date(turn.now).toISOString();
  const next: StitchState = { ...state, secrets, updatedAt, made: state.made + 1 };
  const stitch = toStitch(next, turn.id);
  const event = {
    name: 'stitch.secret.rotated',
    author: command.author,
    data: { stitch },
    to: 'all',
  } as const;
  return {
    state: next,
    writes: [
      ...createAuditWrites(command, next, turn, 'stitch.secret_rotated', { gracePeriodSeconds }),
      createStitchEvent(next, event, turn).write,
    ],
    remind: createGraceReminder(secrets),
    reply: stitch,
  };
}

/** What is kept of a new secret, so that a repetition shows the one that signs: as the row has it, sealed. It comes first, where it is found. */
export function toKeptSecret(stitch: Stitch, { jwe }: Pick<RotateSecret, 'jwe'>): SealedStitch {
  return { jwe, ...stitch };
}

/** The secrets that sign at that instant. */
export function getSigningSecrets(secrets: readonly SealedSecret[], now: number): readonly SealedSecret[] {
  return secrets.filter(({ until }) => until === undefined || until > now);
}

function createGraceReminder(secrets: readonly SealedSecret[]): Reminder[] {
  const ends = secrets.flatMap(({ until }) => (until === undefined ? [] : [until]));
  if (ends.length === 0) return [];
  return [{ key: 'grace', at: Math.min(...ends), command: 'endGrace', payload: {} }];
}

/** The reminder: drops the secrets whose grace period has ended. */
export function endGrace(state: StitchState, _: unknown, turn: Turn): StitchDecision<null> {
  const secrets = getSigningSecrets(state.secrets, turn.now);
  if (secrets.length === state.secrets.length) return { reply: null };
  return { state: { ...state, secrets }, remind: createGraceReminder(secrets), reply: null };
}
