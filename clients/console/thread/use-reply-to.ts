/** The message that is answered: one that is here, or that an earlier page of the browser has chosen. */
import { useQuery } from '@tanstack/react-query';
import { useDraft } from '../composer/use-draft.ts';
import type { Message } from '../../sdk/index.ts';
import { useClient } from './conversations-context.tsx';
import type { OpenThread } from './open-thread.ts';

/** Undefined where none is answered, and until it is known. */
export function useReplyTo(open: OpenThread): Message | undefined {
  const client = useClient();
  const { threadId } = open;
  const { replyTo: messageId = '' } = useDraft(threadId);
  const known = open.getMessage(messageId);
  const { data } = useQuery({
    queryKey: ['answered', threadId, messageId],
    queryFn: () => client.messages.get(threadId, messageId),
    enabled: messageId !== '' && known === undefined,
    staleTime: Infinity,
  });
  return messageId === '' ? undefined : (known ?? data);
}
