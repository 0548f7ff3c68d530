import type { Action } from '../../kit/use-action.ts';
import { changeAll } from '../list/change-all.ts';
import { useClient } from './conversations-context.tsx';
import type { OpenThread } from './open-thread.ts';

type TagAction = 'addTags' | 'removeTags';

const opposite = { addTags: 'removeTags', removeTags: 'addTags' } as const;

/**
 * Gives a thread a tag, or takes it, at once on the screen, and back where the server refuses it. The others stay as they are, also those
 * that a colleague changes at the same moment.
 */
export function useTagChange(open: OpenThread, action: Action) {
  const client = useClient();
  const show = (change: TagAction, tag: string): void => {
    const { thread } = open.getState();
    if (thread === undefined) return;
    const others = (thread.tags ?? []).filter(each => each !== tag);
    open.takeThread({ ...thread, tags: change === 'addTags' ? [...others, tag] : others });
  };
  return (change: TagAction, tag: string): Promise<boolean> => {
    show(change, tag);
    return action.run(async () => {
      const [refusal] = await changeAll(client, [open.threadId], { action: change, tags: [tag] });
      if (refusal === undefined) return;
      show(opposite[change], tag);
      throw refusal.error;
    });
  };
}
