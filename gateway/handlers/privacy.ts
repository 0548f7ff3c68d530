/** Privacy: a copy of what is known of a participant, and its erasure (docs/operate/privacy-and-erasure.md). */
import { decodeRun, type RunRow, toAgentRun } from '../../actors/run/index.ts';
import { decodeThread, type EraseThread, type ThreadRow, toThread } from '../../actors/thread/index.ts';
import { notFound } from '../../protocol/errors.ts';
import type { privacyOperations } from '../../protocol/operations/index.ts';
import {
  defaultPageSize,
  type PersonalDataErasure,
  type PersonalDataRecord,
} from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Database } from '../../storage/database/index.ts';
import {
  type CursorKey,
  type Cursors,
  type PageRows,
  cutPage,
  mapPage,
  toPage,
} from '../../storage/paging/index.ts';
import {
  findThread,
  findThreadTenant,
  messagePage,
  notePage,
  runPage,
  type ThreadKey,
} from '../../storage/reads/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { createCommandAudit, getAuthor } from './caller.ts';
import { resolveScope } from './tenant-scope.ts';

export interface PrivacyServices {
  readonly database: Pick<Database, 'query' | 'scan'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
}

export function privacyHandlers(services: PrivacyServices): Handlers<typeof privacyOperations> {
  const { database, node, cursors } = services;
  return {
    listPersonalData: async call => {
      const { threadId } = call.params;
      const { cursor, limit = defaultPageSize } = call.query;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const scope = `personal-data ${environmentId} ${threadId}`;
      const [kind, ...end] = cursor === undefined ? ['thread'] : cursors.decode(scope, cursor);
      const found: Positioned[] = [];
      let cut = 0;
      for (const part of parts.slice(parts.findIndex(each => each.kind === kind))) {
        const page = await part.read(database, {
          threadId,
          projectId,
          environmentId,
          now: call.now,
          after: part.kind === kind && end.length > 0 ? end : undefined,
          limit: limit + 1 - found.length,
        });
        found.push(...page.rows);
        if (page.end !== undefined) cut = 1;
        if (page.end !== undefined || found.length > limit) break;
      }
      // The thread itself comes first.
      if (cursor === undefined && found.length === 0) throw notFound();
      const page = toPage(cutPage(found, limit, found.length + cut), last =>
        cursors.encode(scope, [last.record.kind, ...last.position]),
      );
      return { body: { ...page, data: page.data.map(({ record }) => record) } };
    },

    erasePersonalData: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const command: EraseThread = {
        projectId,
        environmentId,
        author: getAuthor(call),
        act: createCommandAudit(call),
      };
      const requestedAt = await node.ask<string>({ kind: 'thread', id: threadId }, 'erase', command, call);
      const body: PersonalDataErasure = { threadId, requestedAt };
      return { body };
    },
  };
}

/** A record, and where the page after it begins among those of its kind. */
interface Positioned {
  readonly record: PersonalDataRecord;
  readonly position: CursorKey;
}

interface PartRequest extends ThreadKey {
  /** Epoch milliseconds. */
  readonly now: number;
  /** The position of the last record of this kind that was shown. */
  readonly after: CursorKey | undefined;
  /** At least 1. */
  readonly limit: number;
}

interface Part {
  readonly kind: PersonalDataRecord['kind'];
  readonly read: (
    db: Pick<Database, 'query' | 'scan'>,
    request: PartRequest,
  ) => Promise<PageRows<Positioned>>;
}

/** In the order of the list. */
const parts: readonly Part[] = [
  {
    kind: 'thread',
    read: async (db, { threadId, now, after, ...tenant }) => {
      const found = after === undefined ? await findThread(db, tenant, threadId) : undefined;
      if (found === undefined) return { rows: [], end: undefined };
      const thread = toThread(decodeThread(found.row as ThreadRow), threadId, now);
      return { rows: [{ record: { kind: 'thread', thread }, position: [1] }], end: undefined };
    },
  },
  {
    kind: 'message',
    read: async (db, { after, ...request }) => {
      const cursor = after === undefined ? undefined : Number(after[0]);
      const found = await messagePage(db, { ...request, order: 'asc', afterSequence: undefined, cursor });
      return mapPage(found, message => ({
        record: { kind: 'message', message },
        position: [message.sequence],
      }));
    },
  },
  {
    kind: 'note',
    read: async (db, { after: end, ...request }) => {
      const after = end === undefined ? undefined : { at: Number(end[0]), threadNoteId: String(end[1]) };
      const found = await notePage(db, { ...request, after });
      return mapPage(found, note => ({
        record: { kind: 'note', note },
        position: [Date.parse(note.createdAt), note.threadNoteId],
      }));
    },
  },
  {
    kind: 'agentRun',
    read: async (db, { after: end, ...request }) => {
      const after = end === undefined ? undefined : { at: Number(end[0]), agentRunId: String(end[1]) };
      return mapPage(await runPage(db, { ...request, after }), ({ agentRunId, createdAt, row }) => ({
        record: { kind: 'agentRun', agentRun: toAgentRun(decodeRun(row as RunRow), agentRunId) },
        position: [createdAt.getTime(), agentRunId],
      }));
    },
  },
];
