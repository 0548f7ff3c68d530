/** Where an operator works: the rail with the queues, the list of the chosen one, and the thread beside it. */
import { Outlet, useParams } from '@tanstack/react-router';
import { StreamProvider } from '../live/stream-context.tsx';

export function Workplace() {
  const { projectId } = useParams({ from: '/signed-in/$projectId/$environmentId/$queue' });
  return (
    <StreamProvider projectId={projectId}>
      <main>
        <Outlet />
      </main>
    </StreamProvider>
  );
}
