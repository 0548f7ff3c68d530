/** Decisions: a thread is created, and receives messages. */
import type { Turn } from '../../runtime/actor/index.ts';
import { notFound, conflict } from '../../protocol/errors.ts';
import { nameParticipant } from '../../storage/writes/index.ts';
import { exists, type Metadata, requireSameTenancy, type Tenancy } from '../base/index.ts';
import { getProvider } from '../channel/index.ts';
import { noteChannel, noteInbound } from './agent-handling.ts';
import {
  createIfMissingField,
  type NewMessage,
  type ThreadChannel,
  type CreateThread,
  type ReceiveMessage,
} from './commands.ts';
import { noteReferral } from './free-entry.ts';
import { noteAliases, noteParticipant } from './participant.ts';
import { announceOpened, closeEndedWindow, extendWindow, showWindow } from './service-window.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import type { ThreadState } from './state.ts';
import { toThreadJson } from './json.ts';

interface NewThread extends Tenancy {
  readonly channel: ThreadChannel | null;
  readonly externalRef: string | null;
  readonly subject?: string;
  readonly metadata: Metadata;
}

function initialise(builder: ThreadDecisionBuilder, thread: NewThread): void {
  const { next, at } = builder;
  const { channel } = thread;
  next.projectId = thread.projectId;
  next.environmentId = thread.environmentId;
  next.channelId = channel?.channelId ?? null;
  next.channelKind = channel?.kind ?? null;
  next.externalRef = thread.externalRef;
  if (thread.subject !== undefined) next.subject = thread.subject;
  next.metadata = thread.metadata;
  next.createdAt = at;
  next.lastMessageAt = at;
  if (channel !== null) noteChannel(builder, channel);
}

/** Where a thread with this identity exists, the 409 names it. Replies with the thread's JSON text. */
export function create(state: ThreadState, command: CreateThread, turn: Turn): ThreadDecision<string> {
  if (exists(state)) {
    requireSameTenancy(state, command);
    throw conflict('A thread with this identity exists.', { threadId: turn.id });
  }
  const builder = new ThreadDecisionBuilder(state, turn);
  initialise(builder, command);
  builder.addThreadEvent('thread.lifecycle.created', command.author);
  const reply = toThreadJson(builder.next, builder.threadId, builder.now);
  builder.keepReply(command.key, { body: reply });
  return builder.decide(reply);
}

/**
 * An inbound message creates its thread if it is the participant's first. It reopens a thread that was closed or archived, and opens
 * or extends the service window. What becomes known of the participant is announced before it. 409 where it is written into a thread whose
 * messages come from a provider, or from nowhere. Replies with the message's JSON text.
 */
export function receive(state: ThreadState, command: ReceiveMessage, turn: Turn): ThreadDecision<string> {
  const { message, channel, [createIfMissingField]: createIfMissing } = command;
  const builder = new ThreadDecisionBuilder(state, turn);
  const { next } = builder;
  const isNew = !exists(state);
  if (isNew) {
    if (createIfMissing === undefined || channel === undefined) throw notFound();
    initialise(builder, { ...command, ...createIfMissing, channel });
  } else {
    requireSameTenancy(state, command);
    requireSentAfterErasure(state, command);
    if (channel === undefined) {
      requirePostedByOwner(state);
    } else {
      if (channel.channelId !== state.channelId) throw notFound();
      noteChannel(builder, channel);
    }
    // The participant's name was erased, and now they have written again.
    if (state.externalRef === null && createIfMissing !== undefined) {
      next.externalRef = createIfMissing.externalRef;
      const { projectId, environmentId } = state;
      const thread = { threadId: builder.threadId, projectId, environmentId };
      builder.writes.push(nameParticipant(thread, createIfMissing.externalRef));
    }
  }
  if (command.participant !== undefined) noteParticipant(builder, command.participant);
  if (command.aliases !== undefined) noteAliases(builder, command.aliases);
  const contact = { type: 'contact', id: next.externalRef ?? builder.threadId } as const;
  const actor = JSON.stringify(contact);
  next.lastMessageAt = builder.at;
  if (isNew) builder.addThreadEvent('thread.lifecycle.created', contact);
  else if (next.participant !== state.participant || next.externalRef !== state.externalRef) {
    builder.addThreadEvent('thread.lifecycle.updated', contact);
  }
  closeEndedWindow(builder);
  builder.moveTo('open', contact);

  const { json } = builder.addMessage(message, 'inbound', contact, actor);
  next.inboundCount++;
  const opens = command.windowFrom !== null && extendWindow(builder, command.windowFrom);
  const reporter = command.reportedBy && `,"reportedBy":${JSON.stringify(command.reportedBy)}`;
  const members = `"message":${json}${reporter ?? ''}${showWindow(builder)}`;
  const { eventId, sequence } = builder.addEvent('thread.message.received', actor, members);
  if (opens) announceOpened(builder, contact);
  if (message.details?.referral !== undefined) {
    noteReferral(builder, contact, command.windowFrom ?? builder.now);
  }
  if (!isReport(message)) {
    next.waitingSince ??= builder.at;
    next.inboundSequence = sequence;
    builder.snooze(null, contact, 'message');
    noteInbound(builder, message.messageId, sequence, contact, command.hops ?? 0);
  }
  builder.keepReply(command.key, { messageOf: eventId });
  return builder.decide(json);
}

/** What a provider reports of the participant waits for no answer. What they have edited does. */
function isReport({ details }: NewMessage): boolean {
  const content = details?.content;
  return content?.type === 'system' && content.event !== 'message_edited';
}

/**
 * A webhook from before an erasure may be worked through after it, or come again: what it says was to be erased. The provider's task takes
 * the refusal for a message that the channel has.
 */
function requireSentAfterErasure({ erasedAt }: ThreadState, { sentBy = Infinity }: ReceiveMessage): void {
  if (erasedAt === null || sentBy > Date.parse(erasedAt)) return;
  throw conflict('The message was erased.', { scope: 'messages_external' });
}

function requirePostedByOwner({ channelKind }: ThreadState): void {
  if (getProvider(channelKind)?.postedByOwner !== true) {
    throw conflict('Inbound messages are written into threads of custom and sandbox channels only.');
  }
}
