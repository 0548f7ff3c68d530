/** Messages to every node that listens: topic t is the subject `skein.<cluster>.topic.<t>`. */
import type { Subscription } from 'nats';
import type { NatsConnection } from '../nats/index.ts';
import type { Log } from '../observability/index.ts';

type Listener = (message: string) => void;

export interface NatsTopicsOptions {
  readonly connection: NatsConnection;
  /** What the cluster's subjects begin with. */
  readonly prefix: string;
  readonly log: Log;
}

export class NatsTopics {
  readonly #options: NatsTopicsOptions;
  readonly #topics = new Map<
    string,
    { readonly subscription: Subscription; readonly listeners: Set<Listener> }
  >();

  constructor(options: NatsTopicsOptions) {
    this.#options = options;
  }

  /** Dots separate the words of a topic, as in a subject; characters that a subject cannot hold are percent-encoded. */
  getSubject(topic: string): string {
    const name = /^[\w-]+(\.[\w-]+)*$/.test(topic)
      ? topic
      : encodeURIComponent(topic).replace(/[.*]/g, percentEncode);
    return `${this.#options.prefix}topic.${name}`;
  }

  subscribe(topic: string, listener: Listener): () => void {
    const own: Listener = message => listener(message);
    let known = this.#topics.get(topic);
    if (known === undefined) this.#topics.set(topic, (known = this.#listen(topic)));
    const { listeners, subscription } = known;
    listeners.add(own);
    return () => {
      if (!listeners.delete(own) || listeners.size > 0) return;
      if (!subscription.isClosed()) subscription.unsubscribe();
      this.#topics.delete(topic);
    };
  }

  close(): void {
    for (const { subscription, listeners } of this.#topics.values()) {
      listeners.clear();
      if (!subscription.isClosed()) subscription.unsubscribe();
    }
    this.#topics.clear();
  }

  #listen(topic: string): { subscription: Subscription; listeners: Set<Listener> } {
    const { connection, log } = this.#options;
    const listeners = new Set<Listener>();
    const subscription = connection.client.subscribe(this.getSubject(topic), {
      callback: (error, message) => {
        if (error !== null)
          return log.error({ err: error, topic }, 'NATS refuses the subscription for a topic');
        // Somebody asks whether anybody listens.
        if (message.data.length === 0) return;
        const text = message.string();
        for (const listener of listeners) {
          try {
            listener(text);
          } catch (failure) {
            log.error({ err: failure, topic }, 'a listener failed');
          }
        }
      },
    });
    return { subscription, listeners };
  }
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}
