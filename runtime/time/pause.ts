/** Waiting by an injected clock. Whether a wait keeps the process alive is up to the clock: `keepAliveClock` does it. */
import type { Clock } from './clock.ts';

/** Resolves after `ms` milliseconds. With a signal, rejects with its reason as soon as it is aborted. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal === undefined) {
      clock.after(ms, resolve);
      return;
    }
    if (signal.aborted) return reject(signal.reason as Error);
    const onAbort = (): void => {
      timer.cancel();
      reject(signal.reason as Error);
    };
    const timer = clock.after(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Settles as `work` does. When that takes longer than `ms`, with what `late` returns or throws. */
export function withTimeout<T, Late>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
  late: () => Late,
): Promise<T | Late> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(Math.max(0, ms), () => {
      try {
        resolve(late());
      } catch (error) {
        reject(error as Error);
      }
    });
    work.then(
      value => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error as Error);
      },
    );
  });
}

/** Whether the work was done within `ms`; rejects as the work does. */
export function completesWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  return withTimeout(clock, ms, work, () => late).then(outcome => outcome !== late);
}

const late = Symbol('late');
