/** The stream of the environment that is worked in, for everything beneath. */
import { createContext, useContext, useEffect, useMemo, useSyncExternalStore, type ReactNode } from 'react';
import { requests, skein } from '../../kit/browser-session.ts';
import { scheduleByTimer } from '../../kit/schedule-by-timer.ts';
import { pollWithoutStream } from './polling.ts';
import { onWake } from './wake.ts';
import { ProjectStream, type StreamListener, type StreamState } from './project-stream.ts';

const StreamContext = createContext<ProjectStream | undefined>(undefined);

interface StreamProviderProps {
  readonly projectId: string;
  readonly environmentId: string;
  readonly children: ReactNode;
}

export function StreamProvider({ projectId, environmentId, children }: StreamProviderProps) {
  const stream = useMemo(
    () =>
      new ProjectStream(
        options => skein.stream({ projectId, environmentId, ...options }),
        () => requests.renewConnections(),
      ),
    [projectId, environmentId],
  );
  useEffect(() => {
    stream.start();
    const stops = [
      onWake(() => stream.check()),
      pollWithoutStream(stream, {
        ask: () => skein.auth.me({ maxRetries: 0 }),
        isSeen: () => !document.hidden,
        onSeen(listener) {
          const look = (): void => {
            if (!document.hidden) listener();
          };
          document.addEventListener('visibilitychange', look);
          return () => document.removeEventListener('visibilitychange', look);
        },
        schedule: scheduleByTimer,
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      stream.stop();
    };
  }, [stream]);
  return <StreamContext value={stream}>{children}</StreamContext>;
}

export function useProjectStream(): ProjectStream {
  const stream = useContext(StreamContext);
  if (stream === undefined) throw new Error('there is no stream around this component');
  return stream;
}

export function useStreamState(): StreamState {
  const stream = useProjectStream();
  return useSyncExternalStore(stream.onState, stream.getState);
}

/** @param listener stays the same between renderings: else nothing of what comes is lost, but it is added anew each time */
export function useStreamListener(listener: StreamListener): void {
  const stream = useProjectStream();
  useEffect(() => stream.listen(listener), [stream, listener]);
}
