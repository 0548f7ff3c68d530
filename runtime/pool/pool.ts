/**
 * The node's one pool of worker threads (design section 3): batches of signatures, and everything that goes out over HTTP
 * to addresses that customers name. It knows nothing of conversations.
 *
 * Admission is ours and comes before piscina: its queue does not bound tasks that can be aborted, and to abort one kills its
 * worker. A request beyond the limit fails at once with {@link PoolOverloaded}; a deadline or a cancellation ends the
 * request inside the worker, which lives on.
 *
 * States: open, draining (refuses new work, finishes what it has), closed.
 */
import { createHmac } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { OutboundOptions, OutboundRequest, OutboundResult } from './messages.ts';
import { Session } from './session.ts';

export interface PoolOptions extends OutboundOptions {
  /** Worker threads. Default: one less than the processors, at least 1, at most 4. */
  readonly threads?: number;
  /** Requests in flight, over all workers. Default 4,096. */
  readonly maxInFlight?: number;
  /** Batches of signatures that may wait for a worker. Default 64. */
  readonly maxSignBatches?: number;
  /** Told of a worker that ended by itself; it is replaced. */
  readonly onWorkerLost?: (error: Error) => void;
}

/** The pool's limit is reached: nothing was started, try again later. */
export class PoolOverloaded extends Error {
  override readonly name = 'PoolOverloaded';
}

/** The pool takes no more work. */
export class PoolClosed extends Error {
  override readonly name = 'PoolClosed';
}

/**
 * From this many in one turn of the event loop, signatures go to a worker. Measured with texts of 1 KB on the node's thread:
 * 2.1 microseconds each inline; through the pool 22 for one alone, 3.4 in a batch of 8, 1.5 of 16, 0.7 of 64.
 */
const inlineBelow = 16;
/** Requests of one turn are dealt to the least busy worker in portions of this size. */
const portion = 16;

interface Signing {
  readonly keys: string[];
  readonly texts: (string | Uint8Array)[];
  readonly settle: { resolve(hex: string): void; reject(error: Error): void }[];
}

export class Pool {
  readonly #piscina: Piscina;
  readonly #sessions = new Set<Session>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #options: Required<Pick<PoolOptions, 'maxInFlight' | 'maxSignBatches'>> & PoolOptions;
  #state: 'open' | 'draining' | 'closed' = 'open';
  #inFlight = 0;
  #dealt = 0;
  #dealing: Session | undefined;
  #flushing = false;
  #signing: Signing | undefined;
  #signBatches = 0;
  #idle: (() => void) | undefined;

