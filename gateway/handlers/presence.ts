/** Typing and read cursors. */
import type { MarkRead } from '../../actors/channel/index.ts';
import { decodeThread, type ThreadRow } from '../../actors/thread/index.ts';
import { invalid, notFound } from '../../protocol/errors.ts';
import { formatEvent } from '../../protocol/events.ts';
import { newId } from '../../protocol/ids.ts';
import { type presenceOperations, threadOperations } from '../../protocol/operations/index.ts';
import type { Actor } from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Database } from '../../storage/database/index.ts';
import {
  findProviderMessage,
  findThread,
  findThreadTenant,
  moveReadCursor,
  type ThreadKey,
} from '../../storage/reads/index.ts';
import { performOnce } from '../../storage/idempotency/index.ts';
import type { EphemeralEvent } from '../stream/index.ts';
import { admits, type Handlers } from '../pipeline/index.ts';
import { getAuthor, getUserId } from './caller.ts';
import { resolveScope } from './tenant-scope.ts';

export interface PresenceServices {
  readonly database: Pick<Database, 'query' | 'em'>;
  readonly node: Pick<Node, 'tell'>;
  /** Shows an ephemeral event, which is not in the log, on the Console streams of every node. */
  readonly show: (event: EphemeralEvent) => void;
}

/** Lets the participant see it, where the thread's provider shows such things: how far their messages were read, and that somebody answers. */
async function tellParticipant(
  { database, node }: Pick<PresenceServices, 'database' | 'node'>,
  thread: ThreadKey,
  { upTo, typing }: { readonly upTo?: number; readonly typing: boolean },
): Promise<void> {
  const found = await findProviderMessage(database, thread, upTo);
  if (found === undefined) return;
  const { channelId, externalMessageId } = found;
  const mark: MarkRead = { externalMessageId, typing };
  node.tell({ kind: 'channel', id: channelId }, 'markRead', mark);
}

interface Typing extends ThreadKey {
  readonly channelId: string | null;
  readonly actor: Actor;
  readonly state: 'started' | 'stopped';
  readonly now: number;
}

function formatTyping({ projectId, environmentId, threadId, channelId, actor, state, now }: Typing): string {
  const data = {
    environmentId,
    threadId,
    actor,
    ...(channelId === null ? {} : { channelId }),
    ...(actor.type === 'user' ? { userId: actor.id } : {}),
  };
  return formatEvent({
    eventId: newId('event', now),
    eventName: `thread.typing.${state}`,
    projectId,
    occurredAt: new Date(now).toISOString(),
    data: JSON.stringify(data),
  });
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
      const { channelId, channelKind } = decodeThread(found.row as ThreadRow);
      const actor = getAuthor(call);
      const thread = { projectId, environmentId, threadId };
      const { state } = call.body;
      const body = formatTyping({ ...thread, channelId, actor, state, now: call.now });
      const announce = async (): Promise<null> => {
        show({ projectId, environmentId, body });
        // While an operator types, the agent waits.
        if (actor.type === 'user' && state === 'started') {
          node.tell({ kind: 'thread', id: threadId }, 'noteTyping', { projectId, environmentId });
        }
        if (channelKind === 'chatapp' && state === 'started') {
          await tellParticipant({ database, node }, thread, { typing: true });
        }
        return null;
      };
      await call.once(key => performOnce(database, key, announce));
      return {};
    },

    moveReadCursor: async call => {
      const { threadId } = call.params;
      const scope = await resolveScope(call, database, findThreadTenant, threadId);
      const { projectId, environmentId } = scope;
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
      // Who may only look at conversations leaves no trace of it at the participant's.
      if (call.caller !== undefined && admits(threadOperations.updateThread, call.caller, scope))
        await tellParticipant({ database, node }, tenant, { upTo: sequence, typing: false });
      return { body: moved };
    },
  };
}
