/** Tells colleagues which thread the operator looks at, while the page is visible. */
import { useEffect } from 'react';
import { useProjectStream } from '../live/stream-context.tsx';

/** Who walks down the list with a key held down looks at nothing. */
const settledMs = 300;

export function useViewing(threadId: string): void {
  const stream = useProjectStream();
  useEffect(() => {
    const tell = (): void => stream.view(document.hidden ? null : threadId);
    const timer = setTimeout(tell, settledMs);
    document.addEventListener('visibilitychange', tell);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', tell);
      stream.view(null);
    };
  }, [stream, threadId]);
}
