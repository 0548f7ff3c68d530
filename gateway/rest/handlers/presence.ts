/** Typing and read cursors over REST (decisions section 2). */
import { decodeThread, type ThreadRow } from '../../../actors/thread/snapshot.ts';
import { invalid, notFound } from '../../../protocol/errors.ts';
import { eventText } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import type { presenceOperations } from '../../../protocol/operations/presence.ts';
import type { Node } from '../../../runtime/node.ts';
import type { Database } from '../../../storage/database.ts';
import { moveReadCursor } from '../../../storage/read-cursors.ts';
import { findThread, placeOfThread } from '../../../storage/reads/threads.ts';
import type { Glimpse } from '../../stream/glimpses.ts';
import type { Handlers } from '../handler.ts';
import { authorOf, userOf } from './author.ts';
import { scopeById } from './place.ts';

export interface PresenceServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'tell'>;
  /** Shows an event that is not in the log on the Console streams of every node. */
  readonly show: (glimpse: Glimpse) => void;
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
      const { projectId, environmentId } = await scopeById(call, database, placeOfThread, threadId);
      const found = await findThread(database, { projectId, environmentId }, threadId);
      if (found === undefined) throw notFound();
      const { channelId } = decodeThread(found.row as ThreadRow);
      const actor = authorOf(call);
      const data = {
        ...{ environmentId, threadId, actor },
        ...(channelId === null ? {} : { channelId }),
        ...(actor.type === 'user' ? { userId: actor.id } : {}),
      };
      const body = eventText({
        ...{ eventId: newId('event', call.now), eventName: `thread.typing.${call.body.state}`, projectId },
        ...{ occurredAt: new Date(call.now).toISOString(), data: JSON.stringify(data) },
      });
      show({ projectId, environmentId, body });
      // An operator who types holds the agent back.
      if (actor.type === 'user' && call.body.state === 'started') {
        node.tell({ kind: 'thread', id: threadId }, 'noteTyping', { projectId, environmentId });
      }
      return {};
    },

    moveReadCursor: async call => {
      const { threadId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfThread, threadId);
      const { sequence } = call.body;
      const place = { projectId, environmentId, threadId };
      const moved = await moveReadCursor(database, {
        ...place,
        ...{ userId: userOf(call), sequence, now: call.now },
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
