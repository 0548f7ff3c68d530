/** The same change to several threads. Each is its own: one that is refused holds back no other. */
import type { BulkBody, Skein } from '../../sdk/index.ts';

export type ThreadChange = Pick<BulkBody, 'action' | 'agentMode' | 'snoozedUntil' | 'tags' | 'userId'>;

/** Threads of one request: the contract's. */
const mostAtOnce = 100;

/** Gives those that were refused. */
export async function changeAll(
  { threads }: Pick<Skein, 'threads'>,
  threadIds: readonly string[],
  change: ThreadChange,
): Promise<readonly string[]> {
  const refused: string[] = [];
  for (let start = 0; start < threadIds.length; start += mostAtOnce) {
    const some = threadIds.slice(start, start + mostAtOnce);
    try {
      const { results } = await threads.bulk({ ...change, threadIds: some });
      refused.push(...results.filter(({ status }) => status === 'failed').map(({ threadId }) => threadId));
    } catch {
      refused.push(...some);
    }
  }
  return refused;
}
