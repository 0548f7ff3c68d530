import type { AssignThread } from '../actors/thread/commands.ts';
import type { Actor } from '../protocol/resources/message.ts';
import { ServiceError } from '../protocol/errors.ts';
import type { AskOptions, Node } from '../runtime/node.ts';
import type { ThreadKey } from '../storage/reads/threads.ts';

/**
 * Takes the user `from` off the threads, all at once: where somebody else is assigned by now, nothing changes, and what is gone is
 * done with. Gives what else went wrong, if anything; never rejects.
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
    outcome.status === 'fulfilled' || isAbsence(outcome.reason) ? [] : [outcome.reason as unknown],
  );
}

function isAbsence(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'svc/runtime/not_found';
}
