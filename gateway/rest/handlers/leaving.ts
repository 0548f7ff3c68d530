/** What becomes of the threads of somebody who leaves a workspace: nobody is assigned to them any more. */
import type { AssignThread } from '../../../actors/thread/commands.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import type { Node } from '../../../runtime/node.ts';
import type { Database } from '../../../storage/database.ts';
import { assignedThreads } from '../../../storage/reads/threads.ts';
import type { Call } from '../handler.ts';
import { authorOf } from './author.ts';

/** Threads that are changed at once. */
const atOnce = 50;

export interface LeavingServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
}

/** Takes the user off all threads of the workspace's projects, as the caller's doing. Again changes nothing. */
export async function takeOffThreads(
  { database, node }: LeavingServices,
  call: Pick<Call, 'caller' | 'requestId'>,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
): Promise<void> {
  const author = authorOf(call);
  for (let after = ''; ;) {
    const threads = await assignedThreads(database, { workspaceId, userId, after, limit: atOnce });
    await Promise.all(
      threads.map(async ({ threadId, projectId, environmentId }) => {
        const command: AssignThread = { projectId, environmentId, userId: null, from: userId, author };
        try {
          await node.ask({ kind: 'thread', id: threadId }, 'assign', command, call);
        } catch (error) {
          // It has been removed meanwhile.
          if (!(error instanceof ServiceError) || error.code !== 'svc/runtime/not_found') throw error;
        }
      }),
    );
    if (threads.length < atOnce) return;
    after = threads.at(-1)?.threadId ?? '';
  }
}