  constructor(options: PoolOptions = {}) {
    this.#options = { maxInFlight: 4_096, maxSignBatches: 64, ...options };
    const threads = options.threads ?? Math.min(4, Math.max(1, availableParallelism() - 1));
    const { reach, connectTimeoutMs, nameServers, ca } = options;
    this.#piscina = new Piscina({
      filename: new URL('./pool.worker.ts', import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      // A session for good, and a few batches of signatures beside it.
      concurrentTasksPerWorker: 8,
      maxQueue: this.#options.maxSignBatches + threads,
      idleTimeout: Infinity,
      // Waiting on atomics would stop the worker's event loop, and with it every socket.
      atomics: 'disabled',
      recordTiming: false,
      workerData: { reach, connectTimeoutMs, nameServers, ca } as OutboundOptions,
      // Test runners and loaders of the parent are not the workers' business (first task 42 instead of 410 ms under tap).
      execArgv: [],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    // `workerCreate` comes for the first workers and for every replacement, when it stands idle: the session goes there.
    this.#piscina.on('workerCreate', () => this.#openSession());
    this.#piscina.on('error', error => this.#options.onWorkerLost?.(error as Error));
  }

  /** Requests in flight, batches of signatures at work, and workers that take requests. */
  get stats(): { readonly inFlight: number; readonly signBatches: number; readonly workers: number } {
    return { inFlight: this.#inFlight, signBatches: this.#signBatches, workers: this.#sessions.size };
  }

  /** Resolves when every worker runs its code; rejects when one cannot. */
  async ready(): Promise<void> {
    const ping = { keys: [], texts: [] };
    await Promise.all(
      Array.from({ length: this.#piscina.maxThreads }, () => this.#piscina.run(ping, { name: 'sign' })),
    );
  }

  /** Whether a request would be taken now. */
  get hasRoom(): boolean {
    return this.#state === 'open' && this.#inFlight < this.#options.maxInFlight && this.#sessions.size > 0;
  }

  /**
   * Sends a request and resolves with what came of it: also a refusal by the guard and a timeout are results. Rejects with
   * {@link PoolOverloaded} and {@link PoolClosed} (nothing was sent), with `WorkerLost` (not known), or with the
   * signal's reason.
   */
  send(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundResult> {
    if (this.#state !== 'open') return Promise.reject(new PoolClosed('the pool is closed'));
    const session = this.#deal();
    if (session === undefined || this.#inFlight >= this.#options.maxInFlight) {
      return Promise.reject(new PoolOverloaded('too many requests are in flight'));
    }
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    this.#inFlight++;
    return new Promise((resolve, reject) => {
      const id = session.add(request, {
        resolve: result => {
          signal?.removeEventListener('abort', cancel);
          this.#leave();
          resolve(result);
        },
        reject: error => {
          signal?.removeEventListener('abort', cancel);
          this.#leave();
          reject(error);
        },
      });
      const cancel = (): void => {
        session.cancel(id);
        this.#leave();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      if (!this.#flushing) {
        this.#flushing = true;
        // When all microtasks are done, and before the commits of this turn are put together: the worker need not wait for those.
        process.nextTick(() => this.#flush());
      }
    });
  }

  /**
   * HMAC-SHA256 as lowercase hex. What is asked for in one turn of the event loop is one batch, signed here when small and
   * by a worker when large. Rejects with {@link PoolOverloaded} when too many batches wait.
   */
  sign(key: string, text: string | Uint8Array): Promise<string> {
    if (this.#state === 'closed') return Promise.reject(new PoolClosed('the pool is closed'));
    if (this.#signing === undefined) {
      this.#signing = { keys: [], texts: [], settle: [] };
      setImmediate(() => this.#flushSigning());
    }
    const { keys, texts, settle } = this.#signing;
    keys.push(key);
    texts.push(text);
    return new Promise((resolve, reject) => settle.push({ resolve, reject }));
  }

  /** Drops what is in flight, each with a `WorkerLost`: for a drain that has waited long enough. */
  giveUp(): void {
    for (const session of this.#sessions) session.giveUp();
  }

  /** Refuses new requests, waits for those in flight, ends the workers. Idempotent. */
  async drain(): Promise<void> {
    if (this.#state !== 'open') {
      await Promise.all(this.#tasks);
      return;
    }
    this.#state = 'draining';
    this.#flush();
    if (this.#inFlight > 0) await new Promise<void>(resolve => (this.#idle = resolve));
    this.#flushSigning();
    this.#state = 'closed';
    for (const session of this.#sessions) session.close();
    await Promise.all(this.#tasks);
    await this.#piscina.close();
  }

  #openSession(): void {
    if (this.#state === 'closed') return;
    const { port1, port2 } = new MessageChannel();
    const session = new Session(port1);
    this.#sessions.add(session);
    const task = (this.#piscina as Piscina<{ port: typeof port2 }, void>)
      .run({ port: port2 }, { name: 'session', transferList: [port2] })
      .catch((error: unknown) => this.#options.onWorkerLost?.(error as Error))
      .finally(() => {
        this.#sessions.delete(session);
        if (this.#dealing === session) this.#dealing = undefined;
        session.lose();
        this.#tasks.delete(task);
      });
    this.#tasks.add(task);
  }

  /** The least busy session, kept for a portion of requests. */
  #deal(): Session | undefined {
    if (this.#dealing !== undefined && this.#dealt < portion) {
      this.#dealt++;
      return this.#dealing;
    }
    let least: Session | undefined;
    for (const session of this.#sessions) {
      if (least === undefined || session.inFlight < least.inFlight) least = session;
    }
    this.#dealing = least;
    this.#dealt = 1;
    return least;
  }

  #flush(): void {
    this.#flushing = false;
    this.#dealing = undefined;
    for (const session of this.#sessions) session.flush();
  }

  #leave(): void {
    this.#inFlight--;
    if (this.#inFlight === 0) this.#idle?.();
  }

  #flushSigning(): void {
    const batch = this.#signing;
    if (batch === undefined) return;
    this.#signing = undefined;
    const { keys, texts, settle } = batch;
    if (texts.length < inlineBelow) {
      texts.forEach((text, index) => {
        const hmac = createHmac('sha256', keys[index] ?? '').update(text);
        settle[index]?.resolve(hmac.digest('hex'));
      });
      return;
    }
    if (this.#signBatches >= this.#options.maxSignBatches) {
      for (const waiter of settle) waiter.reject(new PoolOverloaded('too many signatures are waiting'));
      return;
    }
    this.#signBatches++;
    (this.#piscina as Piscina<{ keys: string[]; texts: (string | Uint8Array)[] }, string[]>)
      .run({ keys, texts }, { name: 'sign' })
      .then(
        signatures => settle.forEach((waiter, index) => waiter.resolve(signatures[index] ?? '')),
        (error: unknown) => settle.forEach(waiter => waiter.reject(error as Error)),
      )
      .finally(() => this.#signBatches--);
  }
}
