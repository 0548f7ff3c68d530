import type { AssignThread } from '../../actors/thread/index.ts';
import { ServiceError } from '../../protocol/errors.ts';
import type { Actor } from '../../protocol/resources/index.ts';
import type { AskOptions, Node } from '../../runtime/node/index.ts';
import type { ThreadKey } from '../../storage/reads/index.ts';

/**
 * Unassigns the user `from` from the threads, concurrently. A thread that is assigned to another user by now stays as it is, and one
 * that no longer exists is passed over. Returns all other errors; never rejects.
 */
export async function unassign(
  node: Pick<Node, 'ask'>,
  threads: readonly ThreadKey[],
  from: string,
  author: Actor,
  options: AskOptions = {},
): Promise<readonly unknown[]> {
  const outcomes = await Promise.allSettled(
    threads.map(({ threadId, projectId, environmentId }) => {
      const command: AssignThread = { projectId, environmentId, userId: null, from, author };
      return node.ask({ kind: 'thread', id: threadId }, 'assign', command, options);
    }),
  );
  return outcomes.flatMap(outcome =>
    outcome.status === 'fulfilled' || isNotFound(outcome.reason) ? [] : [outcome.reason as unknown],
  );
}

function isNotFound(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'svc/runtime/not_found';
}
