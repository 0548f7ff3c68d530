/**
 * Tells the server that the operator is typing, so that colleagues see it and agents do not answer by themselves.
 *
 *   idle -> typing: told at once, and every few seconds while keys are pressed -> idle: told, after a pause or when it is sent
 */
export interface TypingPort {
  tell(state: 'started' | 'stopped'): void;
  now(): number;
  /** Runs the work after so many milliseconds. Returns what prevents it. */
  schedule(work: () => void, ms: number): () => void;
}

/** The server forgets a sign of it after ten seconds. */
const repeatMs = 4_000;
const pauseMs = 6_000;

export class TypingSignal {
  readonly #port: TypingPort;
  #toldAt: number | undefined;
  #cancelStop: (() => void) | undefined;

  constructor(port: TypingPort) {
    this.#port = port;
  }

  /** A key was pressed. */
  typed(): void {
    const now = this.#port.now();
    if (this.#toldAt === undefined || now - this.#toldAt >= repeatMs) {
      this.#toldAt = now;
      this.#port.tell('started');
    }
    this.#cancelStop?.();
    this.#cancelStop = this.#port.schedule(() => this.stop(), pauseMs);
  }

  /** Sent, left, or nothing was written for a while. */
  stop(): void {
    this.#cancelStop?.();
    this.#cancelStop = undefined;
    if (this.#toldAt === undefined) return;
    this.#toldAt = undefined;
    this.#port.tell('stopped');
  }
}
