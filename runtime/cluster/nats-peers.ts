/** Pings over `skein.<cluster>.node.<name>`: the node of that name answers there with an empty message. */
import { ErrorCode, NatsError } from 'nats';
import type { NatsConnection } from '../nats/index.ts';
import type { Peers, PingResult } from './cluster-context.ts';

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

  async answerPings(name: string): Promise<() => void> {
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

  async ping(name: string, timeoutMs: number): Promise<PingResult> {
    if (!this.connected) return 'silent';
    const { promise: lost, resolve: lose } = Promise.withResolvers<PingResult>();
    const stop = this.onConnection(() => lose('silent'));
    try {
      return await Promise.race([lost, this.#request(name, timeoutMs)]);
    } finally {
      stop();
    }
  }

  async #request(name: string, timeoutMs: number): Promise<PingResult> {
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
