/** Threads (docs/contract-decisions.md, "Thread"). */
import {
  type AssignThread,
  type CreateThread,
  decodeThread,
  type ThreadRow,
  toThread,
  type UpdateThread,
} from '../../actors/thread/index.ts';
import { isParticipantName, toParticipantName } from '../../actors/chatapp/index.ts';
import { conflict, invalid, notFound } from '../../protocol/errors.ts';
import { deriveThreadId, newId } from '../../protocol/ids.ts';
import type { threadOperations } from '../../protocol/operations/index.ts';
import {
  defaultPageSize,
  maxUnreadCount,
  noAgentMode,
  type Thread,
  unassigned,
} from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import { type CursorKey, type Cursors, toPage } from '../../storage/paging/index.ts';
import type { Database, TenantScope } from '../../storage/database/index.ts';
import { hasAgent } from '../../storage/agents/index.ts';
import { findAliases } from '../../storage/chatapp/index.ts';
import {
  type ChannelHead,
  createThreadLoader,
  findParticipantThreads,
  findThreadTenant,
  readCursors,
  threadPage,
  type ThreadPosition,
  type ThreadRecord,
} from '../../storage/reads/index.ts';
import { searchThreads } from '../../storage/search/index.ts';
import type { AccessCache } from '../../storage/tenancy/index.ts';
import { toThreadChannel, type ChannelDirectory } from './channel-directory.ts';
import { commitKey, mayAnswer, type Call, type Handlers } from '../pipeline/index.ts';
import { createCommandAudit, findActingUser, getAuthor } from './caller.ts';
import { resolveScope } from './tenant-scope.ts';
import { requireMessageReader, withoutUnreadable, withoutUnreadableJson } from './thread-view.ts';

export interface ThreadServices {
  readonly database: Pick<Database, 'query' | 'scan' | 'search'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
  readonly channels: ChannelDirectory;
  readonly access: Pick<AccessCache, 'project'>;
}

type Reads = Pick<typeof threadOperations, 'listThreads' | 'getThread'>;

export function threadHandlers(services: ThreadServices): Handlers<typeof threadOperations> {
  return { ...readHandlers(services), ...createHandlers(services), ...changeHandlers(services) };
}

function readHandlers({ database, cursors }: ThreadServices): Handlers<Reads> {
  const threads = createThreadLoader(database);

  return {
    listThreads: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const tenant = { projectId, environmentId };
      const {
        cursor,
        limit = defaultPageSize,
        sort = 'lastMessageAt',
        order,
        participantRef,
        q,
      } = call.query;
      if (q !== undefined) requireMessageReader(call);
      const filters = readFilters(call);
      const { channelId } = filters;
      const asked = JSON.stringify({ ...filters, sort, order, participantRef, q });
      const scope = `threads ${projectId} ${environmentId} ${asked}`;
      const after = cursor === undefined ? undefined : toPosition(cursors.decode(scope, cursor));
      const participant =
        participantRef === undefined
          ? undefined
          : await findParticipantThreads(database, {
              ...tenant,
              names: [...new Set([participantRef, toParticipantName(participantRef)])],
              channelIds: channelId,
            });
      const wanted = { ...tenant, ...filters, participant, now: call.now, limit };
      if (q !== undefined) {
        const best = await searchThreads(database, { ...wanted, q });
        const shown = await showTo(database, call, tenant, best);
        const data = shown.map((thread, index) => ({ ...thread, match: best[index]?.match }));
        return { body: { data, nextCursor: null, hasMore: false } };
      }
      const found = await threadPage(database, { ...wanted, sort, order, after });
      const { data, ...rest } = toPage(found, end =>
        cursors.encode(scope, [end.sortedAt.getTime(), end.threadId, end.sortedSecond]),
      );
      return { body: { data: await showTo(database, call, tenant, data), ...rest } };
    },

    getThread: async call => {
      const { threadId } = call.params;
      const scope = await resolveScope(call, database, findThreadTenant, threadId);
      const { projectId, environmentId } = scope;
      const found = await threads.load({ threadId, projectId, environmentId });
      if (found === undefined) throw notFound();
      const [body] = await showTo(database, call, scope, [found]);
      return { body };
    },
  };
}

type ListQuery = Call<(typeof threadOperations)['listThreads']>;

/** The filters of a list but the participant. 422 for what a caller has not read, where the caller is no user. */
function readFilters(call: Pick<ListQuery, 'query' | 'caller'>) {
  const { query } = call;
  const reader = findActingUser(call);
  const { agentMode, assigneeUserId, unread } = query;
  const { status, channelId, tag, updatedAfter } = query;
  const { hasPendingSuggestion, awaitingReply, failedSends, snoozed, windowClosesBefore } = query;
  if (unread !== undefined && reader === undefined) {
    const message =
      'only users read messages: ask with a Studio token, or name a user by Service-Acting-User';
    throw invalid([{ path: '/query/unread', message, code: 'credential' }]);
  }
  return {
    status,
    agentMode: toWanted(agentMode, noAgentMode),
    channelId,
    tag,
    assigneeUserId: toWanted(assigneeUserId, unassigned),
    updatedAfter,
    hasPendingSuggestion,
    awaitingReply,
    failedSends,
    snoozed,
    unread: unread === undefined || reader === undefined ? undefined : { userId: reader, is: unread },
    windowClosesBefore,
  };
}

/** The values of a filter, with null in the place of the word for what has none. */
function toWanted(
  values: readonly string[] | undefined,
  none: string,
): readonly (string | null)[] | undefined {
  return values?.map(value => (value === none ? null : value));
}

