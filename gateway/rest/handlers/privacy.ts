/** [+] Privacy (decisions sections 2 and 9). */
import type { EraseThread } from '../../../actors/thread/commands.ts';
import type { privacyOperations } from '../../../protocol/operations/privacy.ts';
import type { PersonalDataErasure } from '../../../protocol/resources/privacy.ts';
import type { Node } from '../../../runtime/node.ts';
import type { Database } from '../../../storage/database.ts';
import { placeOfThread } from '../../../storage/reads/threads.ts';
import type { Handlers } from '../handler.ts';
import { actOf, authorOf } from './author.ts';
import { scopeById } from './place.ts';

export interface PrivacyServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
}

export function privacyHandlers({ database, node }: PrivacyServices): Handlers<typeof privacyOperations> {
  return {
    erasePersonalData: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfThread, threadId);
      const command: EraseThread = { projectId, environmentId, author: authorOf(call), act: actOf(call) };
      const requestedAt = await node.ask<string>({ kind: 'thread', id: threadId }, 'erase', command, call);
      const body: PersonalDataErasure = { threadId, requestedAt };
      return { body };
    },
  };
}
