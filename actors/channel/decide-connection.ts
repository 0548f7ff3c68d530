/**
 * The decisions of a chatapp channel's connection. The provider is asked outside of any turn (connect.ts): an attempt begins with one
 * commit and ends with another, and the reminder ends an attempt whose node has gone.
 *
 *   disconnected, error -> connecting     beginConnect
 *   connecting -> connected               completeConnect
 *   connecting -> error                   failConnect, or the reminder
 *   connected -> error                    loseConnection
 *   any -> disconnected                   disconnect
 *
 * An attempt that is over changes nothing any more: it is known by its id. After a disconnection no attempt begins until the provider has
 * been told, or nobody tells it any more: else it would take the new connection for the old one.
 */
import type { Turn } from '../../runtime/actor/index.ts';
import type { Actor, ChannelStatus, ChatappStatus } from '../../protocol/resources/index.ts';
import { conflict, ServiceError } from '../../protocol/errors.ts';
import type { Write } from '../../storage/statements/index.ts';
import { usePartnerApp } from '../../storage/writes/index.ts';
import {
  type Audited,
  createAuditWrites,
  requireSameTenancy,
  systemActor,
  type Tenancy,
} from '../base/index.ts';
import { isTokenRefusal } from '../chatapp/index.ts';
import type {
  BeginConnect,
  BegunConnect,
  CompleteConnect,
  Disconnect,
  ExpireConnect,
  FailConnect,
  LoseConnection,
  ReserveNumber,
} from './commands.ts';
import { type ChannelDecision, createChange } from './decide.ts';
import { announce, lookReminder, remindOfFirstLook, remindOfNotice } from './decide-credentials.ts';
import { type ChannelState, type ChatappState, mayMove, noChatapp, toChatappStatus } from './state.ts';

/** The key of the reminder that ends an attempt. */
const attemptReminder = 'connect';

/** An attempt takes half a minute at most (connect.ts). */
const attemptMs = 60_000;

/** The provider is told of a disconnection within this time (connect.ts). */
const leavingMs = 15_000;

/** The channel in another status, announced; and recorded where somebody asked for it. */
function moveTo(
  state: ChannelState,
  status: ChannelStatus,
  chatapp: ChatappState,
  turn: Turn,
  command: { readonly author: Actor } & Audited,
): { readonly state: ChannelState; readonly writes: readonly Write[] } {
  if (!mayMove(state.status, status)) {
    throw conflict(`A channel that is ${state.status} cannot become ${status}.`);
  }
  const updatedAt = new Date(turn.now).toISOString();
  const next: ChannelState = { ...state, status, chatapp, updatedAt, events: state.events + 1 };
  const details = { status, previousStatus: state.status };
  return {
    state: next,
    writes: [
      ...createAuditWrites(command, next, turn, 'channel.status_changed', details),
      ...createChange(next, turn, 'channel.status.changed', {
        actor: command.author,
        previousStatus: state.status,
      }),
    ],
  };
}

export function beginConnect(
  state: ChannelState,
  command: BeginConnect,
  turn: Turn,
): ChannelDecision<BegunConnect> {
  requireSameTenancy(state, command);
  const { projectId, environmentId, attempt } = command;
  const { attemptId, partnerAppCredentialId, isPinGiven } = attempt;
  if (state.kind !== 'chatapp') throw conflict('Only chatapp channels are connected.');
  if (state.status === 'connected') throw conflict('The channel is connected: disconnect it first.');
  const before = state.chatapp ?? noChatapp;
  if (state.status === 'connecting') {
    const isRepetition = attempt.keyHash !== null && attempt.keyHash === before.attempt?.keyHash;
    throw isRepetition
      ? new ServiceError('svc/runtime/idempotency_conflict')
      : conflict('The channel is being connected.');
  }
  if (before.leavingUntil !== null && turn.now < before.leavingUntil) {
    throw conflict('The channel is being disconnected: try again in some seconds.');
  }
  const pin = isPinGiven ? attempt.pin : (before.pin ?? attempt.pin);
  const chatapp = { ...before, attempt: { ...attempt, pin }, failure: null, leavingUntil: null };
  const moved = moveTo(state, 'connecting', chatapp, turn, command);
  return {
    state: moved.state,
    writes: [...moved.writes, ...usePartnerAppIfAny(partnerAppCredentialId)],
    remind: [
      {
        key: attemptReminder,
        at: turn.now + attemptMs,
        command: 'expireConnect',
        payload: { projectId, environmentId, attemptId } satisfies ExpireConnect,
      },
    ],
    reply: { pin, phoneNumberId: before.connection?.phoneNumberId ?? null },
  };
}

/** The attempt has come to a number: storage refuses a second channel with it. */
export function reserveNumber(state: ChannelState, command: ReserveNumber): ChannelDecision<null> {
  requireSameTenancy(state, command);
  const { chatapp } = state;
  const { attemptId, phoneNumberId } = command;
  if (chatapp?.attempt?.attemptId !== attemptId) throw conflict('The attempt to connect was ended.');
  const attempt = { ...chatapp.attempt, phoneNumberId };
  return { state: { ...state, chatapp: { ...chatapp, attempt } }, reply: null };
}

