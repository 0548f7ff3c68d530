/**
 * A node's connection to NATS, shared by its transport, its register and its peers.
 *
 *   waiting -> connected   `open`: a server accepted the node
 *   connected -> away      the connection is lost, or two pings in a row had no answer
 *   away -> connected      within about 0.2 s of the server's return; subscriptions are restored by then
 *   any -> closed          `close`
 *
 * What is published while the connection is away may be lost or be sent much later, so publishers check `connected` first.
 */
import { connect, Events, NatsError, ErrorCode, type NatsConnection as Client } from 'nats';
import type { Log } from '../observability/index.ts';
import { Backoff, keepAliveClock, pause, systemRandom } from '../time/index.ts';

/** Time between two tries, plus up to as much again at random. */
const retryMs = 100;
const connectTimeoutMs = 3_000;
const pingMs = 2_000;
const unansweredPings = 2;
/** How often a waiting node logs that it waits. */
const logEveryMs = 5_000;

/** NATS does not accept this node, and trying again would not help. */
export class NatsRefused extends Error {
  override readonly name = 'NatsRefused';
}

/** Where the servers of NATS_URL are, and the credentials for them. */
export interface NatsAddress {
  /** `host:port` without credentials, so they may be logged. */
  readonly servers: string[];
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  /** TLS is required: an address began with `tls://`. */
  readonly tls: boolean;
}

/**
 * Parses addresses such as `nats://host`, `nats://user:password@host:4222`, `tls://token@host`; the default port is 4222. The first
 * credentials are used for all. Throws a `TypeError` that does not quote the address.
 */
export function parseNatsAddress(urls: readonly string[]): NatsAddress {
  const parsed = urls.map(url => {
    if (!URL.canParse(url) || new URL(url).hostname === '')
      throw new TypeError('not the address of a NATS server');
    return new URL(url);
  });
  if (parsed.length === 0) throw new TypeError('no address of a NATS server');
  const { username, password } = parsed.find(url => url.username !== '') ?? { username: '', password: '' };
  const name = decodeURIComponent(username);
  return {
    servers: parsed.map(({ hostname, port }) => `${hostname}:${port === '' ? '4222' : port}`),
    ...(name !== '' && password === '' && { token: name }),
    ...(name !== '' && password !== '' && { user: name, pass: decodeURIComponent(password) }),
    tls: parsed.some(({ protocol }) => protocol === 'tls:'),
  };
}

export interface NatsConnectionOptions {
  /** Addresses such as `nats://user:password@host:4222`; never logged. */
  readonly urls: readonly string[];
  /** Shown in the server's monitoring. */
  readonly name: string;
  readonly log: Log;
  /** Ends the wait for a server; `open` then rejects with the signal's reason. */
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
    this.#maxPayload = getMaxPayload(client);
    void this.#follow();
    void client.closed().then(error => {
      if (this.#closed !== undefined) return;
      log.error({ err: error, servers }, 'the connection to NATS has ended');
      this.#setConnected(false);
    });
  }

  /**
   * Resolves when a server has accepted this node; waits while there is none, and logs that. Rejects with {@link NatsRefused} at once when
   * a server refuses the credentials, or does not offer the required TLS.
   */
  static async open({ urls, name, log, signal }: NatsConnectionOptions): Promise<NatsConnection> {
    const address = parseNatsAddress(urls);
    const { servers } = address;
    const backoff = new Backoff(retryMs, 2 * retryMs, systemRandom);
    let logAt = 0;
    for (;;) {
      signal?.throwIfAborted();
      try {
        const connection = new NatsConnection(await connect(clientOptions(address, name)), servers, log);
        log.info({ servers }, 'connected to NATS');
        return connection;
      } catch (error) {
        const refusal = toRefusal(error, servers);
        if (refusal !== undefined) throw refusal;
        if (performance.now() >= logAt) {
          logAt = performance.now() + logEveryMs;
          log.warn({ servers, reason: getMessage(error) }, 'waiting for NATS: no server can be reached');
        }
      }
      await pause(keepAliveClock, backoff.next(), signal);
    }
  }

  /** False as soon as the connection is known to be lost. */
  get connected(): boolean {
    return this.#connected;
  }

  /** The largest message that the server accepts, headers included, in bytes. */
  get maxPayload(): number {
    return this.#maxPayload;
  }

  /** Calls back at each change of `connected`, until the returned function is called. */
  onConnection(listener: (connected: boolean) => void): () => void {
    const own = (connected: boolean): void => listener(connected);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  /** Resolves when the server has confirmed everything that was published, or the connection is lost. */
  async flush(): Promise<void> {
    if (!this.#connected) return;
    try {
      await this.client.flush();
    } catch {
      // Lost meanwhile.
    }
  }

  /** Sends what is buffered, then closes. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#connected ? this.client.drain() : this.client.close();
    this.#setConnected(false);
    return this.#closed;
  }

  async #follow(): Promise<void> {
    for await (const { type, data } of this.client.status()) {
      if (type === Events.Disconnect) this.#setConnected(false);
      else if (type === Events.Reconnect && this.#closed === undefined) this.#setConnected(true);
      else if (type === Events.Error) this.#log.warn({ reason: data }, 'NATS reports an error');
    }
  }

  #setConnected(connected: boolean): void {
    if (connected === this.#connected) return;
    this.#connected = connected;
    if (connected) this.#maxPayload = getMaxPayload(this.client);
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
    servers,
    name,
    timeout: connectTimeoutMs,
    noAsyncTraces: true,
    ...(user !== undefined && { user, pass: pass ?? '' }),
    ...(token !== undefined && { token }),
    ...(tls && { tls: {} }),
    maxReconnectAttempts: -1,
    reconnectTimeWait: retryMs,
    reconnectJitter: retryMs,
    reconnectJitterTLS: retryMs,
    pingInterval: pingMs,
    maxPingOut: unansweredPings,
    // A node that was accepted once keeps trying: credentials may be fixed while it runs.
    ignoreAuthErrorAbort: true,
  };
}

function toRefusal(error: unknown, servers: readonly string[]): NatsRefused | undefined {
  if (!(error instanceof NatsError)) return undefined;
  const where = servers.join(', ');
  if (error.isAuthError()) return new NatsRefused(`NATS at ${where} refuses the credentials of NATS_URL`);
  if (error.code === ErrorCode.ServerOptionNotAvailable) {
    return new NatsRefused(`NATS at ${where} does not offer TLS, which tls:// in NATS_URL requires`);
  }
  return undefined;
}

/** The client's messages contain hosts, but no credentials. */
function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function getMaxPayload(client: Client): number {
  return client.info?.max_payload ?? 1_048_576;
}
