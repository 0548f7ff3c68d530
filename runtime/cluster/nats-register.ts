/** The register in the JetStream bucket `skein_<cluster>`. */
import type { KV } from 'nats';
import type { Log } from '../observability/index.ts';
import {
  isConflict,
  isMarker,
  isMissing,
  openBucket,
  readAll,
  type Bucket,
  type BucketOptions,
} from './nats-bucket.ts';
import type { NatsConnection } from '../nats/index.ts';
import { NatsWatch } from './nats-watch.ts';
import { RegisterUnavailable, type Change, type Entry, type Register } from './register.ts';

/** Reading all entries takes several requests. */
const readTimeoutFactor = 5;

export class NatsRegister implements Register {
  readonly #options: BucketOptions;
  readonly #connection: NatsConnection;
  readonly #log: Log;
  readonly #timeoutMs: number;
  readonly #watches = new Set<NatsWatch>();
  /** Reject the requests that are not answered yet. */
  readonly #rejects = new Set<(reason: RegisterUnavailable) => void>();
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
      for (const refuse of this.#rejects) refuse(new RegisterUnavailable('the connection to NATS was lost'));
    });
  }

  /** As {@link openBucket}: waits, or rejects with what has to be fixed. */
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
    return this.#request(
      () =>
        read().catch(async (error: unknown) => {
          if (!isMissing(error)) throw error;
          // The new one is empty, and its readers see that they are no longer members.
          this.#log.error({}, 'NATS has lost the register: it is created again');
          this.#bucket = await openBucket({
            ...this.#options,
            isNew: false,
            signal: AbortSignal.timeout(this.#timeoutMs),
          });
          return read();
        }),
      this.#timeoutMs * readTimeoutFactor,
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
    const watch = await this.#request(() => NatsWatch.start(options), this.#timeoutMs * readTimeoutFactor);
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
    // A creation may take three requests, each with its own timeout.
    return this.#request(attempt, this.#timeoutMs * 3);
  }

  /** Rejects at once when the connection is lost, and in any case within the given time. */
  #request<T>(question: () => Promise<T>, withinMs: number): Promise<T> {
    return new Promise((resolve, reject) => {
      if (!this.#connection.connected) return reject(new RegisterUnavailable('not connected to NATS'));
      const settled = (): void => {
        clearTimeout(timer);
        this.#rejects.delete(refuse);
      };
      const refuse = (reason: RegisterUnavailable): void => {
        settled();
        reject(reason);
      };
      const timer = setTimeout(
        () => refuse(new RegisterUnavailable(`no answer in ${withinMs} ms`)),
        withinMs,
      );
      this.#rejects.add(refuse);
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
