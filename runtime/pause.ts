import type { Clock } from './clock.ts';

/** Resolves after `ms` milliseconds of the given clock. */
export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise(resolve => clock.after(ms, resolve));
}

/** Whether the work was done in the given time; a rejection is the caller's. */
export function doneWithin(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(Math.max(0, ms), () => resolve(false));
    work.then(
      () => {
        timer.cancel();
        resolve(true);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error as Error);
      },
    );
  });
}

/** The same, but that it rejects with the signal's reason as soon as that is aborted. */
export function pauseUnless(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const stop = (): void => {
      timer.cancel();
      reject(signal.reason as Error);
    };
    const timer = clock.after(ms, () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    signal.addEventListener('abort', stop, { once: true });
  });
}
