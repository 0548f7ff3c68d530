import type { Action } from '../../kit/use-action.ts';
import type { Thread, UpdateThreadBody } from '../../sdk/index.ts';
import { useClient } from './conversations-context.tsx';
import type { OpenThread } from './open-thread.ts';

/** Changes a thread at once on the screen, and back where the server refuses it. */
export function useThreadUpdate(open: OpenThread, action: Action) {
  const client = useClient();
  return (change: UpdateThreadBody & Partial<Thread>): Promise<boolean> => {
    const end = open.showChange(change);
    return action.run(async () => {
      try {
        open.takeThread(await client.threads.update(open.threadId, change));
      } finally {
        end();
      }
    });
  };
}
