/** Notes that mention whoever asks, and which of them they have read (docs/contract-decisions.md, "Mentions"). */
import { notFound, ServiceError } from '../../protocol/errors.ts';
import type { mentionOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize } from '../../protocol/resources/index.ts';
import type { Database, TenantScope } from '../../storage/database/index.ts';
import { type Cursors, toPage } from '../../storage/paging/index.ts';
import { findThreadTenant, mentionPage, readMentions } from '../../storage/reads/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { getUserId } from './caller.ts';
import { requireScope } from './tenant-scope.ts';

export interface MentionServices {
  readonly database: Pick<Database, 'query'>;
  readonly cursors: Cursors;
}

export function mentionHandlers({ database, cursors }: MentionServices): Handlers<typeof mentionOperations> {
  return {
    listMentions: async call => {
      const { projectId, environmentId } = requireScope(call);
      const { unread, cursor, limit = defaultPageSize } = call.query;
      const userId = getUserId(call);
      const scope = `mentions ${environmentId} ${userId} ${unread ?? ''}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = key === undefined ? undefined : { at: Number(key[0]), threadNoteId: String(key[1]) };
      const asked = { projectId, environmentId, userId, unread, after, limit };
      const found = await mentionPage(database, asked);
      return {
        body: toPage(found, ({ mentionedAt, note }) =>
          cursors.encode(scope, [Date.parse(mentionedAt), note.threadNoteId]),
        ),
      };
    },

    readMentions: async call => {
      const { projectId, environmentId } = requireScope(call);
      const mentioned = { projectId, environmentId, userId: getUserId(call) };
      const { threadId } = call.body;
      if (threadId !== undefined) await requireThread(database, { projectId, environmentId }, threadId);
      const unread = await readMentions(database, mentioned, threadId, call.now);
      return { body: { projectId, environmentId, unread } };
    },
  };
}

async function requireThread(
  database: Pick<Database, 'query'>,
  { projectId, environmentId }: TenantScope,
  threadId: string,
): Promise<void> {
  const tenant = await findThreadTenant(database, threadId);
  if (tenant?.projectId === projectId && tenant.environmentId === environmentId) return;
  const { message, details = {} } = notFound('/body/threadId');
  throw new ServiceError('svc/console/not_found', { message, details });
}
