/** Messages of a thread over REST (decisions sections 2 and 4). */
import type { NewMessage, ReceiveMessage, SendMessage } from '../../../actors/thread/commands.ts';
import { notFound } from '../../../protocol/errors.ts';
import { newId } from '../../../protocol/ids.ts';
import type { messageOperations } from '../../../protocol/operations/messages.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { CreateMessageBody, MessageDryRun } from '../../../protocol/resources/message.ts';
import type { MessageTimeline } from '../../../protocol/resources/timeline.ts';
import type { Node } from '../../../runtime/node.ts';
import { page, type Cursors } from '../../../storage/cursor.ts';
import type { Database } from '../../../storage/database.ts';
import { findMessage, messagePage } from '../../../storage/reads/messages.ts';
import { findThread, placeOfThread } from '../../../storage/reads/threads.ts';
import { deliveriesOfEvents, eventsOfMessage, runsOfMessage } from '../../../storage/reads/timeline.ts';
import type { Handlers } from '../handler.ts';
import { authorOf } from './author.ts';
import { commitKey } from './commit-key.ts';
import { withFiles } from './message-files.ts';
import { scopeById } from './place.ts';

export interface MessageServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
}

/** What a thread is given of a message that a request describes. */
export function newMessage(
  { body, attachments = [], metadata = {} }: Pick<CreateMessageBody, 'body' | 'attachments' | 'metadata'>,
  now: number,
): NewMessage {
  return { messageId: newId('message', now), body, attachments, metadata };
}

/** Lists go by `sequence`. Sending passes on what the thread says: 409, or `svc/chatapp/template_required`. */
export function messageHandlers(services: MessageServices): Handlers<typeof messageOperations> {
  const { database, node, cursors } = services;

  return {
    listMessages: async call => {
      const { threadId } = call.params;
      const { order = 'asc', afterSequence, cursor, limit = defaultPageSize } = call.query;
      const { projectId, environmentId } = await scopeById(call, database, placeOfThread, threadId);
      const scope = `messages ${environmentId} ${threadId} ${order} ${afterSequence ?? ''}`;
      const from = cursor === undefined ? undefined : Number(cursors.decode(scope, cursor)[0]);
      const place = { projectId, environmentId };
      const rows = await messagePage(database, {
        ...place,
        threadId,
        order,
        afterSequence,
        cursor: from,
        limit: limit + 1,
      });
      // A page with messages proves its thread.
      if (rows.length === 0 && (await findThread(database, place, threadId)) === undefined) throw notFound();
      return { body: page(rows, limit, last => cursors.encode(scope, [last.sequence])) };
    },

    getMessage: async call => {
      const { threadId, messageId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfThread, threadId);
      const found = await findMessage(database, { projectId, environmentId, threadId, messageId });
      if (found === undefined) throw notFound();
      return { body: found };
    },

    getMessageTimeline: async call => {
      const { threadId, messageId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfThread, threadId);
      const key = { projectId, environmentId, threadId };
      const message = await findMessage(database, { ...key, messageId });
      if (message === undefined) throw notFound();
      const runs = await runsOfMessage(database, key, messageId);
      const found = await eventsOfMessage(database, message, environmentId, runs);
      const events = found.filter(({ agentRunId }) => agentRunId === undefined);
      const body: MessageTimeline = {
        ...{ messageId, threadId, projectId, environmentId },
        externalMessageId: message.externalMessageId ?? null,
        ...{ events, runs, toolCalls: found.filter(({ agentRunId }) => agentRunId !== undefined) },
        deliveries: await deliveriesOfEvents(database, key, events),
      };
      return { body };
    },

    createMessage: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfThread, threadId);
      const thread = { kind: 'thread', id: threadId };
      const place = { projectId, environmentId };
      if (call.query.dryRun === true) {
        return { status: 200, body: await node.ask<MessageDryRun>(thread, 'checkSend', place, call) };
      }
      const made = newMessage(call.body, call.now);
      const message = await withFiles(database, place, made, call.body.attachments);
      if (call.body.direction === 'inbound') {
        const command: ReceiveMessage = { ...place, message, ...commitKey(call) };
        return { json: await node.ask<string>(thread, 'receive', command, call) };
      }
      const command: SendMessage = { ...place, message, author: authorOf(call), ...commitKey(call) };
      return { json: await node.ask<string>(thread, 'send', command, call) };
    },
  };
}
