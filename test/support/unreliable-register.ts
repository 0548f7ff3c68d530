/** A register that leaves its callers in doubt: some writes are done and not answered, or done when nobody expects it any more. */
import type { Clock, Random } from '../../runtime/time/clock.ts';
import {
  RegisterUnavailable,
  type Change,
  type Entry,
  type Register,
} from '../../runtime/cluster/register.ts';

export interface UnreliableRegisterOptions {
  readonly register: Register;
  readonly clock: Clock;
  readonly random: Random;
  /** The part of the writes whose outcome is left unknown, and of the changes that the watch misses: 0 to 1. Asked each time. */
  readonly unsure: () => number;
  /** How late a write may be done, in milliseconds. */
  readonly latestMs: number;
}

export class UnreliableRegister implements Register {
  /** Writes whose outcome was left unknown, and changes that were missed. */
  faults = 0;
  readonly #options: UnreliableRegisterOptions;

  constructor(options: UnreliableRegisterOptions) {
    this.#options = options;
  }

  entries(): Promise<readonly Entry[]> {
    return this.#options.register.entries();
  }

  create(key: string, value: string): Promise<number | undefined> {
    return this.#write(register => register.create(key, value));
  }

  update(key: string, value: string, revision: number): Promise<number | undefined> {
    return this.#write(register => register.update(key, value, revision));
  }

  remove(key: string, revision: number): Promise<boolean> {
    return this.#write(register => register.remove(key, revision));
  }

  watch(listener: (change: Change) => void): Promise<() => void> {
    return this.#options.register.watch(change => {
      if (!this.#isUnsure()) listener(change);
    });
  }

  async #write<T>(write: (register: Register) => Promise<T>): Promise<T> {
    const { register, clock, random, latestMs } = this.#options;
    if (!this.#isUnsure()) return write(register);
    const lateMs = random.next() < 0.5 ? 0 : Math.floor(random.next() * latestMs);
    clock.after(lateMs, () => void write(register).catch(() => undefined));
    await new Promise<void>(resolve => clock.after(Math.floor(random.next() * 10), resolve));
    throw new RegisterUnavailable('no answer');
  }

  #isUnsure(): boolean {
    const { random, unsure } = this.#options;
    const isUnsure = random.next() < unsure();
    if (isUnsure) this.faults++;
    return isUnsure;
  }
}
