/**
 * The open connections of a worker, by HTTP origin: each is an undici client with one request at a time. Idle ones form a stack,
 * because undici's own pool searches all connections of an origin for each request (10 microseconds with 200 of them, against 1) and
 * reports the end of each one through three layers of events.
 *
 *   busy -> idle      its request was answered and no other waits
 *   busy -> dropped   its request failed, or the connection is too old
 *   idle -> dropped   disconnected
 */
import { Client, type buildConnector, type Dispatcher } from 'undici';
import { maxConnectionsPerOrigin } from './request.ts';

/** A connection is used for at most this long, so that changes of a DNS record take effect. */
const maxConnectionAgeMs = 300_000;
/** A request, and what handles its answer. */
export interface Call extends Dispatcher.DispatchHandler {
  /** Nobody waits for the answer any more: the request need not be sent. */
  readonly isSettled: boolean;
  /** Set while the request has a connection: the handler calls it once, when undici is done with the request. */
  releaseConnection: ((answered: boolean) => void) | undefined;
  /** It has a connection: its time runs from now on. Returns what to send. */
  begin(): Dispatcher.DispatchOptions;
}

interface Connection {
  readonly client: Client;
  /** When it was connected, in epoch milliseconds. */
  connectedAt: number;
}

interface OriginPool {
  readonly origin: string;
  readonly idle: Connection[];
  readonly all: Set<Connection>;
  readonly queue: Call[];
}

export class Connections {
  readonly #connect: buildConnector.connector;
  readonly #pools = new Map<string, OriginPool>();
  /** Requests that are queued or in flight. */
  #openRequests = 0;
  #whenIdle: (() => void) | undefined;

  constructor(connect: buildConnector.connector) {
    this.#connect = connect;
  }

  /** Sends the request over an idle connection, over a new one, or when one becomes idle. */
  dispatch(origin: string, call: Call): void {
    this.#openRequests++;
    let pool = this.#pools.get(origin);
    if (pool === undefined) {
      pool = { origin, idle: [], all: new Set(), queue: [] };
      this.#pools.set(origin, pool);
    }
    const connection = pool.idle.pop() ?? this.#add(pool);
    if (connection === undefined) pool.queue.push(call);
    else this.#start(pool, connection, call);
  }

  /** Lets what is in flight finish, then closes the connections. */
  async close(): Promise<void> {
    if (this.#openRequests > 0) await new Promise<void>(resolve => (this.#whenIdle = resolve));
    const connections = [...this.#pools.values()].flatMap(({ all }) => [...all]);
    await Promise.all(connections.map(({ client }) => client.close()));
  }

  /** Undefined when the origin has as many connections as it may have. */
  #add(pool: OriginPool): Connection | undefined {
    if (pool.all.size >= maxConnectionsPerOrigin) return undefined;
    const client = new Client(pool.origin, { connect: this.#connect, headersTimeout: 0, bodyTimeout: 0 });
    const connection: Connection = { client, connectedAt: Date.now() };
    client.on('connect', () => (connection.connectedAt = Date.now()));
    client.on('disconnect', () => {
      // A busy one reconnects by itself for a request that was not sent; else its request fails.
      const place = pool.idle.indexOf(connection);
      if (place < 0) return;
      pool.idle.splice(place, 1);
      this.#drop(pool, connection);
    });
    pool.all.add(connection);
    return connection;
  }

  #start(pool: OriginPool, connection: Connection, call: Call): void {
    call.releaseConnection = answered => {
      call.releaseConnection = undefined;
      this.#countOff();
      const isReusable = answered && Date.now() - connection.connectedAt < maxConnectionAgeMs;
      if (!isReusable) this.#drop(pool, connection);
      const next = this.#takeNext(pool);
      if (next === undefined) {
        if (isReusable) pool.idle.push(connection);
        return;
      }
      const other = isReusable ? connection : this.#add(pool);
      if (other !== undefined) this.#start(pool, other, next);
    };
    connection.client.dispatch(call.begin(), call);
  }

  /** The next request of the queue that somebody still waits for. */
  #takeNext({ queue }: OriginPool): Call | undefined {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (!next.isSettled) return next;
      this.#countOff();
    }
    return undefined;
  }

  #countOff(): void {
    this.#openRequests--;
    if (this.#openRequests === 0) this.#whenIdle?.();
  }

  #drop(pool: OriginPool, connection: Connection): void {
    pool.all.delete(connection);
    if (pool.all.size === 0 && pool.queue.length === 0) this.#pools.delete(pool.origin);
    // Rejects only for a client that is closed already.
    connection.client.close().catch(() => undefined);
  }
}