function toPosition([at, threadId, second]: CursorKey): ThreadPosition {
  return { at: Number(at), threadId: String(threadId), second: Number(second) };
}

/**
 * The name of a participant as their messages bring it: of a chatapp channel in the provider's notation. 422 for one that the provider cannot
 * have, 409 where another name has made the thread that the provider knows by this one.
 */
async function resolveRef(
  db: Pick<Database, 'query'>,
  channel: ChannelHead | null,
  given: string | undefined,
): Promise<string | undefined> {
  if (channel?.kind !== 'chatapp' || given === undefined) return given;
  const name = toParticipantName(given);
  if (!isParticipantName(name)) {
    const message =
      'must be a phone number with its country code, or the id that the provider gives to a user';
    throw invalid([{ path: '/body/externalRef', message, code: 'pattern' }]);
  }
  const thread = (await findAliases(db, channel, [name])).get(name);
  // Of its own name, the thread itself says so, or answers a repeated request as before.
  if (thread !== undefined && thread.externalRef !== name) {
    throw conflict('A thread with this identity exists.', { threadId: thread.threadId });
  }
  return name;
}

/** 404 for a channel that is not in the environment; 409 with `details.threadId` for an identity that is taken. */
function createHandlers(services: ThreadServices): Handlers<Pick<typeof threadOperations, 'createThread'>> {
  const { database, node, channels } = services;

  return {
    createThread: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { channelId, subject, metadata = {} } = call.body;
      const channel = channelId === undefined ? null : await channels.find(channelId);
      const isForeign = channel?.projectId !== projectId || channel.environmentId !== environmentId;
      if (channel === undefined || (channel !== null && isForeign)) throw notFound('/body/channelId');
      const externalRef = await resolveRef(database, channel, call.body.externalRef);
      const hasIdentity = channelId !== undefined && externalRef !== undefined;
      const threadId = hasIdentity
        ? deriveThreadId(environmentId, channelId, externalRef)
        : newId('thread', call.now);
      const order: CreateThread = {
        projectId,
        environmentId,
        channel: channel === null ? null : toThreadChannel(channel),
        externalRef: externalRef ?? null,
        ...(subject === undefined ? {} : { subject }),
        metadata,
        author: getAuthor(call),
      };
      const thread = { kind: 'thread', id: threadId };
      return {
        json: await call.onceAsText(key => {
          const command: CreateThread = { ...order, ...commitKey(key) };
          return node.ask<string>(thread, 'create', command, call);
        }),
      };
    },
  };
}

/** 404 for an agent that is not in the environment, and for a user who may not answer. */
function changeHandlers({
  database,
  node,
  access,
}: ThreadServices): Handlers<Omit<typeof threadOperations, keyof Reads | 'createThread'>> {
  return {
    updateThread: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const { projectId: _, expectedSequence, ...changes } = call.body;
      const { agentId } = changes;
      if (typeof agentId === 'string' && !(await hasAgent(database, { projectId, environmentId }, agentId))) {
        throw notFound('/body/agentId');
      }
      const command: UpdateThread = {
        projectId,
        environmentId,
        changes,
        ...(expectedSequence === undefined ? {} : { expectedSequence }),
        author: getAuthor(call),
        act: createCommandAudit(call),
      };
      const json = await node.ask<string>({ kind: 'thread', id: threadId }, 'update', command, call);
      return { json: withoutUnreadableJson(call, json) };
    },

    archiveThread: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const changes = { status: 'archived' } as const;
      const act = createCommandAudit(call);
      const command: UpdateThread = { projectId, environmentId, changes, author: getAuthor(call), act };
      await node.ask<string>({ kind: 'thread', id: threadId }, 'update', command, call);
      return {};
    },

    assignThread: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const { userId } = call.body;
      const found = userId === null ? undefined : await access.project(userId, projectId);
      if (userId !== null && (found === undefined || !mayAnswer(found))) throw notFound('/body/userId');
      const act = createCommandAudit(call);
      const command: AssignThread = { projectId, environmentId, userId, author: getAuthor(call), act };
      const json = await node.ask<string>({ kind: 'thread', id: threadId }, 'assign', command, call);
      return { json: withoutUnreadableJson(call, json) };
    },
  };
}

/** The threads as their reader sees them: with the read cursor, where the reader is a user. */
async function showTo(
  database: Pick<Database, 'query'>,
  call: Pick<Call, 'caller' | 'now'>,
  tenant: TenantScope,
  records: readonly ThreadRecord[],
): Promise<Thread[]> {
  const threads = records.map(({ threadId, row }) => ({ threadId, state: decodeThread(row as ThreadRow) }));
  const { now } = call;
  const reader = findActingUser(call);
  if (reader === undefined) {
    return withoutUnreadable(
      call,
      threads.map(({ threadId, state }) => toThread(state, threadId, now)),
    );
  }
  const ids = records.map(({ threadId }) => threadId);
  const read = await readCursors(database, tenant, reader, ids);
  const shown = threads.map(({ threadId, state }) => {
    const cursor = read.get(threadId);
    const unreadCount = Math.min(state.inboundCount - (cursor?.inboundCount ?? 0), maxUnreadCount);
    return {
      ...toThread(state, threadId, now),
      ...(cursor === undefined ? {} : { readSequence: cursor.sequence }),
      unreadCount,
    };
  });
  return withoutUnreadable(call, shown);
}
