/** Signs of life over `skein.<cluster>.node.<name>`: whoever runs under that name answers there, with nothing. */
import { ErrorCode, NatsError } from 'nats';
import type { NatsConnection } from './nats-connection.ts';
import type { Peers, Sign } from './peers.ts';

export interface NatsPeersOptions {
  readonly connection: NatsConnection;
  readonly cluster: string;
}

export class NatsPeers implements Peers {
  readonly #connection: NatsConnection;
  readonly #prefix: string;

  constructor({ connection, cluster }: NatsPeersOptions) {
    this.#connection = connection;
    this.#prefix = `skein.${cluster}.node.`;
  }

  get connected(): boolean {
    return this.#connection.connected;
  }

  onConnection(listener: (connected: boolean) => void): () => void {
    return this.#connection.onConnection(listener);
  }

  async answer(name: string): Promise<() => void> {
    const subscription = this.#connection.client.subscribe(this.#prefix + name, {
      callback: (error, message) => {
        if (error === null && this.connected) message.respond();
      },
    });
    await this.#connection.flush();
    return () => {
      if (!subscription.isClosed()) subscription.unsubscribe();
    };
  }

  async ping(name: string, timeoutMs: number): Promise<Sign> {
    if (!this.connected) return 'silent';
    const { promise: lost, resolve: lose } = Promise.withResolvers<Sign>();
    const stop = this.onConnection(() => lose('silent'));
    try {
      return await Promise.race([lost, this.#ask(name, timeoutMs)]);
    } finally {
      stop();
    }
  }

  async #ask(name: string, timeoutMs: number): Promise<Sign> {
    try {
      await this.#connection.client.request(this.#prefix + name, undefined, {
        timeout: Math.max(1, timeoutMs),
      });
      return 'here';
    } catch (error) {
      return error instanceof NatsError && error.code === ErrorCode.NoResponders ? 'gone' : 'silent';
    }
  }
}
