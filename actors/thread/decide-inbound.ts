/** How a thread comes to be, and how it receives. */
import type { Decision, Turn } from '../../runtime/actor.ts';
import { notFound } from '../../protocol/errors.ts';
import { insertMessage, nameParticipant, type Write } from '../../storage/writes.ts';
import { noteChannel, noteInbound } from './agent-watch.ts';
import type { ChannelOfThread, CreateThread, ReceiveMessage } from './commands.ts';
import { settleWindow, startWindow } from './decide-window.ts';
import { Draft } from './draft.ts';
import { takeFiles } from './files.ts';
import { conflict } from '../conflict.ts';
import { requireOwn, type Metadata, type Tenancy } from '../tenancy.ts';
import { messageRow, messageText } from './message-text.ts';
import { exists, type ThreadState } from './state.ts';
import { moveTo } from './status.ts';
import { threadText } from './thread-text.ts';

type ThreadDecision<Reply> = Decision<ThreadState, Reply, Write>;

interface Birth extends Tenancy {
  readonly channel: ChannelOfThread | null;
  readonly externalRef: string | null;
  readonly metadata: Metadata;
}

function fill(draft: Draft, birth: Birth): void {
  const { next, at } = draft;
  next.projectId = birth.projectId;
  next.environmentId = birth.environmentId;
  next.channelId = birth.channel?.channelId ?? null;
  next.channelKind = birth.channel?.kind ?? null;
  next.externalRef = birth.externalRef;
  next.metadata = birth.metadata;
  next.createdAt = at;
  next.lastMessageAt = at;
  if (birth.channel !== null) noteChannel(draft, birth.channel);
}

/** A taken identity is a conflict that names the thread which has it (decisions, section 2). */
export function create(state: ThreadState, command: CreateThread, turn: Turn): ThreadDecision<string> {
  if (exists(state)) {
    requireOwn(state, command);
    throw conflict('A thread with this identity exists.', { threadId: turn.id });
  }
  const draft = new Draft(state, turn);
  fill(draft, command);
  draft.threadEvent('thread.lifecycle.created', command.author);
  const reply = threadText(draft.next, draft.threadId, draft.now);
  draft.remember(command.key, { body: reply });
  return draft.decide(reply);
}

/**
 * An inbound message makes its thread when it is the participant's first, opens it again when it was closed or archived, and
 * opens or refreshes the service window.
 */
export function receive(state: ThreadState, command: ReceiveMessage, turn: Turn): ThreadDecision<string> {
  const { message, newborn, channel } = command;
  const draft = new Draft(state, turn);
  const { next } = draft;
  const isNew = !exists(state);
  if (isNew) {
    if (newborn === undefined || channel === undefined) throw notFound();
    fill(draft, { ...command, ...newborn, channel });
  } else {
    requireOwn(state, command);
    if (channel !== undefined) {
      if (channel.channelId !== state.channelId) throw notFound();
      noteChannel(draft, channel);
    }
    // Their name was erased; now they have written again.
    if (state.externalRef === null && newborn !== undefined) {
      next.externalRef = newborn.externalRef;
      draft.writes.push(nameParticipant(draft.threadId, newborn.externalRef));
    }
  }
  const contact = { type: 'contact', id: next.externalRef ?? draft.threadId } as const;
  const actor = JSON.stringify(contact);
  next.lastMessageAt = draft.at;
  if (isNew) draft.threadEvent('thread.lifecycle.created', contact);
  settleWindow(draft);
  moveTo(draft, 'open', contact);

  const row = messageRow(draft, message, 'inbound', actor);
  const text = messageText(row);
  draft.writes.push(insertMessage(row));
  takeFiles(draft, message);
  const { eventId, sequence } = draft.event('thread.message.received', actor, `"message":${text}`);
  startWindow(draft, contact);
  noteInbound(draft, message.messageId, sequence, contact);
  draft.remember(command.key, { messageOf: eventId });
  return draft.decide(text);
}
