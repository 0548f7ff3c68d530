/** An answer's body from a stream of known size: as fast as the client takes it, and no faster. */
import type { HttpResponse } from 'uWebSockets.js';
import type { OutgoingBody } from './message.ts';

/** How it ended; `broken`: the stream failed, or was not of its size, with half an answer out. */
export type Outcome = 'complete' | 'broken';

/**
 * Sends the body after the head has been written, and calls `done` once. The returned function gives up: from its call on neither the
 * response nor `done` is touched.
 */
export function pour(
  res: HttpResponse,
  { stream, size }: OutgoingBody,
  done: (outcome: Outcome) => void,
): () => void {
  let over = false;
  let sent = 0;
  const end = (outcome: Outcome): void => {
    if (over) return;
    over = true;
    stream.destroy();
    done(outcome);
  };

  /** What the client has not taken yet, and where in the whole body it begins. */
  let rest: Uint8Array = new Uint8Array(0);
  let restAt = 0;
  let watching = false;
  // Registered once: of several, this server goes on calling the first.
  const watch = (): void => {
    if (watching) return;
    watching = true;
    res.onWritable(at => {
      if (over) return true;
      const [taken, complete] = res.tryEnd(rest.subarray(at - restAt), size);
      if (complete) end('complete');
      else if (taken) stream.resume();
      return taken;
    });
  };

  const offer = (chunk: Uint8Array): void => {
    rest = chunk;
    restAt = res.getWriteOffset();
    let taken = false;
    let complete = false;
    res.cork(() => {
      [taken, complete] = res.tryEnd(chunk, size);
    });
    if (complete) return end('complete');
    if (taken) return;
    stream.pause();
    watch();
  };

  stream.on('data', (chunk: Buffer) => {
    if (over) return;
    sent += chunk.length;
    if (sent > size) return end('broken');
    offer(chunk);
  });
  // An empty body has no data, and is complete with its head.
  stream.on('end', () => {
    if (over) return;
    if (size === 0) offer(new Uint8Array(0));
    else if (sent < size) end('broken');
  });
  stream.on('error', () => end('broken'));
  return () => {
    over = true;
    stream.destroy();
  };
}
