/**
 * The kept connections of a worker, by origin: each is a client of undici with one request at a time. Those that are free are a
 * stack, because undici's own pool looks through all connections of an origin for each request (10 microseconds with 200 of
 * them, against 1), and tells of each one's end through three layers of events.
 *
 *   busy -> free       its request was answered; or it takes the next that waits
 *   busy -> dropped    its request failed, or it is too old
 *   free -> dropped    disconnected
 */
import { Client, type buildConnector, type Dispatcher } from 'undici';

/** A connection serves at most this long, so that a changed record is followed. */
const longestLifeMs = 300_000;
/** Connections to one origin from one worker; a further request waits for one of them. */
const mostPerOrigin = 256;

/** A request as the connections see it. */
export interface Use extends Dispatcher.DispatchHandler {
  /** Nobody waits for it any more: it need not be sent. */
  readonly isOver: boolean;
  /** Set while it has a connection: to be called once, when undici is done with it. */
  ended: ((answered: boolean) => void) | undefined;
}

interface Waiting {
  readonly request: Dispatcher.DispatchOptions;
  readonly use: Use;
}

interface Connection {
  readonly client: Client;
  /** Epoch milliseconds. */
  since: number;
}

interface Origin {
  readonly address: string;
  readonly free: Connection[];
  readonly all: Set<Connection>;
  readonly waiting: Waiting[];
}

export class Connections {
  readonly #connect: buildConnector.connector;
  readonly #origins = new Map<string, Origin>();
  /** Requests that wait or are out. */
  #open = 0;
  #whenIdle: (() => void) | undefined;

  constructor(connect: buildConnector.connector) {
    this.#connect = connect;
  }

  /** Sends the request over a free connection, over a new one, or when one becomes free. */
  dispatch(address: string, request: Dispatcher.DispatchOptions, use: Use): void {
    this.#open++;
    let origin = this.#origins.get(address);
    if (origin === undefined) {
      origin = { address, free: [], all: new Set(), waiting: [] };
      this.#origins.set(address, origin);
    }
    const connection = origin.free.pop() ?? this.#add(origin);
    if (connection === undefined) origin.waiting.push({ request, use });
    else this.#start(origin, connection, { request, use });
  }

  /** Lets what is in flight finish, then closes the connections. */
  async close(): Promise<void> {
    if (this.#open > 0) await new Promise<void>(resolve => (this.#whenIdle = resolve));
    const connections = [...this.#origins.values()].flatMap(({ all }) => [...all]);
    await Promise.all(connections.map(({ client }) => client.close()));
  }

  #add(origin: Origin): Connection | undefined {
    if (origin.all.size >= mostPerOrigin) return undefined;
    const client = new Client(origin.address, { connect: this.#connect, headersTimeout: 0, bodyTimeout: 0 });
    const connection: Connection = { client, since: Date.now() };
    client.on('connect', () => (connection.since = Date.now()));
    client.on('disconnect', () => {
      // One that is busy connects again by itself, for a request that was not sent; or its request fails.
      const place = origin.free.indexOf(connection);
      if (place < 0) return;
      origin.free.splice(place, 1);
      this.#drop(origin, connection);
    });
    origin.all.add(connection);
    return connection;
  }

  #start(origin: Origin, connection: Connection, { request, use }: Waiting): void {
    use.ended = answered => {
      use.ended = undefined;
      this.#end();
      const keep = answered && Date.now() - connection.since < longestLifeMs;
      if (!keep) this.#drop(origin, connection);
      const next = this.#nextOf(origin);
      if (next === undefined) {
        if (keep) origin.free.push(connection);
        return;
      }
      const other = keep ? connection : this.#add(origin);
      if (other !== undefined) this.#start(origin, other, next);
    };
    connection.client.dispatch(request, use);
  }

  /** The next that waits for a connection. */
  #nextOf({ waiting }: Origin): Waiting | undefined {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (!next.use.isOver) return next;
      this.#end();
    }
    return undefined;
  }

  #end(): void {
    this.#open--;
    if (this.#open === 0) this.#whenIdle?.();
  }

  #drop(origin: Origin, connection: Connection): void {
    origin.all.delete(connection);
    if (origin.all.size === 0 && origin.waiting.length === 0) this.#origins.delete(origin.address);
    // Only a client that is closed already refuses it.
    connection.client.close().catch(() => undefined);
  }
}
