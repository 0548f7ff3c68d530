/**
 * Follows the changes of a bucket, each once and in order.
 *
 *   following -> broken   the connection is lost, or JetStream has dropped the consumer
 *   broken -> following   a new consumer continues after the last change
 *   any -> ended          `end`
 *
 * Nothing is missed as long as NATS keeps its store; a key that changed several times while the watch was broken is reported once.
 */
import { KvWatchInclude, type KvEntry, type QueuedIterator } from 'nats';
import type { Log } from '../observability/index.ts';
import { isMarker, type Bucket } from './nats-bucket.ts';
import type { NatsConnection } from '../nats/index.ts';
import { Backoff, pause, systemClock, systemRandom } from '../time/index.ts';
import type { Change } from './register.ts';

const retryMs = 100;

export interface NatsWatchOptions {
  readonly connection: NatsConnection;
  /** The current bucket: it may have been created again. */
  readonly bucket: () => Bucket;
  readonly listener: (change: Change) => void;
  readonly log: Log;
}

export class NatsWatch {
  readonly #options: NatsWatchOptions;
  readonly #stopFollowing: () => void;
  #changes: QueuedIterator<KvEntry> | undefined;
  #last = Infinity;
  #ended = false;

  private constructor(options: NatsWatchOptions) {
    this.#options = options;
    // The client itself notices only after ten seconds without heartbeats.
    this.#stopFollowing = options.connection.onConnection(() => this.#changes?.stop());
  }

  /** Resolves when changes are reported from then on. */
  static async start(options: NatsWatchOptions): Promise<NatsWatch> {
    const watch = new NatsWatch(options);
    try {
      await watch.#open();
    } catch (error) {
      watch.end();
      throw error;
    }
    void watch.#follow();
    return watch;
  }

  /** Idempotent. */
  end(): void {
    this.#ended = true;
    this.#stopFollowing();
    this.#changes?.stop();
  }

  async #open(): Promise<void> {
    const { kv, manager, stream } = this.#options.bucket();
    const { state } = await manager.streams.info(stream);
    // Revisions start again from 1 when NATS has lost its store.
    this.#last = Math.min(this.#last, state.last_seq);
    this.#changes = await kv.watch({
      include: KvWatchInclude.UpdatesOnly,
      resumeFromRevision: this.#last + 1,
    });
    if (this.#ended) this.#changes.stop();
  }

  async #follow(): Promise<void> {
    const { connection, log } = this.#options;
    while (!this.#ended) {
      try {
        for await (const entry of this.#changes ?? []) this.#onEntry(entry);
      } catch (error) {
        log.debug({ err: error }, 'the watch of the register broke');
      }
      this.#changes = undefined;
      const backoff = new Backoff(retryMs, retryMs, systemRandom);
      while (!this.#ended && this.#changes === undefined) {
        await pause(systemClock, backoff.next());
        if (!connection.connected) continue;
        await this.#open().catch((error: unknown) => {
          log.debug({ err: error }, 'the register cannot be watched yet');
        });
      }
    }
  }

  #onEntry(entry: KvEntry): void {
    const { key, revision } = entry;
    if (this.#ended || revision <= this.#last) return;
    this.#last = revision;
    try {
      this.#options.listener({ key, value: isMarker(entry) ? undefined : entry.string(), revision });
    } catch (error) {
      this.#options.log.error({ err: error, key }, 'a watcher of the register failed');
    }
  }
}
