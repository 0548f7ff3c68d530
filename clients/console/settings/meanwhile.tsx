/** On a page beside the work, operators hear of what happens where they have worked last. */
import { Suspense } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import { findStart, useEnvironments } from '../../kit/shell/environments.ts';
import { StreamProvider } from '../live/stream-context.tsx';
import { ConversationsProvider } from '../thread/conversations-context.tsx';

const Notifier = lazyPart(() => import('../notifications/notifier.tsx'));
const Notices = lazyPart(() => import('../shell/notices.tsx'));

export function Meanwhile() {
  const { data: environments } = useEnvironments();
  const last = environments === undefined ? undefined : findStart(environments);
  if (last === undefined) return null;
  const { projectId, environmentId } = last;
  return (
    <StreamProvider projectId={projectId} environmentId={environmentId}>
      <ConversationsProvider projectId={projectId} environmentId={environmentId}>
        <Suspense>
          <Notifier />
          <Notices />
        </Suspense>
      </ConversationsProvider>
    </StreamProvider>
  );
}
