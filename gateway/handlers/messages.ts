/** Messages of a thread. */
import type { CheckSend, NewMessage, ReceiveMessage, SendMessage } from '../../actors/thread/index.ts';
import { invalid, notFound, ServiceError } from '../../protocol/errors.ts';
import { channelOperations, type messageOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize, type MessageDryRun, type MessageTimeline } from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import { type Cursors, toPage } from '../../storage/paging/index.ts';
import type { Database } from '../../storage/database/index.ts';
import {
  findMessage,
  findMessages,
  findThread,
  findThreadTenant,
  listEventDeliveries,
  listMessageEvents,
  listMessageRuns,
  messagePage,
} from '../../storage/reads/index.ts';
import { admits, type Call, commitKey, type Handlers, type ProjectScope } from '../pipeline/index.ts';
import { getAuthor } from './caller.ts';
import { newMessage, withFiles } from './inbound-messages.ts';
import { withContent } from './message-content.ts';
import { requireScope, resolveScope } from './tenant-scope.ts';

export interface MessageServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
}

type Reads = Omit<typeof messageOperations, 'createMessage'>;

/** Lists are sorted by `sequence`. Sending passes on the refusals of the thread: 409, or `svc/chatapp/template_required`. */
export function messageHandlers(services: MessageServices): Handlers<typeof messageOperations> {
  return { ...readHandlers(services), ...timelineHandlers(services), ...writeHandlers(services) };
}

function readHandlers({ database, cursors }: MessageServices): Handlers<Omit<Reads, 'getMessageTimeline'>> {
  return {
    listMessages: async call => {
      const { threadId } = call.params;
      const { order = 'asc', afterSequence, beforeSequence, cursor, limit = defaultPageSize } = call.query;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const until = beforeSequence === undefined ? '' : ` ${beforeSequence}`;
      const scope = `messages ${environmentId} ${threadId} ${order} ${afterSequence ?? ''}${until}`;
      const from = cursor === undefined ? undefined : Number(cursors.decode(scope, cursor)[0]);
      const tenant = { projectId, environmentId };
      const found = await messagePage(database, {
        ...tenant,
        threadId,
        order,
        afterSequence,
        beforeSequence,
        cursor: from,
        limit,
      });
      // A page with messages proves that its thread exists.
      if (found.rows.length === 0 && (await findThread(database, tenant, threadId)) === undefined)
        throw notFound();
      return { body: toPage(found, last => cursors.encode(scope, [last.sequence])) };
    },

    findMessages: async call => {
      const { projectId, environmentId } = requireScope(call);
      const { messageId, externalMessageId, cursor, limit = defaultPageSize } = call.query;
      if (messageId === undefined && externalMessageId === undefined) {
        const message = 'is needed, or externalMessageId';
        throw invalid([{ path: '/query/messageId', message, code: 'required' }]);
      }
      const scope = `messages by id ${environmentId} ${JSON.stringify([messageId, externalMessageId])}`;
      const after = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const wanted = { projectId, environmentId, messageId, externalMessageId };
      const found = await findMessages(database, { ...wanted, after, limit });
      return { body: toPage(found, last => cursors.encode(scope, [last.messageId])) };
    },

    getMessage: async call => {
      const { threadId, messageId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const found = await findMessage(database, { projectId, environmentId, threadId, messageId });
      if (found === undefined) throw notFound();
      return { body: found };
    },
  };
}

function timelineHandlers({ database }: MessageServices): Handlers<Pick<Reads, 'getMessageTimeline'>> {
  return {
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
  };
}

function writeHandlers({
  database,
  node,
}: MessageServices): Handlers<Omit<typeof messageOperations, keyof Reads>> {
  return {
    createMessage: async call => {
      const { threadId } = call.params;
      const scope = await resolveScope(call, database, findThreadTenant, threadId);
      if (call.body.direction === 'inbound') requireReporter(call, scope);
      const { projectId, environmentId } = scope;
      const thread = { kind: 'thread', id: threadId };
      const tenant = { projectId, environmentId };
      const made = newMessage(call.body, call.now);
      call.span?.set({ 'skein.message.id': made.messageId, 'skein.thread.id': threadId });
      const complete = async (): Promise<NewMessage> => {
        const message = await withFiles(database, tenant, made, call.body.attachments);
        return withContent(database, { ...tenant, threadId }, message, call.body);
      };
      if (call.query.dryRun === true) {
        const command: CheckSend = { ...tenant, message: await complete() };
        return { status: 200, body: await node.ask<MessageDryRun>(thread, 'checkSend', command, call) };
      }
      const author = getAuthor(call);
      const json = await call.onceAsText(async key => {
        const message = await complete();
        if (call.body.direction === 'inbound') {
          const command: ReceiveMessage = { ...tenant, message, reportedBy: author, ...commitKey(key) };
          return node.ask<string>(thread, 'receive', command, call);
        }
        const command: SendMessage = { ...tenant, message, author, ...commitKey(key) };
        return node.ask<string>(thread, 'send', command, call);
      });
      return { json };
    },
  };
}

/** A message in a contact's name may be written only by those who may change the channel. */
function requireReporter({ caller }: Pick<Call, 'caller'>, scope: ProjectScope): void {
  if (caller !== undefined && admits(channelOperations.updateChannel, caller, scope)) return;
  const message = 'Writing an inbound message needs the right to change channels.';
  throw new ServiceError('svc/auth/insufficient_scope', { message });
}
