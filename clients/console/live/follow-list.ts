/** Keeps a list true while it is shown. */
import { isConnected, type ProjectStream } from './project-stream.ts';
import type { ThreadList } from './thread-list.ts';

/** Reads the list, and has it hear what happens. Returns what ends it. */
export function followList(
  stream: Pick<ProjectStream, 'getState' | 'onState' | 'listen'>,
  list: ThreadList,
  eachMinute: (work: () => void) => () => void,
): () => void {
  const stops = [stream.listen(list)];
  if (list.followsClock) stops.push(eachMinute(() => void list.read()));
  void list.read();
  if (!isConnected(stream.getState())) {
    // What happened between the read and the beginning of the stream came by neither.
    const stop = stream.onState(() => {
      if (!isConnected(stream.getState())) return;
      stop();
      void list.renew();
    });
    stops.push(stop);
  }
  return () => {
    for (const stop of stops) stop();
    list.stop();
  };
}
