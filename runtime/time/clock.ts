/** Time and randomness as interfaces, so that a simulation can own both; and those of the machine. */
import { randomBytes } from 'node:crypto';

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Epoch milliseconds, for what is stored and shown. */
  now(): number;
  /** Milliseconds that only move forward, for durations and deadlines: setting the machine's clock does not shift them. */
  monotonic(): number;
  /** Calls back once after `ms`; does not keep the process alive. */
  after(ms: number, callback: () => void): Timer;
}

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** `size` random bytes; cryptographic in production. */
  bytes(size: number): Uint8Array;
}

/** The machine's time. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: Date.now,
  monotonic: performance.now.bind(performance),
  after(ms, callback) {
    const timer = setTimeout(callback, ms).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

/** The machine's time, with timers that keep the process alive: for what must be finished before it may end. */
export const keepAliveClock: Clock = {
  ...systemClock,
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return { cancel: () => clearTimeout(timer) };
  },
};

/** `next` spreads retries and needs no secrecy; `bytes` is the kernel's generator. */
export const systemRandom: Random = { next: Math.random, bytes: randomBytes };
