/**
 * The decisions of a channel: it is created and changed, and keeps what its owner reports (acknowledged commands, and receipts that
 * arrived before their message was known). Those of a chatapp channel's connection are in decide-connection.ts.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Decision, Turn } from '../../runtime/actor/index.ts';
import { formatEvent, type EventName } from '../../protocol/events.ts';
import { numberedId } from '../../protocol/ids.ts';
import type { Actor, ChannelChange, ChannelStatus } from '../../protocol/resources/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import {
  acknowledgeCommand,
  appendEvent,
  checkLimit,
  insertChannelChange,
  parkReceipt,
} from '../../storage/writes/index.ts';
import { conflict } from '../../protocol/errors.ts';
import {
  createAuditWrites,
  exists,
  getChangedFields,
  mergeObject,
  requireSameTenancy,
  requireUnchanged,
  systemActor,
} from '../base/index.ts';
import { toChannel, type ChannelState } from './state.ts';
import type {
  AnnounceTemplate,
  CreateChannel,
  UpdateChannel,
  AcknowledgeCommand,
  MarkRead,
  ParkedReceipt,
  ParkedSeen,
  ParkReceipt,
} from './commands.ts';

export type ChannelDecision<Reply> = Decision<ChannelState, Reply, Write>;

/** A parked receipt waits this long for its message, in milliseconds. */
export const parkedMs = 24 * 3_600_000;

/** After this long a parked receipt looks once more whether its message arrived while it was being parked, in milliseconds. */
const recheckMs = 60_000;
/** After this long that look is repeated, if it did not end. */
const recheckAgainMs = 300_000;

/** The id of the last event that `state` has counted. */
export function getEventId(state: ChannelState, turn: Turn): string {
  return numberedId('event', turn.now, turn.id, state.events);
}

/**
 * The event about `state`. The state's event counter includes it already.
 *
 * @param members default: the channel
 */
export function createEvent(
  state: ChannelState,
  turn: Turn,
  eventName: EventName,
  actor: Actor,
  members: object = { channel: toChannel(state, turn.id) },
): Write {
  const { projectId, environmentId } = state;
  const eventId = getEventId(state, turn);
  const occurredAt = new Date(turn.now).toISOString();
  const data = JSON.stringify({ environmentId, channelId: turn.id, actor, ...members });
  const body = formatEvent({ eventId, eventName, occurredAt, projectId, data });
  return appendEvent({ projectId, environmentId, eventId, eventName, occurredAt, channelId: turn.id, body });
}

/** The event about `state`, and the entry of the channel's history that says the same and why. */
export function createChange(
  state: ChannelState,
  turn: Turn,
  eventName: ChannelChange['eventName'],
  { actor, previousStatus = null, members }: ChangeFacts,
): readonly Write[] {
  const { projectId, environmentId, status, chatapp } = state;
  const entry = insertChannelChange({
    channelId: turn.id,
    eventId: getEventId(state, turn),
    projectId,
    environmentId,
    eventName,
    status,
    previousStatus,
    error: chatapp?.failure ?? null,
    tokenExpiresAt: chatapp?.connection?.tokenExpiresAt ?? null,
    actor,
    occurredAt: new Date(turn.now).toISOString(),
  });
  return [createEvent(state, turn, eventName, actor, members), entry];
}

interface ChangeFacts {
  readonly actor: Actor;
  /** Default, and null: the status is the same as before. */
  readonly previousStatus?: ChannelStatus | null;
  /** Of the event. */
  readonly members?: object;
}

/** Creates the channel. It is connected at once, except a chatapp, which has to be connected first. 409 when it exists. */
export function create(state: ChannelState, command: CreateChannel, turn: Turn): ChannelDecision<string> {
  if (exists(state)) throw conflict('The channel exists.');
  const { projectId, environmentId, name, kind, metadata, limit } = command;
  const at = new Date(turn.now).toISOString();
  const next: ChannelState = {
    ...state,
    projectId,
    environmentId,
    name,
    kind,
    metadata,
    status: kind === 'chatapp' ? 'disconnected' : 'connected',
    createdAt: at,
    updatedAt: at,
    events: 1,
  };
  return {
    state: next,
    writes: [
      checkLimit('channels', limit, projectId),
      ...createAuditWrites(command, next, turn, 'channel.created', { name, kind }),
      ...createChange(next, turn, 'channel.lifecycle.created', { actor: command.author }),
    ],
    reply: JSON.stringify(toChannel(next, turn.id)),
  };
}

