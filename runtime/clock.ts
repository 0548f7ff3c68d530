/** Time and randomness as interfaces, so that simulation can own both. */

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Epoch milliseconds, for what is stored and shown. */
  now(): number;
  /** Milliseconds that only move forward, for durations and for deadlines, which no clock that is put right may shift. */
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
