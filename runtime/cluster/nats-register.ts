/** The register in a JetStream bucket, `skein_<cluster>`. */
import type { KV } from 'nats';
import type { Log } from '../log.ts';
import {
  isConflict,
  isMarker,
  isMissing,
  openBucket,
  readAll,
  type Bucket,
  type BucketOptions,
} from './nats-bucket.ts';
import type { NatsConnection } from './nats-connection.ts';
import { NatsWatch } from './nats-watch.ts';
import { RegisterUnavailable, type Change, type Entry, type Register } from './register.ts';

/** Reading all takes several requests. */
const readTimeouts = 5;

export class NatsRegister implements Register {
  readonly #options: BucketOptions;
  readonly #connection: NatsConnection;
  readonly #log: Log;
  readonly #timeoutMs: number;
  readonly #watches = new Set<NatsWatch>();
  /** Of what is asked and not yet answered. */
  readonly #refusals = new Set<(reason: RegisterUnavailable) => void>();
  readonly #stopFollowing: () => void;
  #bucket: Bucket;

  private constructor(options: BucketOptions, bucket: Bucket) {
    this.#options = options;
    this.#connection = options.connection;
    this.#log = options.log;
    this.#timeoutMs = options.timeoutMs ?? 1_000;
    this.#bucket = bucket;
    this.#stopFollowing = this.#connection.onConnection(connected => {
      if (connected) return;
      for (const refuse of this.#refusals) refuse(new RegisterUnavailable('the connection to NATS was lost'));
    });
  }

  /** {@link openBucket}: waits, or rejects with what has to be put right. */
  static async open(options: BucketOptions): Promise<NatsRegister> {
    return new NatsRegister(options, await openBucket(options));
  }

  async entries(): Promise<readonly Entry[]> {
    const read = async (): Promise<Entry[]> => {
      const all = await readAll(this.#bucket.kv);
      return all
        .filter(entry => !isMarker(entry))
        .map(entry => ({ key: entry.key, value: entry.string(), revision: entry.revision }));
    };
    return this.#ask(
      () =>
        read().catch(async (error: unknown) => {
          if (!isMissing(error)) throw error;
          // What is made anew is empty, and whoever reads it sees that it is no member any more.
          this.#log.error({}, 'NATS has lost the register: it is made anew');
          this.#bucket = await openBucket({ ...this.#options, signal: AbortSignal.timeout(this.#timeoutMs) });
          return read();
        }),
      this.#timeoutMs * readTimeouts,
    );
  }

  create(key: string, value: string): Promise<number | undefined> {
    return this.#write(kv => kv.create(key, value));
  }

  update(key: string, value: string, revision: number): Promise<number | undefined> {
    return this.#write(kv => kv.update(key, value, revision));
  }

  async remove(key: string, revision: number): Promise<boolean> {
    const removed = await this.#write(async kv => {
      await kv.delete(key, { previousSeq: revision });
      return true;
    });
    return removed === true;
  }

  async watch(listener: (change: Change) => void): Promise<() => void> {
    const options = { connection: this.#connection, bucket: () => this.#bucket, listener, log: this.#log };
    const watch = await this.#ask(() => NatsWatch.start(options), this.#timeoutMs * readTimeouts);
    this.#watches.add(watch);
    return () => {
      this.#watches.delete(watch);
      watch.end();
    };
  }

  /** Ends every watch. */
  close(): void {
    this.#stopFollowing();
    for (const watch of this.#watches) watch.end();
    this.#watches.clear();
  }

  /** Undefined when the key stands at another revision. */
  #write<T>(write: (kv: KV) => Promise<T>): Promise<T | undefined> {
    const attempt = async (): Promise<T | undefined> => {
      try {
        return await write(this.#bucket.kv);
      } catch (error) {
        if (isConflict(error)) return undefined;
        throw error;
      }
    };
    // A creation may take three requests, each of which has its own time.
    return this.#ask(attempt, this.#timeoutMs * 3);
  }

  /** At once when the connection is lost, and in time in any case. */
  #ask<T>(question: () => Promise<T>, withinMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.#connection.connected) return reject(new RegisterUnavailable('not connected to NATS'));
      const settled = (): void => {
        clearTimeout(timer);
        this.#refusals.delete(refuse);
      };
      const refuse = (reason: RegisterUnavailable): void => {
        settled();
        reject(reason);
      };
      const timer = setTimeout(
        () => refuse(new RegisterUnavailable(`no answer in ${withinMs} ms`)),
        withinMs,
      );
      this.#refusals.add(refuse);
      question().then(
        answer => {
          settled();
          resolve(answer);
        },
        (error: unknown) =>
          refuse(new RegisterUnavailable('JetStream does not answer as it should', { cause: error })),
      );
    });
  }
}
