/** The open conversations of the project and environment that are worked in, and who the operator is, for everything beneath. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore, type ReactNode } from 'react';
import { skein } from '../../kit/browser-session.ts';
import { scheduleByTimer } from '../../kit/schedule-by-timer.ts';
import type { Skein } from '../../sdk/index.ts';
import type { Outgoing } from '../composer/outbox.ts';
import type { Drafts } from '../composer/drafts.ts';
import { useProjectStream } from '../live/stream-context.tsx';
import type { Conversations } from './conversations.ts';
import { keptConversations } from './kept-conversations.ts';
import type { UnseenMessages } from './unseen.ts';
import { Presence, type Present } from '../live/presence.ts';

interface Conversing {
  readonly conversations: Conversations;
  readonly drafts: Drafts;
  readonly unseen: UnseenMessages;
  readonly presence: Presence;
  readonly projectId: string;
  readonly environmentId: string;
  readonly userId: string;
}

const ConversationsContext = createContext<Conversing | undefined>(undefined);

interface ConversationsProviderProps {
  readonly projectId: string;
  readonly environmentId: string;
  readonly children: ReactNode;
}

export function ConversationsProvider(props: ConversationsProviderProps) {
  const { data: me } = useQuery({
    queryKey: ['me'],
    queryFn: () => skein.auth.me(),
    staleTime: Infinity,
    // Without it there is nothing to show.
    retry: true,
  });
  return me === undefined ? null : <SignedInConversations {...props} userId={me.userId} />;
}

function SignedInConversations({
  projectId,
  environmentId,
  userId,
  children,
}: ConversationsProviderProps & { readonly userId: string }) {
  const stream = useProjectStream();
  const conversing = useMemo((): Conversing => {
    const kept = keptConversations.get({ userId, projectId, environmentId });
    const presence = new Presence({ userId, schedule: scheduleByTimer });
    return { ...kept, presence, projectId, environmentId, userId };
  }, [projectId, environmentId, userId]);
  const queries = useQueryClient();
  useEffect(
    () =>
      stream.listen({
        onEvent({ eventName }) {
          // Whatever was read of it before may hold what was erased.
          if (eventName !== 'thread.lifecycle.erased') return;
          for (const name of ['run', 'threads-of', 'thread-search'])
            void queries.resetQueries({ queryKey: [name] });
        },
      }),
    [stream, queries],
  );
  useEffect(() => {
    const { conversations, drafts, presence, unseen } = conversing;
    conversations.start(stream);
    const onStorage = (): void => drafts.tell();
    addEventListener('storage', onStorage);
    const stops = [stream.listen(presence), stream.listen(unseen)];
    return () => {
      for (const stop of stops) stop();
      removeEventListener('storage', onStorage);
      conversations.stop();
    };
  }, [conversing, stream]);
  return <ConversationsContext value={conversing}>{children}</ConversationsContext>;
}

export function useConversing(): Conversing {
  const conversing = useContext(ConversationsContext);
  if (conversing === undefined) throw new Error('there are no conversations around this component');
  return conversing;
}

export function useClient(): Skein {
  return useConversing().conversations.client;
}

/** What is on its way to the thread, in order. */
export function useOutgoing(threadId: string): readonly Outgoing[] {
  const { outbox } = useConversing().conversations;
  const items = useSyncExternalStore(outbox.onChange, outbox.getItems);
  return useMemo(() => items.filter(item => item.threadId === threadId), [items, threadId]);
}

/** Which colleagues look at the thread, or write in it, at this moment. */
export function usePresent(threadId: string): readonly Present[] {
  const { presence } = useConversing();
  return useSyncExternalStore(presence.onChange, () => presence.get(threadId));
}
