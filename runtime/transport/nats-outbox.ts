/**
 * What a node sends over NATS, gathered for a turn of the event loop. By itself a message costs a write to the socket, a turn of the
 * server and one of the node that hears it: more than everything else in its crossing. Order is kept.
 */
import type { PublishOptions } from 'nats';
import type { NatsConnection } from '../cluster/nats-connection.ts';
import type { Log } from '../log.ts';

/** A message on its way out. */
export interface Letter {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly options?: PublishOptions;
  /** Called when it will not be sent. */
  readonly lost?: () => void;
}

export interface OutboxOptions {
  readonly connection: NatsConnection;
  readonly log: Log;
  /** Calls back at the end of this turn of the event loop. */
  readonly turnEnd: (callback: () => void) => void;
}

export class Outbox {
  readonly #options: OutboxOptions;
  #letters: Letter[] = [];

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  /** To be called while there is a connection. */
  send(letter: Letter): void {
    if (this.#letters.push(letter) === 1) this.#options.turnEnd(() => this.flush());
  }

  /** Hands what is here to the client at once. */
  flush(): void {
    const { connection, log } = this.#options;
    for (const { subject, bytes, options, lost } of this.#take()) {
      try {
        // In one go, so that the client writes them together.
        connection.client.publish(subject, bytes, options);
      } catch (error) {
        log.error({ err: error, subject }, 'a message could not be sent');
        lost?.();
      }
    }
  }

  /** The connection is lost: nothing of this may be sent on the next one. */
  clear(): void {
    for (const { lost } of this.#take()) lost?.();
  }

  #take(): readonly Letter[] {
    const letters = this.#letters;
    this.#letters = [];
    return letters;
  }
}
