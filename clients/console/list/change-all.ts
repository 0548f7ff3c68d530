/** The same change to several threads. Each is its own: one that is refused holds back no other. */
import { createRefusal } from '../../kit/refusal.ts';
import type { ApiError, BulkBody, BulkError, Skein } from '../../sdk/index.ts';

export type ThreadChange = Pick<BulkBody, 'action' | 'agentMode' | 'snoozedUntil' | 'tags' | 'userId'>;

/** A thread that stayed as it was. */
export interface Refusal {
  readonly threadId: string;
  readonly error: unknown;
}

/** Why threads stayed as they were, and how many did for it. */
export interface Reason {
  readonly text: string;
  readonly count: number;
}

/** Threads of one request: the contract's. */
const mostAtOnce = 100;

/**
 * Gives those that were refused.
 *
 * @param findSeen the number of a thread that the operator has seen: it is not changed where its participant has written since
 */
export async function changeAll(
  { threads }: Pick<Skein, 'threads'>,
  threadIds: readonly string[],
  change: ThreadChange,
  findSeen?: (threadId: string) => number | undefined,
): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = [];
  for (let start = 0; start < threadIds.length; start += mostAtOnce) {
    const some = threadIds.slice(start, start + mostAtOnce);
    try {
      const { results } = await threads.bulk({ ...change, threadIds: some, ...toSeen(some, findSeen) });
      for (const { threadId, status, error } of results)
        if (status === 'failed') refusals.push({ threadId, error: toApiError(error) });
    } catch (error) {
      refusals.push(...some.map(threadId => ({ threadId, error })));
    }
  }
  return refusals;
}

function toSeen(
  threadIds: readonly string[],
  findSeen: ((threadId: string) => number | undefined) | undefined,
): Pick<BulkBody, 'expectedSequences'> {
  if (findSeen === undefined) return {};
  const expectedSequences: Record<string, number> = {};
  for (const threadId of threadIds) {
    const sequence = findSeen(threadId);
    if (sequence !== undefined) expectedSequences[threadId] = sequence;
  }
  return { expectedSequences };
}

/** The reasons, each once, the commonest first. */
export async function findReasons(
  refusals: readonly Refusal[],
  describe: (error: unknown) => Promise<string>,
): Promise<readonly Reason[]> {
  const counts = new Map<string, number>();
  for (const text of await Promise.all(refusals.map(({ error }) => describe(error))))
    counts.set(text, (counts.get(text) ?? 0) + 1);
  return Array.from(counts, ([text, count]) => ({ text, count })).sort(
    (one, other) => other.count - one.count,
  );
}

const toApiError = (refused: BulkError | null): ApiError =>
  createRefusal({
    code: refused?.error ?? 'svc/runtime/internal_error',
    reason: refused?.message ?? '',
    details: refused?.details,
  });
