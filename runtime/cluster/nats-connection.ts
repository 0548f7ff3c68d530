/**
 * A node's connection to NATS, on which its transport, its register and its peers stand.
 *
 *   waiting -> connected   `open`: a server let the node in
 *   connected -> away      the connection is lost, or two pings in a row had no answer
 *   away -> connected      within about 0.2 s of the server's return; subscriptions are restored by then
 *   any -> closed          `close`
 *
 * What is published while away may be lost, or be sent much later, so whoever publishes looks at `connected` first.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { connect, Events, NatsError, ErrorCode, type NatsConnection as Client } from 'nats';
import type { Log } from '../log.ts';
import { natsAddress, type NatsAddress } from './nats-address.ts';

/** Between two tries, plus as much again at random. */
const retryMs = 100;
const connectTimeoutMs = 3_000;
const pingMs = 2_000;
const unansweredPings = 2;
/** How often a node that waits says so. */
const complainMs = 5_000;

/** NATS does not let this node in: trying again would not help. */
export class NatsRefused extends Error {
  override readonly name = 'NatsRefused';
}

export interface NatsConnectionOptions {
  /** Addresses such as `nats://user:password@host:4222`; never logged. */
  readonly urls: readonly string[];
  /** Shown in the server's monitoring. */
  readonly name: string;
  readonly log: Log;
  /** Ends the wait for a server; `open` then rejects with its reason. */
  readonly signal?: AbortSignal;
}

export class NatsConnection {
  readonly client: Client;
  readonly #log: Log;
  readonly #servers: readonly string[];
  readonly #listeners = new Set<(connected: boolean) => void>();
  #connected = true;
  #maxPayload: number;
  #closed: Promise<void> | undefined;

  private constructor(client: Client, servers: readonly string[], log: Log) {
    this.client = client;
    this.#servers = servers;
    this.#log = log;
    this.#maxPayload = payloadOf(client);
    void this.#follow();
    void client.closed().then(error => {
      if (this.#closed !== undefined) return;
      log.error({ err: error, servers }, 'the connection to NATS has ended');
      this.#become(false);
    });
  }

  /**
   * Resolves when a server has let this node in; waits as long as there is none, and says so. Rejects with {@link NatsRefused} at
   * once when a server does not accept the credentials, or does not offer TLS to whoever demands it.
   */
  static async open({ urls, name, log, signal }: NatsConnectionOptions): Promise<NatsConnection> {
    const address = natsAddress(urls);
    const { servers } = address;
    let complainAt = 0;
    for (;;) {
      signal?.throwIfAborted();
      try {
        const connection = new NatsConnection(await connect(clientOptions(address, name)), servers, log);
        log.info({ servers }, 'connected to NATS');
        return connection;
      } catch (error) {
        const refusal = refusalOf(error, servers);
        if (refusal !== undefined) throw refusal;
        if (performance.now() >= complainAt) {
          complainAt = performance.now() + complainMs;
          log.warn({ servers, reason: reasonOf(error) }, 'waiting for NATS: no server can be reached');
        }
      }
      await pause(retryMs * (1 + Math.random()), undefined, signal === undefined ? {} : { signal });
    }
  }

  /** False from the moment in which the connection is known to be lost. */
  get connected(): boolean {
    return this.#connected;
  }

  /** The largest message that the server takes, headers included, in bytes. */
  get maxPayload(): number {
    return this.#maxPayload;
  }

  /** Calls back at each change of `connected`, until the returned function is called. */
  onConnection(listener: (connected: boolean) => void): () => void {
    const mine = (connected: boolean): void => listener(connected);
    this.#listeners.add(mine);
    return () => void this.#listeners.delete(mine);
  }

  /** Resolves when the server has taken all that was published until now, or the connection is lost. */
  async flush(): Promise<void> {
    if (!this.#connected) return;
    try {
      await this.client.flush();
    } catch {
      // Lost meanwhile.
    }
  }

  /** Sends what is still to be sent, then closes. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#connected ? this.client.drain() : this.client.close();
    this.#become(false);
    return this.#closed;
  }

  async #follow(): Promise<void> {
    for await (const { type, data } of this.client.status()) {
      if (type === Events.Disconnect) this.#become(false);
      else if (type === Events.Reconnect && this.#closed === undefined) this.#become(true);
      else if (type === Events.Error) this.#log.warn({ reason: data }, 'NATS reports an error');
    }
  }

  #become(connected: boolean): void {
    if (connected === this.#connected) return;
    this.#connected = connected;
    if (connected) this.#maxPayload = payloadOf(this.client);
    const servers = this.#servers;
    if (connected) this.#log.info({ servers }, 'connected to NATS again');
    else if (this.#closed === undefined) this.#log.warn({ servers }, 'the connection to NATS is lost');
    for (const listener of this.#listeners) {
      try {
        listener(connected);
      } catch (error) {
        this.#log.error({ err: error }, 'a listener of the connection failed');
      }
    }
  }
}

function clientOptions(
  { servers, user, pass, token, tls }: NatsAddress,
  name: string,
): Parameters<typeof connect>[0] {
  return {
    ...{ servers, name, timeout: connectTimeoutMs, noAsyncTraces: true },
    ...(user !== undefined && { user, pass: pass ?? '' }),
    ...(token !== undefined && { token }),
    ...(tls && { tls: {} }),
    ...{
      maxReconnectAttempts: -1,
      reconnectTimeWait: retryMs,
      reconnectJitter: retryMs,
      reconnectJitterTLS: retryMs,
    },
    ...{ pingInterval: pingMs, maxPingOut: unansweredPings },
    // A node that was let in once goes on trying: credentials may be put right while it runs.
    ignoreAuthErrorAbort: true,
  };
}

function refusalOf(error: unknown, servers: readonly string[]): NatsRefused | undefined {
  if (!(error instanceof NatsError)) return undefined;
  const where = servers.join(', ');
  if (error.isAuthError()) return new NatsRefused(`NATS at ${where} refuses the credentials of NATS_URL`);
  if (error.code === ErrorCode.ServerOptionNotAvailable) {
    return new NatsRefused(`NATS at ${where} does not offer TLS, which NATS_URL demands by tls://`);
  }
  return undefined;
}

/** The client's texts name hosts at most. */
function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function payloadOf(client: Client): number {
  return client.info?.max_payload ?? 1_048_576;
}
