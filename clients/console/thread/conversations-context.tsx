/** The open conversations of the project and environment that are worked in, and who the operator is, for everything beneath. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore, type ReactNode } from 'react';
import { createOperatorClient, session, skein } from '../../kit/browser-session.ts';
import { scheduleByTimer } from '../../kit/schedule-by-timer.ts';
import type { Skein } from '../../sdk/index.ts';
import type { Outgoing } from '../composer/outbox.ts';
import { Drafts } from '../composer/drafts.ts';
import { outboxPrefix } from '../composer/unsent.ts';
import { type KeptFiles, Uploads } from '../composer/uploads.ts';
import { useProjectStream } from '../live/stream-context.tsx';
import { Conversations, type ConversationsPort } from './conversations.ts';
import { Presence, type Present } from '../live/presence.ts';
import type { OpenThread } from './open-thread.ts';
import type { ThreadState } from './thread-state.ts';

interface Conversing {
  readonly conversations: Conversations;
  readonly drafts: Drafts;
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
    const client = createOperatorClient({ projectId, environmentId });
    const drafts = new Drafts(localStorage, { userId, projectId });
    const place = `${userId}:${projectId}:${environmentId}`;
    const port = createPort(`${outboxPrefix}${place}`);
    const uploads = getUploads(place, () => new Uploads(client, port.createKey, toKeptFiles(drafts)));
    const conversations = new Conversations(client, stream, { ...port, uploads, userId });
    const presence = new Presence({ userId, schedule: port.schedule });
    return { conversations, drafts, presence, projectId, environmentId, userId };
  }, [stream, projectId, environmentId, userId]);
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
    const { conversations, drafts, presence } = conversing;
    conversations.start();
    const onStorage = (): void => drafts.tell();
    addEventListener('storage', onStorage);
    const stopListening = stream.listen(presence);
    return () => {
      stopListening();
      removeEventListener('storage', onStorage);
      conversations.stop();
    };
  }, [conversing, stream]);
  return <ConversationsContext value={conversing}>{children}</ConversationsContext>;
}

/** By whom and where they work. Files go on arriving while their operator looks at other pages. */
const keptUploads = new Map<string, Uploads>();
session.onEnd(end => {
  if (end !== 'signedOut') return;
  for (const uploads of keptUploads.values()) uploads.stop();
  keptUploads.clear();
});

function getUploads(place: string, create: () => Uploads): Uploads {
  const uploads = keptUploads.get(place) ?? create();
  keptUploads.set(place, uploads);
  return uploads;
}

const toKeptFiles = (drafts: Drafts): KeptFiles => ({
  load: threadId => drafts.get(threadId).files ?? [],
  keep: (threadId, files) => drafts.update(threadId, { files }),
});

/** What is on its way outlives a reload of its tab, and ends with it or at sign-out. */
function createPort(storageKey: string): Omit<ConversationsPort, 'userId' | 'uploads'> {
  return {
    load: () => sessionStorage.getItem(storageKey),
    keep: text => sessionStorage.setItem(storageKey, text),
    schedule: scheduleByTimer,
    now: Date.now,
    createKey: createRandomKey,
  };
}

/** 128 random bits. `randomUUID` is missing from pages on plain http. */
export function createRandomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

export function useConversing(): Conversing {
  const conversing = useContext(ConversationsContext);
  if (conversing === undefined) throw new Error('there are no conversations around this component');
  return conversing;
}

export function useClient(): Skein {
  return useConversing().conversations.client;
}

/** The thread and its state; reads it when it is not there yet. */
export function useOpenThread(threadId: string): { readonly open: OpenThread; readonly state: ThreadState } {
  const { conversations } = useConversing();
  const open = useMemo(() => conversations.getThread(threadId), [conversations, threadId]);
  const state = useSyncExternalStore(open.onChange, open.getState);
  useEffect(() => void open.open(), [open]);
  return { open, state };
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
