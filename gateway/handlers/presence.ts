/** Typing and read cursors. */
import { decodeThread, type ThreadRow } from '../../actors/thread/index.ts';
import { invalid, notFound } from '../../protocol/errors.ts';
import { formatEvent } from '../../protocol/events.ts';
import { newId } from '../../protocol/ids.ts';
import type { presenceOperations } from '../../protocol/operations/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { findThread, findThreadTenant, moveReadCursor } from '../../storage/reads/index.ts';
import { performOnce } from '../../storage/idempotency/index.ts';
import type { EphemeralEvent } from '../stream/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { getAuthor, getUserId } from './caller.ts';
import { resolveScope } from './tenant-scope.ts';

export interface PresenceServices {
  readonly database: Pick<Database, 'query' | 'em'>;
  readonly node: Pick<Node, 'tell'>;
  /** Shows an ephemeral event, which is not in the log, on the Console streams of every node. */
  readonly show: (event: EphemeralEvent) => void;
}

/** 422 for a read cursor beyond the thread's last event. */
export function presenceHandlers({
  database,
  node,
  show,
}: PresenceServices): Handlers<typeof presenceOperations> {
  return {
    setTyping: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const found = await findThread(database, { projectId, environmentId }, threadId);
      if (found === undefined) throw notFound();
      const { channelId } = decodeThread(found.row as ThreadRow);
      const actor = getAuthor(call);
      const data = {
        environmentId,
        threadId,
        actor,
        ...(channelId === null ? {} : { channelId }),
        ...(actor.type === 'user' ? { userId: actor.id } : {}),
      };
      const body = formatEvent({
        eventId: newId('event', call.now),
        eventName: `thread.typing.${call.body.state}`,
        projectId,
        occurredAt: new Date(call.now).toISOString(),
        data: JSON.stringify(data),
      });
      const announce = (): Promise<null> => {
        show({ projectId, environmentId, body });
        // While an operator types, the agent waits.
        if (actor.type === 'user' && call.body.state === 'started') {
          node.tell({ kind: 'thread', id: threadId }, 'noteTyping', { projectId, environmentId });
        }
        return Promise.resolve(null);
      };
      await call.once(key => performOnce(database, key, announce));
      return {};
    },

    moveReadCursor: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findThreadTenant, threadId);
      const { sequence } = call.body;
      const tenant = { projectId, environmentId, threadId };
      const moved = await moveReadCursor(database, {
        ...tenant,
        userId: getUserId(call),
        sequence,
        now: call.now,
      });
      if (moved === 'absent') throw notFound();
      if (moved === 'beyond') {
        const message = 'must not be beyond the last event of the thread';
        throw invalid([{ path: '/body/sequence', message, code: 'maximum' }]);
      }
      return { body: moved };
    },
  };
}
