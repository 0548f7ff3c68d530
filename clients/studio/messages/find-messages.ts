/** Messages by whatever somebody has in their hand: an id, a provider's id, a conversation, or whom it is with. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { ApiError, type Message, type Skein, type Thread } from '../../sdk/index.ts';
import { readId } from '../parts/ids.ts';
import { useTenant } from '../shell/tenant.tsx';

export interface Found {
  /** Those that have the id, or the provider's. */
  readonly messages: readonly Message[];
  /** Of the participant of that name: one on each channel. */
  readonly threads: readonly Thread[];
  /** The conversation whose messages are wanted: the one that was named, or the only one of the participant. */
  readonly threadId: string | undefined;
}

/** Of each kind. */
const most = 50;
const nothing: Found = { messages: [], threads: [], threadId: undefined };

/** Longer names are none that the API takes. */
export const longestQuery = 256;

async function find({ messages, threads }: Skein, q: string): Promise<Found> {
  switch (readId(q)) {
    case 'message':
      return { ...nothing, messages: await messages.find({ messageId: q }).toArray(1) };
    case 'thread':
      return (await isThere(threads.get(q))) ? { ...nothing, threadId: q } : nothing;
    default: {
      const [byTheirs, ofParticipant] = await Promise.all([
        messages.find({ externalMessageId: q, limit: most }).toArray(most),
        threads.list({ participantRef: q, limit: most }).toArray(most),
      ]);
      const [only, ...others] = ofParticipant;
      const isOne = byTheirs.length === 0 && others.length === 0;
      return { messages: byTheirs, threads: ofParticipant, threadId: isOne ? only?.threadId : undefined };
    }
  }
}

async function isThere(asked: PromiseLike<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}

export function useFoundMessages(q: string | undefined) {
  const { client, environmentId } = useTenant();
  return useQuery({
    queryKey: ['messages', environmentId, q],
    queryFn: q === undefined ? skipToken : () => find(client, q),
    // It may have come a moment ago.
    staleTime: 0,
  });
}
