/**
 * Where no stream can be had though the server answers, as behind a proxy that lets no websockets through: what is shown is read again from
 * time to time.
 *
 *   connected -> lost -> polling: the server has answered twice; -> lost: it has not
 *   a connection ends both
 *
 * Once is not enough to say so: a node that comes back answers before the stream has found it. What is not asked while nobody sees the page is
 * asked as soon as somebody does.
 */
import { isConnected, type ProjectStream } from './project-stream.ts';

export interface PollingPort {
  /** Asks the server for anything, in one try. */
  ask(): Promise<unknown>;
  /** Whether anybody sees the page. */
  isSeen(): boolean;
  /** The listener is told when the page comes to the front. Returns what removes it. */
  onSeen(listener: () => void): () => void;
  /** Runs the work later, once; returns what cancels it. */
  schedule(work: () => void, ms: number): () => void;
}

/** Connections that are back so soon, in milliseconds, need nothing of it. */
const firstMs = 5_000;
/** From an answer to the next question, in milliseconds. */
export const pollEveryMs = 10_000;

/** Returns what ends it. */
export function pollWithoutStream(
  stream: Pick<ProjectStream, 'getState' | 'onState' | 'poll' | 'endPolling'>,
  { ask, isSeen, onSeen, schedule }: PollingPort,
): () => void {
  /** Of the time without a connection; undefined: there is one. `isDue`: the last question was left out, since nobody saw the page. */
  let loss: { answers: number; isDue: boolean; cancel: () => void } | undefined;

  const askSoon = (current: NonNullable<typeof loss>, ms: number): void => {
    current.cancel = schedule(() => {
      void askOnce(current).then(() => {
        if (loss === current) askSoon(current, pollEveryMs);
      });
    }, ms);
  };
  const askOnce = async (current: NonNullable<typeof loss>): Promise<void> => {
    current.isDue = !isSeen();
    if (current.isDue) return;
    try {
      await ask();
    } catch {
      current.answers = 0;
      if (loss === current) stream.endPolling();
      return;
    }
    if (loss === current) stream.poll(++current.answers > 1);
  };
  const end = (): void => {
    loss?.cancel();
    loss = undefined;
  };
  const follow = (): void => {
    const state = stream.getState();
    if (isConnected(state) || state.is === 'ended') return end();
    if (loss !== undefined) return;
    loss = { answers: 0, isDue: false, cancel: () => undefined };
    askSoon(loss, firstMs);
  };
  const stops = [
    stream.onState(follow),
    onSeen(() => {
      if (loss?.isDue !== true) return;
      loss.cancel();
      askSoon(loss, 0);
    }),
  ];
  follow();
  return () => {
    for (const stop of stops) stop();
    end();
  };
}
