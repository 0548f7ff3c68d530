import type { Action } from '../../kit/use-action.ts';
import { useClient, useConversing } from './conversations-context.tsx';
import type { OpenThread } from './open-thread.ts';
import { findNewerSequence, putsAway, type ThreadChange } from './unseen.ts';

/**
 * Changes a thread at once on the screen, and back where the server refuses it. What puts the thread away is refused where a message has come
 * that is not shown here yet; that is told by unseen-notice.tsx.
 */
export function useThreadUpdate(open: OpenThread, action: Action) {
  const client = useClient();
  const { unseen } = useConversing();
  /** @param seen the thread's number that the operator knows of; default: that of what is shown */
  return async (change: ThreadChange, seen = open.completeTo): Promise<boolean> => {
    const { threadId } = open;
    const { thread } = open.getState();
    const isPutAway = putsAway(change);
    const end = open.showChange(change);
    if (isPutAway) unseen.remove(threadId);
    let isRefused = false;
    const isDone = await action.run(async () => {
      const asked = isPutAway ? { ...change, expectedSequence: seen } : change;
      try {
        open.takeThread(await client.threads.update(threadId, asked));
      } catch (error) {
        const sequence = isPutAway ? findNewerSequence(error) : undefined;
        if (sequence === undefined || thread === undefined) throw error;
        isRefused = true;
        unseen.add({ thread, change, sequence });
      } finally {
        end();
      }
    });
    return isDone && !isRefused;
  };
}
