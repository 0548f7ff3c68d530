/** How a thread sends. */
import type { Decision, Turn } from '../../runtime/actor.ts';
import { ServiceError } from '../../protocol/errors.ts';
import type { MessageDryRun } from '../../protocol/resources/message.ts';
import {
  insertCommand,
  insertMessage,
  updateMessageStatus,
  type MessageRow,
  type Write,
} from '../../storage/writes.ts';
import { providerOf } from '../channel/providers/registry.ts';
import { system } from '../system-actor.ts';
import type { SendMessage } from './commands.ts';
import { settleWindow } from './decide-window.ts';
import { Draft } from './draft.ts';
import { takeFiles } from './files.ts';
import { conflict } from '../conflict.ts';
import { requireOwn, type Tenancy } from '../tenancy.ts';
import { messageRow, messageText } from './message-text.ts';
import { isOpen } from './service-window.ts';
import type { ThreadState } from './state.ts';
import { moveTo } from './status.ts';
import { windowView } from './thread-text.ts';

/** Why a free-form outbound message cannot be taken now; undefined: it can. */
function obstacle(state: ThreadState, now: number): ServiceError | undefined {
  if (state.status === 'archived') return conflict('The thread is archived: open it before sending.');
  const provider = providerOf(state.channelKind);
  if (provider === undefined && state.channelKind !== null) return conflict('The channel is not connected.');
  const rule = provider?.serviceWindow;
  if (rule !== undefined && !isOpen(state.window, rule, now)) {
    return new ServiceError('svc/chatapp/template_required');
  }
  return undefined;
}

/** The dry run: what `send` would say, without sending. */
export function checkSend(
  state: ThreadState,
  command: Tenancy,
  turn: Turn,
): Decision<ThreadState, MessageDryRun, Write> {
  requireOwn(state, command);
  const reason = obstacle(state, turn.now)?.code ?? null;
  return { reply: { allowed: reason === null, reason, serviceWindow: windowView(state, turn.now) } };
}

/**
 * An outbound message is queued by this commit, and how it goes on is its channel's affair: a custom channel gets a command, the
 * sandbox counts it as sent. A human's message opens a closed thread again; a program's leaves it closed.
 */
export function send(
  state: ThreadState,
  command: SendMessage,
  turn: Turn,
): Decision<ThreadState, string, Write> {
  requireOwn(state, command);
  const refusal = obstacle(state, turn.now);
  if (refusal !== undefined) throw refusal;
  const { message, author } = command;
  const draft = new Draft(state, turn);
  const actor = JSON.stringify(author);
  settleWindow(draft);
  if (author.type === 'user') moveTo(draft, 'open', author);

  const row = messageRow(draft, message, 'outbound', actor);
  const text = messageText(row);
  draft.next.lastMessageAt = draft.at;
  draft.writes.push(insertMessage(row));
  takeFiles(draft, message);
  const { eventId } = draft.event('thread.message.created', actor, `"message":${text}`);
  dispatch(draft, row, text);
  draft.remember(command.key, { messageOf: eventId });
  return draft.decide(text);
}

function dispatch(draft: Draft, row: MessageRow, text: string): void {
  const { at } = draft;
  const { projectId, environmentId, threadId, channelId, messageId } = row;
  if (channelId === null) return;
  switch (providerOf(draft.next.channelKind)?.dispatch) {
    case 'request': {
      const eventName = 'channel.message.requested';
      const members = `"message":${text},"externalRef":${JSON.stringify(draft.next.externalRef)}`;
      const { eventId, data } = draft.event(eventName, row.actor, members);
      const tenancy = { projectId, environmentId, channelId };
      draft.writes.push(insertCommand({ eventId, ...tenancy, eventName, occurredAt: at, messageId, data }));
      return;
    }
    case 'accept': {
      const sent = messageText({ ...row, status: 'sent' });
      draft.writes.push(updateMessageStatus({ messageId, threadId, status: 'sent', at }));
      draft.event('channel.message.sent', JSON.stringify(system), `"message":${sent}`);
      return;
    }
    case undefined:
      return;
  }
}
