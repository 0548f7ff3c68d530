/**
 * A message as it is written (specification, "Message"): its row, and its JSON text. The text is made once: it is the REST
 * answer, and a part of the event, from where the answer is taken when its request is repeated; and the free-form parts in
 * it are the very texts of the row.
 */
import type { MessageRow } from '../../storage/writes.ts';
import type { NewMessage } from './commands.ts';
import type { Draft } from './draft.ts';

/** @param actor its author, as JSON text */
export function messageRow(
  draft: Draft,
  message: NewMessage,
  direction: MessageRow['direction'],
  actor: string,
): MessageRow {
  const { projectId, environmentId, channelId, sequence } = draft.next;
  const { messageId, body, attachments, metadata } = message;
  return {
    messageId,
    projectId,
    environmentId,
    threadId: draft.threadId,
    channelId,
    // The event that brings the message is the next one.
    sequence: sequence + 1,
    direction,
    body,
    externalMessageId: null,
    status: direction === 'inbound' ? null : 'queued',
    attachments: attachments.length === 0 ? '[]' : JSON.stringify(attachments),
    metadata: JSON.stringify(metadata),
    actor,
    createdAt: draft.at,
  };
}

/** The row as REST shows it. Ids, times and states need no escaping: we mint them. */
export function messageText(row: MessageRow): string {
  const { channelId, externalMessageId, status } = row;
  return (
    `{"messageId":"${row.messageId}","threadId":"${row.threadId}","projectId":"${row.projectId}",` +
    `"environmentId":"${row.environmentId}","channelId":${channelId === null ? 'null' : `"${channelId}"`},` +
    `"sequence":${row.sequence},"direction":"${row.direction}","body":${JSON.stringify(row.body)},` +
    `"externalMessageId":${externalMessageId === null ? 'null' : JSON.stringify(externalMessageId)},` +
    `"status":${status === null ? 'null' : `"${status}"`},"attachments":${row.attachments},` +
    `"metadata":${row.metadata},"actor":${row.actor},"createdAt":"${row.createdAt}"}`
  );
}
