/** The register behind the broker, as one node reaches it: with latency, lost requests, and writes whose outcome is unknown. */
import {
  RegisterUnavailable,
  type Change,
  type Entry,
  type Register,
} from '../../runtime/cluster/register.ts';
import type { RegisterBus } from '../support/memory-register.ts';
import type { Connection } from './network.ts';

/** Production's parts have a shorter one of their own. */
const timeoutMs = 5_000;

export class SimulatedRegister implements Register {
  readonly #bus: RegisterBus;
  readonly #connection: Connection;

  constructor(bus: RegisterBus, connection: Connection) {
    this.#bus = bus;
    this.#connection = connection;
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

  watch(listener: (change: Change) => void): Promise<() => void> {
    let watching = true;
    const hear = (change: Change): void =>
      this.#connection.down(() => {
        if (watching) listener(change);
      });
    return this.#ask(({ watchers }) => {
      watchers.add(hear);
      return () => {
        watching = false;
        watchers.delete(hear);
      };
    });
  }

  #ask<T>(question: (bus: RegisterBus) => T): Promise<T> {
    const connection = this.#connection;
    const { machine, broker } = connection;
    const { faults } = broker.options;
    return new Promise<T>((resolve, reject) => {
      if (!connection.isConnected) return reject(new RegisterUnavailable('not connected'));
      const timer = machine.after(timeoutMs, () => {
        settled();
        reject(new RegisterUnavailable('no answer in time'));
      });
      const settled = connection.onLoss(() => {
        timer.cancel();
        settled();
        reject(new RegisterUnavailable('the connection was lost'));
      });
      connection.up(() => {
        if (faults.strikes('register request lost', 0.01)) return faults.fired('register request lost');
        const answer = question(this.#bus);
        if (faults.strikes('register outcome unknown', 0.01)) return faults.fired('register outcome unknown');
        connection.down(() => {
          timer.cancel();
          settled();
          resolve(answer);
        });
      });
    });
  }
}
