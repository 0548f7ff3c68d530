/** Canned replies: of a project, in all its environments. */
import { invalid, notFound } from '../../protocol/errors.ts';
import type { cannedReplyOperations } from '../../protocol/operations/index.ts';
import { findUnknownPlaceholder } from '../../protocol/placeholders.ts';
import { defaultPageSize } from '../../protocol/resources/index.ts';
import type { Database } from '../../storage/database/index.ts';
import {
  type CannedReplies,
  type CannedReplyChange,
  findCannedReplyProject,
} from '../../storage/tenancy/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { createUserAuditContext } from './caller.ts';
import { readCondition, tagged } from './tagged.ts';
import { requireScope } from './tenant-scope.ts';

export interface CannedReplyServices {
  readonly database: Pick<Database, 'query'>;
  readonly replies: CannedReplies;
}

/** 422 for a placeholder that there is not, 409 for a shortcut that is taken. */
export function cannedReplyHandlers({
  database,
  replies,
}: CannedReplyServices): Handlers<typeof cannedReplyOperations> {
  return {
    listCannedReplies: async call => {
      const { projectId } = requireScope(call);
      const { q, cursor, limit = defaultPageSize } = call.query;
      return { body: await replies.list(projectId, { q, cursor, limit }) };
    },

    createCannedReply: async call => {
      const { projectId } = requireScope(call);
      const { shortcut, title, body } = call.body;
      checkPlaceholders(body);
      const order = { projectId, shortcut, title, body, ...createUserAuditContext(call) };
      return { body: await call.once(key => replies.create({ ...order, key })) };
    },

    getCannedReply: async call => {
      const { cannedReplyId } = call.params;
      const found = await replies.find(await findProject(database, call, cannedReplyId), cannedReplyId);
      if (found === undefined) throw notFound();
      return tagged(found);
    },

    updateCannedReply: async call => {
      const { projectId: _, ...changes } = call.body;
      checkPlaceholders(changes.body ?? '');
      const change = await createChange(database, call, call.params.cannedReplyId);
      return tagged(await replies.update({ ...change, changes }));
    },

    deleteCannedReply: async call => {
      await replies.remove(await createChange(database, call, call.params.cannedReplyId));
      return {};
    },
  };
}

/** The project of the reply, in which the caller may do this; a key has its own, where the reply is still to be found. */
async function findProject(
  database: CannedReplyServices['database'],
  call: Pick<Call, 'caller' | 'project' | 'authoriseScope'>,
  cannedReplyId: string,
): Promise<string> {
  if (call.caller?.type !== 'user') return requireScope(call).projectId;
  const projectId = await findCannedReplyProject(database, cannedReplyId);
  if (projectId === undefined) throw notFound();
  await call.authoriseScope(projectId);
  return projectId;
}

async function createChange(
  database: CannedReplyServices['database'],
  call: Call,
  cannedReplyId: string,
): Promise<CannedReplyChange> {
  const projectId = await findProject(database, call, cannedReplyId);
  return { projectId, cannedReplyId, ...readCondition(call), ...createUserAuditContext(call) };
}

function checkPlaceholders(text: string): void {
  const unknown = findUnknownPlaceholder(text);
  if (unknown === undefined) return;
  const message = `has ${JSON.stringify(unknown)}, which begins no placeholder that there is`;
  throw invalid([{ path: '/body/body', message, code: 'placeholder' }]);
}