function usePartnerAppIfAny(partnerAppCredentialId: string | null): readonly Write[] {
  return partnerAppCredentialId === null ? [] : [usePartnerApp(partnerAppCredentialId)];
}

export function completeConnect(
  state: ChannelState,
  command: CompleteConnect,
  turn: Turn,
): ChannelDecision<ChatappStatus> {
  requireSameTenancy(state, command);
  const { attempt = null, pin = null } = state.chatapp ?? {};
  if (attempt?.attemptId !== command.attemptId) throw conflict('The attempt to connect was ended.');
  const { partnerAppCredentialId, verifyToken, isPinGiven } = attempt;
  const connectedAt = new Date(turn.now).toISOString();
  const connection = { ...command.connection, partnerAppCredentialId, verifyToken, connectedAt };
  // Of a number that was registered before nobody has proved another PIN than that which is kept.
  const known = isPinGiven ? (pin ?? attempt.pin) : pin;
  const chatapp = { ...noChatapp, connection, pin: command.isRegistered ? attempt.pin : known };
  const moved = moveTo(state, 'connected', chatapp, turn, command);
  return {
    ...moved,
    // It may have been revoked since the attempt began.
    writes: [...moved.writes, ...usePartnerAppIfAny(partnerAppCredentialId)],
    remind: [remindOfFirstLook(turn.now, connection.tokenExpiresAt)],
    forget: [attemptReminder],
    // Messages may have waited for it.
    effects: [
      { do: 'tell', to: { kind: 'channel', id: turn.id }, command: 'work', payload: { work: 'sends' } },
    ],
    reply: toChatappStatus(moved.state, turn.id, command.webhookUrl),
  };
}

export function failConnect(state: ChannelState, command: FailConnect, turn: Turn): ChannelDecision<null> {
  requireSameTenancy(state, command);
  const { chatapp } = state;
  if (chatapp?.attempt?.attemptId !== command.attemptId) return { reply: null };
  const pin = command.isRegistered ? chatapp.attempt.pin : chatapp.pin;
  const failed = { ...chatapp, attempt: null, pin, failure: command.failure };
  const moved = moveTo(state, 'error', failed, turn, command);
  return { ...moved, forget: [attemptReminder], reply: null };
}

/** The reminder: the node that was connecting the channel has gone, or nobody told the channel how it ended. */
export function expireConnect(
  state: ChannelState,
  { projectId, environmentId, attemptId }: ExpireConnect,
  turn: Turn,
): ChannelDecision<null> {
  const message = 'Connecting was interrupted: connect the channel again.';
  const failure = { step: 'interrupted', code: null, message } as const;
  const command = { projectId, environmentId, attemptId, isRegistered: true, failure, author: systemActor };
  return failConnect(state, command, turn);
}

/** The connection is kept, so that webhooks still come in; the token is of no more use. */
export function loseConnection(
  state: ChannelState,
  command: LoseConnection,
  turn: Turn,
): ChannelDecision<null> {
  requireSameTenancy(state, command);
  const { status, chatapp } = state;
  if (status !== 'connected' || chatapp?.connection?.accessToken !== command.accessToken) {
    return { reply: null };
  }
  const { code, message } = command.failure;
  const lost = { ...chatapp, failure: { step: null, code, message } };
  const moved = moveTo(state, 'error', lost, turn, { author: systemActor });
  const isExpired = isTokenRefusal(code);
  const { tokenExpiresAt } = chatapp.connection;
  const announced = isExpired
    ? announce(moved.state, turn, 'channel.credential.expired', tokenExpiresAt)
    : { state: moved.state, writes: [] };
  const reason = isExpired ? 'expired' : 'lost';
  return {
    state: announced.state,
    writes: [...moved.writes, ...announced.writes],
    remind: [remindOfNotice(announced.state, turn, { reason, message })],
    forget: [lookReminder],
    reply: null,
  };
}

export function disconnect(
  state: ChannelState,
  command: Disconnect,
  turn: Turn,
): ChannelDecision<ChatappStatus> {
  requireSameTenancy(state, command);
  if (state.kind !== 'chatapp') throw conflict('Sandbox and custom channels are always connected.');
  if (state.status === 'disconnected') {
    return { reply: toChatappStatus(state, turn.id, command.webhookUrl) };
  }
  const { connection = null, pin = null } = state.chatapp ?? {};
  const chatapp = { ...noChatapp, pin, leavingUntil: connection === null ? null : turn.now + leavingMs };
  const moved = moveTo(state, 'disconnected', chatapp, turn, command);
  return {
    ...moved,
    forget: [attemptReminder, lookReminder],
    reply: toChatappStatus(moved.state, turn.id, command.webhookUrl),
  };
}

/** The provider has been told of a disconnection. */
export function settleDisconnect(state: ChannelState, command: Tenancy): ChannelDecision<null> {
  requireSameTenancy(state, command);
  const { chatapp } = state;
  if (chatapp === null || chatapp.leavingUntil === null) return { reply: null };
  return { state: { ...state, chatapp: { ...chatapp, leavingUntil: null } }, reply: null };
}
