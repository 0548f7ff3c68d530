/** A channel's life: made, changed, connected or not. */
import { isDeepStrictEqual } from 'node:util';
import type { Decision, Turn } from '../../runtime/actor.ts';
import { eventText, type EventName } from '../../protocol/events.ts';
import { numberedId } from '../../protocol/ids.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import { appendEvent, type Write } from '../../storage/writes.ts';
import { actRows, fieldsOf } from '../act.ts';
import { conflict } from '../conflict.ts';
import { requireOwn } from '../tenancy.ts';
import { channelView } from './channel-text.ts';
import type { CreateChannel, SetChannelStatus, UpdateChannel } from './commands.ts';
import { mayMove, type ChannelState } from './state.ts';

type ChannelDecision<Reply> = Decision<ChannelState, Reply, Write>;

/** The event that tells of `state`, which counts it already. */
function event(state: ChannelState, turn: Turn, eventName: EventName, actor: Actor): Write {
  const { projectId, environmentId } = state;
  const eventId = numberedId('event', turn.now, turn.id, state.events);
  const occurredAt = new Date(turn.now).toISOString();
  const channel = channelView(state, turn.id);
  const data = JSON.stringify({ environmentId, channelId: turn.id, actor, channel });
  const body = eventText({ eventId, eventName, occurredAt, projectId, data });
  return appendEvent({ projectId, environmentId, eventId, eventName, occurredAt, channelId: turn.id, body });
}

/** Makes the channel: connected at once, but a chatapp is to be connected first. 409 when it exists. */
export function create(state: ChannelState, command: CreateChannel, turn: Turn): ChannelDecision<string> {
  if (state.projectId !== '') throw conflict('The channel exists.');
  const { projectId, environmentId, name, kind, metadata } = command;
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
      ...actRows(command, next, turn, 'channel.created', { name, kind }),
      event(next, turn, 'channel.lifecycle.created', command.author),
    ],
    reply: JSON.stringify(channelView(next, turn.id)),
  };
}

/** What changes nothing leaves `updatedAt` as it is; there is no event for it. 404 for another tenant's channel. */
export function update(state: ChannelState, command: UpdateChannel, turn: Turn): ChannelDecision<string> {
  requireOwn(state, command);
  const next: ChannelState = { ...state, ...command.changes };
  if (isDeepStrictEqual(next, state)) return { reply: JSON.stringify(channelView(state, turn.id)) };
  const updated: ChannelState = { ...next, updatedAt: new Date(turn.now).toISOString() };
  return {
    state: updated,
    writes: actRows(command, updated, turn, 'channel.updated', fieldsOf(command.changes)),
    reply: JSON.stringify(channelView(updated, turn.id)),
  };
}

/** The status it already has is no move; an impossible one is a 409. */
export function setStatus(state: ChannelState, command: SetChannelStatus, turn: Turn): ChannelDecision<null> {
  requireOwn(state, command);
  const { status, author } = command;
  if (status === state.status) return { reply: null };
  if (state.kind !== 'chatapp') throw conflict('Sandbox and custom channels are always connected.');
  if (!mayMove(state.status, status)) {
    throw conflict(`A channel that is ${state.status} cannot become ${status}.`);
  }
  const updatedAt = new Date(turn.now).toISOString();
  const next: ChannelState = { ...state, status, updatedAt, events: state.events + 1 };
  const details = { status, previousStatus: state.status };
  return {
    state: next,
    writes: [
      ...actRows(command, next, turn, 'channel.status_changed', details),
      event(next, turn, 'channel.status.changed', author),
    ],
    reply: null,
  };
}
