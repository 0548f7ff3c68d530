/** A message that leaves: whether it may, how it is queued, and how it goes on. */
import { ServiceError } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import { insertCommand, insertMessage, updateMessageStatus, type MessageRow } from '../../storage/writes.ts';
import { providerOf } from '../channel/providers/registry.ts';
import { conflict } from '../conflict.ts';
import { system } from '../system-actor.ts';
import { noteOutbound } from './agent-watch.ts';
import type { NewMessage } from './commands.ts';
import { settleWindow } from './decide-window.ts';
import type { Draft } from './draft.ts';
import { takeFiles } from './files.ts';
import { messageRow, messageText } from './message-text.ts';
import { isOpen } from './service-window.ts';
import type { ThreadState } from './state.ts';
import { moveTo } from './status.ts';

/** Why a free-form outbound message cannot be taken now; undefined: it can. */
export function obstacle(state: ThreadState, now: number): ServiceError | undefined {
  if (state.status === 'archived') return conflict('The thread is archived: open it before sending.');
  const provider = providerOf(state.channelKind);
  if (provider === undefined && state.channelKind !== null) return conflict('The channel is not connected.');
  const rule = provider?.serviceWindow;
  if (rule !== undefined && !isOpen(state.window, rule, now)) {
    return new ServiceError('svc/chatapp/template_required');
  }
  return undefined;
}

/** A message as it was queued. */
export interface Posted {
  /** Its JSON text. */
  readonly text: string;
  /** Of the event that brought it. */
  readonly eventId: string;
}

/**
 * Queues a message that nothing stands in the way of. How it goes on is its channel's affair: a custom channel gets a command, the
 * sandbox counts it as sent. A human's message opens a closed thread again; a program's leaves it closed.
 *
 * @param byHuman whether a human has decided that it is sent, whoever is its author
 */
export function post(
  draft: Draft,
  message: NewMessage,
  author: Actor,
  byHuman = author.type === 'user',
): Posted {
  const actor = JSON.stringify(author);
  settleWindow(draft);
  if (author.type === 'user') moveTo(draft, 'open', author);
  const row = messageRow(draft, message, 'outbound', actor);
  const text = messageText(row);
  draft.next.lastMessageAt = draft.at;
  draft.writes.push(insertMessage(row));
  takeFiles(draft, message);
  const { eventId, sequence } = draft.event('thread.message.created', actor, `"message":${text}`);
  dispatch(draft, row, text);
  noteOutbound(draft, sequence, author, byHuman);
  return { text, eventId };
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
