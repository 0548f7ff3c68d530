/**
 * A NATS client for the simulated broker: what production's transport and peers use of the real one. Core NATS is at most once;
 * here messages get lost, late, doubled and crossed by the seed.
 */
import { ErrorCode, headers, NatsError, type Msg, type MsgHdrs, type PublishOptions } from 'nats';
import type { NatsConnection } from '../../runtime/nats/connection.ts';
import type { FaultKind } from './faults.ts';
import type { Connection, Subscription } from './network.ts';

/** The default of nats-server. */
const maxPayload = 1_048_576;

/** A message at the broker. */
interface Carried {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly reply: string | undefined;
  readonly headers: MsgHdrs | undefined;
  readonly from: Connection;
  readonly sentAt: number;
}

type Callback = (error: NatsError | null, message: Msg) => void;

const decoder = new TextDecoder();
const nothing = new Uint8Array();
/** What the server says when nobody listens. */
const noResponders = headers(503, 'No Responders');

/** What a subject is for, by the names that production gives. */
const classes: readonly (readonly [pattern: string, what: 'ask' | 'news' | 'reply' | 'ping'])[] = [
  ['.shard.', 'ask'],
  ['.lines.', 'ask'],
  ['.topic.', 'news'],
  ['.answer.', 'reply'],
  ['.node.', 'ping'],
];

class SimulatedClient {
  readonly #connection: Connection;
  readonly #newest = { sentAt: 0, from: undefined as Connection | undefined };
  #requests = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  publish(subject: string, data: Uint8Array = nothing, options: PublishOptions = {}): void {
    const from = this.#connection;
    const { reply } = options;
    const message: Carried = {
      subject,
      data,
      reply,
      headers: options.headers,
      from,
      sentAt: from.broker.options.schedule.now,
    };
    from.up(() => this.#route(message));
  }

  subscribe(subject: string, { callback }: { readonly callback: Callback }) {
    const connection = this.#connection;
    const subscription = connection.subscribe(subject, message => {
      const carried = message as Carried;
      this.#noticeCrossing(carried);
      if (!isOver) callback(null, this.#received(carried));
    });
    let isClosed = false;
    let isOver = false;
    const end = (): Promise<void> => {
      if (isClosed) return Promise.resolve();
      isClosed = true;
      return new Promise(resolve => connection.unsubscribe(subscription, resolve));
    };
    return {
      isClosed: () => isClosed,
      /** What is under way is still heard. */
      drain: async () => {
        await end();
        isOver = true;
      },
      unsubscribe: () => {
        isOver = true;
        void end();
      },
    };
  }

  request(
    subject: string,
    data: Uint8Array | undefined,
    { timeout }: { readonly timeout: number },
  ): Promise<Msg> {
    const { machine } = this.#connection;
    const inbox = `_INBOX.${machine.name}.${this.#requests++}`;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        timer.cancel();
        answers.unsubscribe();
      };
      const timer = machine.after(timeout, () => {
        settle();
        reject(NatsError.errorForCode(ErrorCode.Timeout));
      });
      const answers = this.subscribe(inbox, {
        callback: (_, message) => {
          settle();
          if (message.headers?.code === 503) reject(NatsError.errorForCode(ErrorCode.NoResponders));
          else resolve(message);
        },
      });
      this.publish(subject, data, { reply: inbox });
    });
  }

  flush(): Promise<void> {
    return new Promise(resolve =>
      this.#connection.roundTrip(
        () => undefined,
        () => resolve(),
      ),
    );
  }

  #route(message: Carried): void {
    const { broker } = this.#connection;
    const { subject, reply, from } = message;
    const what = classes.find(([pattern]) => subject.includes(pattern))?.[1];
    const listeners = broker.listeners(subject);
    if (listeners.length === 0 && reply !== undefined) {
      const unheard = { ...message, subject: reply, data: nothing, reply: undefined, headers: noResponders };
      for (const listener of broker.listeners(reply)) this.#deliver(listener, unheard);
      return;
    }
    for (const listener of listeners) {
      if (this.#strikes(what === 'reply' ? 'lost reply' : 'drop')) continue;
      this.#deliver(listener, message);
      const isRepeatable = what === 'news' || (what === 'ask' && reply === undefined);
      if (isRepeatable && from !== listener.connection && this.#strikes('duplicate'))
        this.#deliver(listener, message);
    }
  }

  #strikes(kind: FaultKind): boolean {
    const { faults } = this.#connection.broker.options;
    const strikes = faults.strikes(kind, 0.02);
    if (strikes) faults.fired(kind);
    return strikes;
  }

  #deliver(to: Subscription, message: Carried): void {
    to.connection.down(() => to.hear(message));
  }

  #received({ subject, data, reply, headers: given }: Carried): Msg {
    const respond = (): boolean => {
      if (reply !== undefined) this.publish(reply);
      return reply !== undefined;
    };
    return {
      subject,
      data,
      sid: 0,
      respond,
      ...(reply === undefined ? {} : { reply }),
      ...(given === undefined ? {} : { headers: given }),
      string: () => decoder.decode(data),
      json: <T>() => JSON.parse(decoder.decode(data)) as T,
    };
  }

  #noticeCrossing({ from, sentAt }: Carried): void {
    const newest = this.#newest;
    if (sentAt < newest.sentAt && from !== newest.from)
      this.#connection.broker.options.faults.fired('reorder');
    if (sentAt < newest.sentAt) return;
    newest.sentAt = sentAt;
    newest.from = from;
  }
}

/** The connection as production's parts take it: they use no more of it than is here. */
export function simulatedNats(connection: Connection): NatsConnection {
  const client = new SimulatedClient(connection);
  const faked = {
    client,
    get connected(): boolean {
      return connection.isConnected;
    },
    maxPayload,
    onConnection: (listener: (connected: boolean) => void) => connection.onChange(listener),
    flush: () => client.flush(),
  };
  return faked as unknown as NatsConnection;
}
