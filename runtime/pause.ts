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
