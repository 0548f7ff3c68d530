import type { Clock } from './clock.ts';

/** The machine's time. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};
