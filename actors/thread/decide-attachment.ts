/**
 * Decision: the file of an inbound message has come, or cannot come.
 *
 *   pending -> ready     it is kept here
 *   pending -> failed    final
 *
 * Nothing else changes an inbound message but its erasure. So what was read is true unless the thread remembers a later change.
 */
import type { Turn } from '../../runtime/actor/index.ts';
import { settleFile } from '../../storage/writes/index.ts';
import { requireSameTenancy, systemActor } from '../base/index.ts';
import type { SettleAttachment } from '../channel/index.ts';
import { ThreadDecisionBuilder, type ThreadDecision } from './decision-builder.ts';
import { recallChange, rememberChange } from './recent-changes.ts';
import type { ThreadState } from './state.ts';

/** Announces the message with its file. 404 for another tenant's thread. */
export function settleAttachment(
  state: ThreadState,
  command: SettleAttachment,
  turn: Turn,
): ThreadDecision<'settled' | 'stale'> {
  requireSameTenancy(state, command);
  const { attachmentId, file, reading } = command;
  const { message, asOf } = reading;
  const { messageId } = message;
  const change = recallChange(state.recent, messageId, asOf);
  if (change === 'stale' || (change !== undefined && change.sequence > asOf)) return { reply: 'stale' };

  const builder = new ThreadDecisionBuilder(state, turn);
  const { threadId, at, next, writes } = builder;
  const isErased = (message.sequence ?? Infinity) <= (state.recent.erasedUpTo ?? 0);
  const awaited = message.attachments.find(each => each.attachmentId === attachmentId);
  if (isErased || awaited?.status !== 'pending') {
    return { writes: [settleFile({ attachmentId, messageId, threadId, at })], reply: 'settled' };
  }
  const attachments = message.attachments.map(each => (each === awaited ? { ...each, ...file } : each));
  const shown = JSON.stringify({ ...message, attachments });
  builder.addEvent('thread.message.updated', JSON.stringify(systemActor), `"message":${shown}`);
  writes.push(settleFile({ attachmentId, messageId, threadId, attachments, at }));
  const { status = null, externalMessageId = null } = message;
  const { sequence } = next;
  next.recent = rememberChange(next.recent, { messageId, status, externalMessageId, sequence });
  return builder.decide('settled');
}
