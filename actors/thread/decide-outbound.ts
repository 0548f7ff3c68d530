/** Decisions: a thread sends messages. */
import type { Turn } from '../../runtime/actor/index.ts';
import {
  type Actor,
  maxMessageLength,
  type MessageAttachment,
  type MessageDryRun,
} from '../../protocol/resources/index.ts';
import {
  insertCommand,
  type MessageRow,
  queueSend,
  updateMessageStatus,
} from '../../storage/writes/index.ts';
import { ServiceError, conflict } from '../../protocol/errors.ts';
import { prefixes } from '../../protocol/ids.ts';
import { requireSameTenancy, systemActor } from '../base/index.ts';
import { type DoWork, getProvider } from '../channel/index.ts';
import type { CheckSend, SendMessage, NewMessage } from './commands.ts';
import { ThreadDecisionBuilder, type ThreadDecision, toMessageJson } from './decision-builder.ts';
import { type ThreadState, isWindowOpen } from './state.ts';
import { toServiceWindow } from './json.ts';
import { noteOutbound } from './agent-handling.ts';
import { closeEndedWindow } from './service-window.ts';

/** An outbound message as it was queued. */
export interface QueuedMessage {
  /** Its JSON text. */
  readonly json: string;
  /** The id of the event that announces it. */
  readonly eventId: string;
}

/** Why an outbound message cannot be taken now; undefined: it can. Only a template needs no service window. */
export function findSendObstacle(
  state: ThreadState,
  now: number,
  isTemplate = false,
): ServiceError | undefined {
  if (state.status === 'archived')
    return conflict('The thread is archived: open it before sending.', { status: state.status });
  const rule = getProvider(state.channelKind)?.serviceWindow;
  if (rule !== undefined && !isTemplate && !isWindowOpen(state.window, rule, now)) {
    return new ServiceError('svc/chatapp/template_required');
  }
  return undefined;
}

/** The same, for a certain message. */
function findMessageObstacle(state: ThreadState, command: CheckSend, now: number): ServiceError | undefined {
  const { message, template = false } = command;
  const obstacle = findSendObstacle(state, now, template);
  if (obstacle !== undefined || message === undefined) return obstacle;
  const { body, attachments, details: { content } = {} } = message;
  return getProvider(state.channelKind)?.findMessageObstacle?.({
    body,
    attachments: attachments as readonly MessageAttachment[],
    ...(content === undefined ? {} : { content }),
  });
}

/** Code points of a text that the thread's channel takes. */
export function getMaxTextLength({ channelKind }: Pick<ThreadState, 'channelKind'>): number {
  return getProvider(channelKind)?.maxTextLength ?? maxMessageLength;
}

/** By code points, of which there are never more than UTF-16 units. */
export function isTooLong(state: Pick<ThreadState, 'channelKind'>, body: string): boolean {
  const maxLength = getMaxTextLength(state);
  return body.length > maxLength && Array.from(body).length > maxLength;
}

/** The dry run: what `send` would say, without sending. */
export function checkSend(state: ThreadState, command: CheckSend, turn: Turn): ThreadDecision<MessageDryRun> {
  requireSameTenancy(state, command);
  const obstacle = findMessageObstacle(state, command, turn.now);
  const reply: MessageDryRun = {
    allowed: obstacle === undefined,
    reason: obstacle?.code ?? null,
    message: obstacle?.message ?? null,
    maxTextLength: getMaxTextLength(state),
    channelId: state.channelId,
    serviceWindow: toServiceWindow(state, turn.now),
  };
  return { reply };
}

/** Queues an outbound message. Replies with its JSON text. */
export function send(state: ThreadState, command: SendMessage, turn: Turn): ThreadDecision<string> {
  requireSameTenancy(state, command);
  const obstacle = findMessageObstacle(state, command, turn.now);
  if (obstacle !== undefined) throw obstacle;
  const builder = new ThreadDecisionBuilder(state, turn);
  const { json, eventId } = queueMessage(builder, command.message, command.author);
  builder.keepReply(command.key, { messageOf: eventId });
  return builder.decide(json);
}

/**
 * Queues a message for which there is no obstacle. What happens to it next depends on its channel: a custom channel gets a command, a
 * chatapp channel sends it, the sandbox counts it as sent. A human's message reopens a closed thread; a program's leaves it closed.
 *
 * @param byHuman whether a human has decided that it is sent, whoever its author is
 */
export function queueMessage(
  builder: ThreadDecisionBuilder,
  message: NewMessage,
  author: Actor,
  byHuman = author.type === 'user',
): QueuedMessage {
  const actor = JSON.stringify(author);
  closeEndedWindow(builder);
  if (author.type === 'user') builder.moveTo('open', author);
  builder.next.lastMessageAt = builder.at;
  const { row, json } = builder.addMessage(message, 'outbound', author, actor);
  builder.next.waitingSince = null;
  const { eventId, sequence } = builder.addEvent('thread.message.created', actor, `"message":${json}`);
  const hops = byHuman || author.type !== 'agent' ? 0 : builder.next.agentHandling.hops + 1;
  dispatchByChannel(builder, row, json, hops);
  noteOutbound(builder, sequence, author, byHuman);
  return { json, eventId };
}

/** @param hops automatic answers in a row, with this one; 0 for a message that is none */
function dispatchByChannel(
  builder: ThreadDecisionBuilder,
  row: MessageRow,
  json: string,
  hops: number,
): void {
  const { at } = builder;
  const { projectId, environmentId, threadId, channelId, messageId } = row;
  if (channelId === null) return;
  switch (getProvider(builder.next.channelKind)?.dispatch) {
    case 'request': {
      const eventName = 'channel.message.requested';
      const counted = hops === 0 ? '' : `,"hops":${hops}`;
      const members = `"message":${json},"externalRef":${JSON.stringify(builder.next.externalRef)}${counted}`;
      const { eventId, data } = builder.addEvent(eventName, row.actor, members);
      builder.writes.push(
        insertCommand({
          eventId,
          projectId,
          environmentId,
          channelId,
          eventName,
          occurredAt: at,
          messageId,
          data,
        }),
      );
      return;
    }
    case 'accept': {
      const sent = toMessageJson({ ...row, status: 'sent' });
      builder.writes.push(updateMessageStatus({ messageId, threadId, status: 'sent', at }));
      const hadFailed = builder.next.failedSends !== null;
      builder.next.failedSends = null;
      const members = `"message":${sent}${hadFailed ? ',"failedSends":0' : ''}`;
      builder.addEvent('channel.message.sent', JSON.stringify(systemActor), members);
      return;
    }
    case 'send': {
      const { sequence } = row;
      builder.writes.push(
        queueSend({ messageId, projectId, environmentId, channelId, threadId, sequence, at }),
      );
      const hint: DoWork = { work: 'sends' };
      builder.tell({ kind: 'channel', id: channelId }, 'work', hint);
      return;
    }
    case undefined:
      return;
  }
}

/**
 * The message of a run's answer. Its id is derived from the run's, so that a run has one message, however often it is sent.
 */
export function createAnswerMessage(agentRunId: string, body: string): NewMessage {
  const messageId = prefixes.message + agentRunId.slice(prefixes.run.length);
  return { messageId, body, attachments: [], metadata: { agentRunId } };
}
