/**
 * The register of nodes that share a process, in virtual time or without time. What travels takes `latencyMs` each way, in order;
 * a node that is cut off hears at once that what it had asked for has no answer, and what it had sent before may still be done.
 */
import type { Clock } from '../../runtime/time/clock.ts';
import {
  RegisterUnavailable,
  type Change,
  type Entry,
  type Register,
} from '../../runtime/cluster/register.ts';

type Listener = (change: Change) => void;

/** What the nodes share: the entries as they stand, and who is told of their changes. */
export class RegisterBus {
  readonly #entries = new Map<string, Entry>();
  readonly watchers = new Set<Listener>();
  #revision = 0;

  get entries(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  at(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** As `Register.create`, and the two below as its others: the one place where a compare-and-set is made. */
  create(key: string, value: string): number | undefined {
    return this.#entries.has(key) ? undefined : this.write(key, value);
  }

  update(key: string, value: string, revision: number): number | undefined {
    return this.at(key)?.revision === revision ? this.write(key, value) : undefined;
  }

  remove(key: string, revision: number): boolean {
    const stands = this.at(key)?.revision === revision;
    if (stands) this.write(key, undefined);
    return stands;
  }

  /** Sets the key, or removes it; the revision of that. */
  write(key: string, value: string | undefined): number {
    const revision = ++this.#revision;
    this.#entries.delete(key);
    if (value !== undefined) this.#entries.set(key, { key, value, revision });
    for (const watcher of this.watchers) watcher({ key, value, revision });
    return revision;
  }
}

export interface MemoryRegisterOptions {
  readonly bus: RegisterBus;
  /** Needed for a latency only. */
  readonly clock?: Clock;
  /** Asked for each message; default 0: in a microtask. */
  readonly latencyMs?: () => number;
}

/** The register as one node sees it. */
export class MemoryRegister implements Register {
  readonly #bus: RegisterBus;
  readonly #there: (message: () => void) => void;
  readonly #back: (message: () => void) => void;
  /** Asked and not yet answered. */
  readonly #asked = new Set<(reason: RegisterUnavailable) => void>();
  #connected = true;
  /** Counts the connections, because what was under way on one is not heard on the next. */
  #connection = 0;

  constructor({ bus, clock, latencyMs = () => 0 }: MemoryRegisterOptions) {
    this.#bus = bus;
    this.#there = inOrder(clock, latencyMs);
    this.#back = inOrder(clock, latencyMs);
  }

  /** False: nothing reaches the register, and no change is heard. */
  get connected(): boolean {
    return this.#connected;
  }

  set connected(connected: boolean) {
    if (connected === this.#connected) return;
    this.#connected = connected;
    this.#connection++;
    for (const refuse of this.#asked) refuse(new RegisterUnavailable('the connection was lost'));
  }

  entries(): Promise<readonly Entry[]> {
    return this.#ask(bus => bus.entries);
  }

  create(key: string, value: string): Promise<number | undefined> {
    return this.#ask(bus => bus.create(key, value));
  }

  update(key: string, value: string, revision: number): Promise<number | undefined> {
    return this.#ask(bus => bus.update(key, value, revision));
  }

  remove(key: string, revision: number): Promise<boolean> {
    return this.#ask(bus => bus.remove(key, revision));
  }

  watch(listener: Listener): Promise<() => void> {
    let watching = true;
    const hear: Listener = change => {
      if (!this.#connected) return;
      const connection = this.#connection;
      this.#back(() => {
        if (watching && connection === this.#connection) listener(change);
      });
    };
    return this.#ask(({ watchers }) => {
      watchers.add(hear);
      return () => {
        watching = false;
        watchers.delete(hear);
      };
    });
  }

  #ask<T>(question: (bus: RegisterBus) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (!this.#connected) return reject(new RegisterUnavailable('not connected'));
      const refuse = (reason: RegisterUnavailable): void => {
        this.#asked.delete(refuse);
        reject(reason);
      };
      this.#asked.add(refuse);
      this.#there(() => {
        const answer = question(this.#bus);
        this.#back(() => {
          if (this.#asked.delete(refuse)) resolve(answer);
        });
      });
    });
  }
}

/** A way on which no message overtakes another. */
function inOrder(clock: Clock | undefined, latencyMs: () => number): (message: () => void) => void {
  let last = 0;
  return message => {
    const ms = latencyMs();
    if (clock === undefined || (ms === 0 && last <= clock.monotonic())) return queueMicrotask(message);
    last = Math.max(last, clock.monotonic() + ms);
    clock.after(last - clock.monotonic(), message);
  };
}
