/** What becomes of the threads of somebody who leaves a workspace: nobody is assigned to them any more. */
import type { Clock } from '../../../runtime/clock.ts';
import type { Log } from '../../../runtime/log.ts';
import type { Node } from '../../../runtime/node.ts';
import type { Database } from '../../../storage/database.ts';
import { assignedThreads } from '../../../storage/reads/threads.ts';
import { unassign } from '../../unassign.ts';
import type { Call } from '../handler.ts';
import { authorOf } from './author.ts';

/** Threads that are changed at once. */
const atOnce = 50;

/** A request takes about so long at the most, in milliseconds: what is left over is the sweep's (gateway/lost-assignees.ts). */
const patienceMs = 5_000;

export interface LeavingServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Takes the user off the threads of the workspace's projects, as the caller's doing, as far as it goes; never rejects. */
export async function takeOffThreads(
  { database, node, clock, log }: LeavingServices,
  call: Pick<Call, 'caller' | 'requestId'>,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
): Promise<void> {
  const author = authorOf(call);
  const until = clock.monotonic() + patienceMs;
  try {
    for (let after = ''; ;) {
      const threads = await assignedThreads(database, { workspaceId, userId, after, limit: atOnce });
      const deadlineMs = Math.max(1, until - clock.monotonic());
      const errors = await unassign(node, threads, userId, author, { requestId: call.requestId, deadlineMs });
      if (errors.length > 0) throw new AggregateError(errors);
      if (threads.length < atOnce || clock.monotonic() >= until) return;
      after = threads.at(-1)?.threadId ?? '';
    }
  } catch (err) {
    log.warn({ err, requestId: call.requestId }, 'threads of who has left are still to be unassigned');
  }
}
