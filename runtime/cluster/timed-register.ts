/** A register whose answers come in time or not at all, so that nobody waits for ever for one that got lost. */
import type { Clock } from '../clock.ts';
import { RegisterUnavailable, type Change, type Entry, type Register } from './register.ts';

/** Everything at once takes several requests. */
const readTimes = 5;

export class TimedRegister implements Register {
  readonly #register: Register;
  readonly #clock: Clock;
  readonly #answerMs: number;

  constructor(register: Register, clock: Clock, answerMs: number) {
    this.#register = register;
    this.#clock = clock;
    this.#answerMs = answerMs;
  }

  entries(): Promise<readonly Entry[]> {
    return this.#inTime(this.#register.entries(), readTimes * this.#answerMs);
  }

  create(key: string, value: string): Promise<number | undefined> {
    return this.#inTime(this.#register.create(key, value));
  }

  update(key: string, value: string, revision: number): Promise<number | undefined> {
    return this.#inTime(this.#register.update(key, value, revision));
  }

  remove(key: string, revision: number): Promise<boolean> {
    return this.#inTime(this.#register.remove(key, revision));
  }

  /** Not timed: one that came late would go on calling a listener that has been forgotten. */
  watch(listener: (change: Change) => void): Promise<() => void> {
    return this.#register.watch(listener);
  }

  #inTime<T>(answer: Promise<T>, ms: number = this.#answerMs): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new RegisterUnavailable(`no answer in ${ms} ms`));
      const timer = this.#clock.after(ms, late);
      answer.then(
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
}
