/** The same change to several threads. Each is its own: one that is refused holds back no other. */
import type { Skein } from '../../sdk/index.ts';

export type ThreadChange =
  | { readonly is: 'close' }
  | { readonly is: 'assign'; readonly userId: string | null }
  | { readonly is: 'mode'; readonly agentMode: 'auto' | 'suggest' | 'paused' };

const atOnce = 6;

/** Gives how many were refused. */
export async function changeAll(
  client: Pick<Skein, 'threads'>,
  threadIds: readonly string[],
  change: ThreadChange,
): Promise<number> {
  const waiting = [...threadIds];
  let failed = 0;
  const work = async (): Promise<void> => {
    for (let threadId = waiting.shift(); threadId !== undefined; threadId = waiting.shift()) {
      try {
        await changeOne(client, threadId, change);
      } catch {
        failed++;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return failed;
}

async function changeOne(
  { threads }: Pick<Skein, 'threads'>,
  threadId: string,
  change: ThreadChange,
): Promise<void> {
  if (change.is === 'assign') await threads.assign(threadId, { userId: change.userId });
  else if (change.is === 'mode') await threads.update(threadId, { agentMode: change.agentMode });
  else await threads.update(threadId, { status: 'closed' });
}
