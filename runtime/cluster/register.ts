/**
 * The register that all nodes of a cluster share: a small key-value store with compare-and-set that holds memberships and leases.
 * JetStream KV in production (nats-register.ts); one conformance suite (test/runtime/cluster/register.conformance.ts) tests every
 * implementation.
 */
import { withTimeout, type Clock } from '../time/index.ts';

export interface Entry {
  readonly key: string;
  readonly value: string;
  /** Grows with every change of any key and is never used twice. */
  readonly revision: number;
}

/** What a watcher gets: the key's new value, or its removal. */
export type Change = Entry | { readonly key: string; readonly value: undefined; readonly revision: number };

/** All methods reject with {@link RegisterUnavailable} while the register cannot be reached. */
export interface Register {
  entries(): Promise<readonly Entry[]>;
  /** The new entry's revision; undefined when the key exists. A key that was removed can be created again. */
  create(key: string, value: string): Promise<number | undefined>;
  /** The new revision; undefined when the key stands at another revision than the given one, or does not exist. */
  update(key: string, value: string, revision: number): Promise<number | undefined>;
  /** False when the key stands at another revision than the given one, or does not exist. */
  remove(key: string, revision: number): Promise<boolean>;
  /**
   * Calls back with every change from now on, those of this node included, in the order of revisions. Changes during an outage of the
   * connection may be missed: read `entries` again when it is back (`Peers.onConnection`). The returned function ends the watch.
   */
  watch(listener: (change: Change) => void): Promise<() => void>;
}

/**
 * No answer: the request may have been carried out, or may be later. A writer reads the key and recognises its own value by the
 * contents.
 */
export class RegisterUnavailable extends Error {
  override readonly name = 'RegisterUnavailable';
}

/** Reading all entries takes several requests. */
const entriesTimeoutFactor = 5;

/** A register with a time limit for each request, so that no caller waits for a lost answer. */
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
    return this.#inTime(this.#register.entries(), entriesTimeoutFactor * this.#answerMs);
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

  /** Not timed: a watch that succeeds late would keep calling a listener that was given up. */
  watch(listener: (change: Change) => void): Promise<() => void> {
    return this.#register.watch(listener);
  }

  #inTime<T>(answer: Promise<T>, ms: number = this.#answerMs): Promise<T> {
    return withTimeout(this.#clock, ms, answer, () => {
      throw new RegisterUnavailable(`no answer in ${ms} ms`);
    });
  }
}