/**
 * Without an event. A change to the same values leaves `updatedAt` as it is. 404 for another tenant's channel, 412 where If-Match names
 * another state.
 */
export function update(state: ChannelState, command: UpdateChannel, turn: Turn): ChannelDecision<string> {
  requireSameTenancy(state, command);
  requireUnchanged(command, toChannel(state, turn.id));
  const metadata = mergeObject('metadata', state.metadata, command.changes.metadata);
  const next: ChannelState = { ...state, ...command.changes, metadata };
  if (isDeepStrictEqual(next, state)) return { reply: JSON.stringify(toChannel(state, turn.id)) };
  const updated: ChannelState = { ...next, updatedAt: new Date(turn.now).toISOString() };
  return {
    state: updated,
    writes: createAuditWrites(command, updated, turn, 'channel.updated', getChangedFields(command.changes)),
    reply: JSON.stringify(toChannel(updated, turn.id)),
  };
}

/** Takes a command off the list of open ones; repeating it changes nothing. 404 for another tenant's channel. */
export function acknowledge(
  state: ChannelState,
  command: AcknowledgeCommand,
  turn: Turn,
): ChannelDecision<null> {
  requireSameTenancy(state, command);
  const at = new Date(turn.now).toISOString();
  return {
    writes: [acknowledgeCommand({ eventId: command.eventId, channelId: turn.id, at })],
    reply: null,
  };
}

/**
 * Keeps a receipt for an unknown message, for `parkedMs`, and sets the reminder that searches for the message again. 404 for another
 * tenant's channel.
 */
export function park(state: ChannelState, command: ParkReceipt, turn: Turn): ChannelDecision<null> {
  requireSameTenancy(state, command);
  const { projectId, environmentId, externalMessageId, receipt } = command;
  return {
    writes: [
      parkReceipt({
        channelId: turn.id,
        externalMessageId,
        status: receipt.status,
        occurredAt: receipt.occurredAt,
        payload: receipt,
        expiresAt: new Date(turn.now + parkedMs).toISOString(),
      }),
    ],
    remind: [
      {
        key: `parked:${externalMessageId}`,
        at: turn.now + recheckMs,
        command: 'applyParked',
        payload: { projectId, environmentId, externalMessageId } satisfies ParkedReceipt,
      },
    ],
    reply: null,
  };
}

/**
 * The reminder that `park` sets: starts the task that looks for the message (receipts.ts). Until that has ended (`parkedSeen`) a reminder
 * stands for it. It has a key of its own: a receipt that is parked meanwhile has another.
 */
export function applyParked(_state: ChannelState, command: ParkedReceipt, turn: Turn): ChannelDecision<null> {
  const recheck = `recheck:${turn.now}:${command.externalMessageId}`;
  const payload: ParkedReceipt & ParkedSeen = { ...command, recheck };
  return {
    remind: [{ key: recheck, at: turn.now + recheckAgainMs, command: 'applyParked', payload: command }],
    effects: [{ do: 'perform', task: 'applyParked', payload }],
    reply: null,
  };
}

export function parkedSeen(_state: ChannelState, { recheck }: ParkedSeen): ChannelDecision<null> {
  return { forget: [recheck], reply: null };
}

/** Changes of templates that are remembered. The provider repeats a webhook within minutes, or not at all. */
const maxTemplateChanges = 50;

/** A template has another status at the provider; only once, however often the provider says so. */
export function announceTemplate(
  state: ChannelState,
  command: AnnounceTemplate,
  turn: Turn,
): ChannelDecision<null> {
  requireSameTenancy(state, command);
  const { key, template, reason } = command;
  const { chatapp } = state;
  const known = chatapp?.templateChanges ?? [];
  if (chatapp === null || known.includes(key)) return { reply: null };
  const templateChanges = [...known, key].slice(-maxTemplateChanges);
  const next = { ...state, events: state.events + 1, chatapp: { ...chatapp, templateChanges } };
  const members = { template, reason };
  return {
    state: next,
    writes: [createEvent(next, turn, 'channel.template.status_changed', systemActor, members)],
    reply: null,
  };
}

/** The provider shows it to the participant, if it can be told now. */
export function markRead(_state: ChannelState, command: MarkRead): ChannelDecision<null> {
  return { effects: [{ do: 'perform', task: 'markRead', payload: command }], reply: null };
}
