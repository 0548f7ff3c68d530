/** Privacy: erasure of a participant's data (docs/operate/privacy-and-erasure.md). */
import type { EraseThread } from '../../actors/thread/index.ts';
import type { privacyOperations } from '../../protocol/operations/index.ts';
import type { PersonalDataErasure } from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { findThreadTenant } from '../../storage/reads/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { createCommandAudit, getAuthor } from './caller.ts';
import { resolveScope } from './tenant-scope.ts';

export interface PrivacyServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
}

export function privacyHandlers({ database, node }: PrivacyServices): Handlers<typeof privacyOperations> {
  return {
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
