/** Messages of a thread. */
import type { ReceiveMessage, SendMessage } from '../../actors/thread/index.ts';
import { notFound } from '../../protocol/errors.ts';
import type { messageOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize, type MessageDryRun, type MessageTimeline } from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import { type Cursors, toPage } from '../../storage/paging/index.ts';
import type { Database } from '../../storage/database/index.ts';
import {
  findMessage,
  findThread,
  findThreadTenant,
  listEventDeliveries,
  listMessageEvents,
  listMessageRuns,
  messagePage,
} from '../../storage/reads/index.ts';
import { commitKey, type Handlers } from '../pipeline/index.ts';
import { getAuthor } from './caller.ts';
import { newMessage, withFiles } from './inbound-messages.ts';
import { resolveScope } from './tenant-scope.ts';

export interface MessageServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
}

/** Lists are sorted by `sequence`. Sending passes on the refusals of the thread: 409, or `svc/chatapp/template_required`. */
export function messageHandlers(services: MessageServices): Handlers<typeof messageOperations> {
  const { database, node, cursors } = services;

  return {
    listMessages: async call => {
      const { threadId } = call.params;
      const { order = 'asc', afterSequence, cursor, limit = defaultPageSize } = call.query;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
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
      // A page with messages proves that its thread exists.
      if (rows.length === 0 && (await findThread(database, place, threadId)) === undefined) throw notFound();
      return { body: toPage(rows, limit, last => cursors.encode(scope, [last.sequence])) };
    },

    getMessage: async call => {
      const { threadId, messageId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const found = await findMessage(database, { projectId, environmentId, threadId, messageId });
      if (found === undefined) throw notFound();
      return { body: found };
    },

    getMessageTimeline: async call => {
      const { threadId, messageId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const key = { projectId, environmentId, threadId };
      const message = await findMessage(database, { ...key, messageId });
      if (message === undefined) throw notFound();
      const runs = await listMessageRuns(database, key, messageId);
      const found = await listMessageEvents(database, message, environmentId, runs);
      const events = found.filter(({ agentRunId }) => agentRunId === undefined);
      const body: MessageTimeline = {
        messageId,
        threadId,
        projectId,
        environmentId,
        externalMessageId: message.externalMessageId ?? null,
        events,
        runs,
        toolCalls: found.filter(({ agentRunId }) => agentRunId !== undefined),
        deliveries: await listEventDeliveries(database, key, events),
      };
      return { body };
    },

    createMessage: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const thread = { kind: 'thread', id: threadId };
      const place = { projectId, environmentId };
      if (call.query.dryRun === true) {
        return { status: 200, body: await node.ask<MessageDryRun>(thread, 'checkSend', place, call) };
      }
      const made = newMessage(call.body, call.now);
      const message = await withFiles(database, place, made, call.body.attachments);
      if (call.body.direction === 'inbound') {
        const command: ReceiveMessage = { ...place, message, ...commitKey(call.idempotency) };
        return { json: await node.ask<string>(thread, 'receive', command, call) };
      }
      const command: SendMessage = {
        ...place,
        message,
        author: getAuthor(call),
        ...commitKey(call.idempotency),
      };
      return { json: await node.ask<string>(thread, 'send', command, call) };
    },
  };
}
