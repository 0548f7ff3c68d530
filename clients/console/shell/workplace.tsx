/** Where an operator works: the rail with the queues, the list of the chosen one, and the thread beside it. On a phone, one of them. */
import { Navigate, Outlet, useNavigate, useParams } from '@tanstack/react-router';
import { Suspense, useState, useSyncExternalStore } from 'react';
import { afterFirstPage } from '../../kit/first-page.ts';
import { lazyPart } from '../../kit/lazy-part.ts';
import { ThreadListPane } from '../list/thread-list-pane.tsx';
import { withoutMessage } from '../list/use-filters.ts';
import { isQueueName, type QueueName } from '../live/queues.ts';
import { StreamProvider } from '../live/stream-context.tsx';
import { ConversationsProvider, useConversing } from '../thread/conversations-context.tsx';
import { Header } from './header.tsx';
import { RoleWatch } from './role-watch.tsx';
import { WhileAllowed } from './while-allowed.tsx';
import { Rail } from './rail.tsx';
import { useEscape, useEscapeKey } from './escape.ts';
import { useShortcuts } from './use-shortcuts.ts';
import classes from './workplace.module.css';

/** Whoever has just come sees everything: what it tells of comes later. */
const Notifier = lazyPart(afterFirstPage(() => import('../notifications/notifier.tsx')));
const Notices = lazyPart(afterFirstPage(() => import('./notices.tsx')));
/** Not the first that anybody looks at. */
const MentionList = lazyPart(() => import('../mentions/mention-list.tsx'));
/** Only where there is little room. */
const RailDrawer = lazyPart(() => import('./rail-drawer.tsx'));
const Shortcuts = lazyPart(() => import('./shortcuts.tsx'));
const Damaged = lazyPart(() => import('./damaged.tsx'));

export function Workplace() {
  const { projectId, environmentId, queue } = useParams({
    from: '/signed-in/$projectId/$environmentId/$queue',
  });
  if (!isQueueName(queue) && queue !== 'mentions') return <Navigate to="/" replace />;
  return (
    <StreamProvider projectId={projectId} environmentId={environmentId}>
      <WhileAllowed>
        <ConversationsProvider projectId={projectId} environmentId={environmentId}>
          <Frame queue={queue} />
          <Suspense>
            <Notifier />
            <Notices />
          </Suspense>
          <DamagedOutbox />
          <RoleWatch />
        </ConversationsProvider>
      </WhileAllowed>
    </StreamProvider>
  );
}

/** Seldom there is anything to tell. */
function DamagedOutbox() {
  const { outbox } = useConversing().conversations;
  const damaged = useSyncExternalStore(outbox.onChange, outbox.getDamaged);
  return <Suspense>{damaged.length > 0 && <Damaged outbox={outbox} damaged={damaged} />}</Suspense>;
}

/** Escape leads from the conversation back to the list. */
function useLeaveThread(queue: QueueName | 'mentions', threadId: string | undefined): void {
  const { projectId, environmentId } = useConversing();
  const navigate = useNavigate();
  const leave = (): void =>
    void navigate({
      to: '/$projectId/$environmentId/$queue',
      params: { projectId, environmentId, queue },
      search: withoutMessage,
    });
  useEscape('thread', threadId === undefined ? undefined : leave);
}

function Frame({ queue }: { readonly queue: QueueName | 'mentions' }) {
  const { threadId } = useParams({ strict: false });
  const [showsRail, setShowsRail] = useState(false);
  const [wasRailAsked, setRailAsked] = useState(false);
  const [showsShortcuts, setShowsShortcuts] = useState(false);
  const showRail = (): void => {
    setRailAsked(true);
    setShowsRail(true);
  };
  // With Shift on some keyboards, and without on others.
  useEscapeKey();
  useLeaveThread(queue, threadId);
  useShortcuts(['?', 'shift+?'].map(key => [key, () => setShowsShortcuts(true)]));
  return (
    <div className={classes['frame']} data-thread={threadId !== undefined || undefined}>
      <div className={classes['rail']}>
        <Rail queue={queue} />
      </div>
      <div className={classes['top']}>
        <Header onMenu={showRail} onShortcuts={() => setShowsShortcuts(true)} />
      </div>
      <div className={classes['list']}>
        {queue === 'mentions' ? (
          <Suspense>
            <MentionList selected={threadId} />
          </Suspense>
        ) : (
          <ThreadListPane queue={queue} selected={threadId} />
        )}
      </div>
      <main className={classes['thread']}>
        <Outlet />
      </main>
      <Suspense>
        {wasRailAsked && <RailDrawer queue={queue} opened={showsRail} onClose={() => setShowsRail(false)} />}
      </Suspense>
      <Suspense>{showsShortcuts && <Shortcuts onClose={() => setShowsShortcuts(false)} />}</Suspense>
    </div>
  );
}
