import { useParams } from '@tanstack/react-router';

export function ThreadPane() {
  const { threadId } = useParams({ from: '/signed-in/$projectId/$environmentId/$queue/$threadId' });
  return <section>{threadId}</section>;
}
