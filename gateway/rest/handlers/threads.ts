/** Threads over REST (decisions sections 2 and 4). */
import type { AssignThread, CreateThread, UpdateThread } from '../../../actors/thread/commands.ts';
import { decodeThread, type ThreadRow } from '../../../actors/thread/snapshot.ts';
import { threadView } from '../../../actors/thread/thread-text.ts';
import { notFound } from '../../../protocol/errors.ts';
import { derivedId, newId } from '../../../protocol/ids.ts';
import { access as rules } from '../../../protocol/operations/rules.ts';
import type { threadOperations } from '../../../protocol/operations/threads.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import type { Node } from '../../../runtime/node.ts';
import { pageOf, type Cursors } from '../../../storage/cursor.ts';
import type { Database } from '../../../storage/database.ts';
import { hasAgent } from '../../../storage/reads/agents.ts';
import { readCursors } from '../../../storage/read-cursors.ts';
import {
  placeOfThread,
  threadPage,
  threadReader,
  type ThreadRecord,
} from '../../../storage/reads/threads.ts';
import type { Access } from '../../../storage/tenancy/access.ts';
import { toldToThread, type ChannelDirectory } from '../../channel-directory.ts';
import type { Call, Handlers } from '../handler.ts';
import { authorOf } from './author.ts';
import { commitKey } from './commit-key.ts';
import { scopeById } from './place.ts';

export interface ThreadServices {
  readonly database: Pick<Database, 'query' | 'walk'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
  readonly channels: ChannelDirectory;
  readonly access: Pick<Access, 'project'>;
}

function shown({ threadId, row }: ThreadRecord, now: number): Thread {
  return threadView(decodeThread(row as ThreadRow), threadId, now);
}

/** Whether somebody may answer in the project's threads (decisions section 3): who else could be assigned one? */
async function mayAnswer(
  access: Pick<Access, 'project'>,
  userId: string,
  projectId: string,
): Promise<boolean> {
  const found = await access.project(userId, projectId);
  if (found === undefined) return false;
  const { studio, console } = rules.writeThreads;
  const { studioRole, consoleRole } = found;
  return (
    (studioRole !== undefined && (studio as readonly string[]).includes(studioRole)) ||
    (consoleRole !== undefined && (console as readonly string[]).includes(consoleRole))
  );
}

/**
 * 404 for a channel or an agent that is not the environment's; 409 with `details.threadId` for an identity that is
 * taken.
 */
export function threadHandlers(services: ThreadServices): Handlers<typeof threadOperations> {
  const { database, node, cursors, channels, access } = services;
  const threads = threadReader(database);

  /** The threads as their reader sees them: with the reader's cursor, if that is a user. */
  const shownTo = async (
    { caller, now }: Pick<Call, 'caller' | 'now'>,
    records: readonly ThreadRecord[],
  ): Promise<Thread[]> => {
    const views = records.map(record => shown(record, now));
    if (caller?.type !== 'user') return views;
    const ids = records.map(({ threadId }) => threadId);
    const read = await readCursors(database, caller.userId, ids);
    return views.map(thread => {
      const readSequence = read.get(thread.threadId);
      return readSequence === undefined ? thread : { ...thread, readSequence };
    });
  };

  return {
    createThread: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { channelId, externalRef, metadata = {} } = call.body;
      const channel = channelId === undefined ? null : await channels.find(channelId);
      if (channel === undefined) throw notFound();
      if (channel !== null && (channel.projectId !== projectId || channel.environmentId !== environmentId)) {
        throw notFound();
      }
      const hasIdentity = channelId !== undefined && externalRef !== undefined;
      const threadId = hasIdentity
        ? derivedId('thread', environmentId, channelId, externalRef)
        : newId('thread', call.now);
      const command: CreateThread = {
        projectId,
        environmentId,
        channel: channel === null ? null : toldToThread(channel),
        externalRef: externalRef ?? null,
        metadata,
        author: authorOf(call),
        ...commitKey(call),
      };
      return { json: await node.ask<string>({ kind: 'thread', id: threadId }, 'create', command, call) };
    },

    listThreads: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { cursor, limit = defaultPageSize, sort = 'lastMessageAt' } = call.query;
      const { status, agentMode, channelId, tag, assigneeUserId, updatedAfter } = call.query;
      const filters = { status, agentMode, channelId, tag, assigneeUserId, updatedAfter };
      const scope = `threads ${projectId} ${environmentId} ${sort} ${JSON.stringify(filters)}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = key === undefined ? undefined : { at: Number(key[0]), threadId: String(key[1]) };
      const found = await threadPage(database, { projectId, environmentId, ...filters, sort, after, limit });
      const { data, ...rest } = pageOf(found, end =>
        cursors.encode(scope, [end.sortedAt.getTime(), end.threadId]),
      );
      return { body: { data: await shownTo(call, data), ...rest } };
    },

    getThread: async call => {
      const { threadId } = call.params;
      const scope = await scopeById(call, database, placeOfThread, threadId);
      const { projectId, environmentId } = scope;
      const found = await threads.read({ threadId, projectId, environmentId });
      if (found === undefined) throw notFound();
      const [body] = await shownTo(call, [found]);
      return { body };
    },

    updateThread: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfThread, threadId);
      const { projectId: _, ...changes } = call.body;
      const { agentId } = changes;
      if (typeof agentId === 'string' && !(await hasAgent(database, { projectId, environmentId }, agentId))) {
        throw notFound();
      }
      const command: UpdateThread = { projectId, environmentId, changes, author: authorOf(call) };
      return { json: await node.ask<string>({ kind: 'thread', id: threadId }, 'update', command, call) };
    },

    assignThread: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfThread, threadId);
      const { userId } = call.body;
      if (userId !== null && !(await mayAnswer(access, userId, projectId))) throw notFound();
      const command: AssignThread = { projectId, environmentId, userId, author: authorOf(call) };
      return { json: await node.ask<string>({ kind: 'thread', id: threadId }, 'assign', command, call) };
    },
  };
}
