/**
 * The node's one pool of worker threads, for everything that goes out over HTTP to addresses that customers name. It knows nothing of
 * conversations. Requests come in by queues (outbound-queue.ts), which limit how many are in flight.
 *
 *   open -> draining     `drain`: refuses new requests and finishes what it has
 *   draining -> closed   nothing is in flight: the workers end
 *
 * Admission control is ours, in front of piscina, whose queue does not bound tasks that can be aborted, and which kills the worker of a
 * task that is aborted. A deadline or a cancellation ends the request inside the worker, which lives on.
 */
import { availableParallelism } from 'node:os';
import { MessageChannel } from 'node:worker_threads';
import { Piscina } from 'piscina';
import {
  maxConnectionsPerOrigin,
  type OutboundOptions,
  type OutboundRequest,
  type OutboundResult,
} from '../outbound/index.ts';
import { OutboundQueue, PoolClosed, PoolOverloaded, type QueueLimits } from './outbound-queue.ts';
import { WorkerChannel } from './worker-channel.ts';

export interface PoolOptions extends OutboundOptions {
  /** Worker threads. Default: one fewer than the processors, at least 1, at most 4. */
  readonly threads?: number;
  /** Called when a worker ended by itself; it is replaced. */
  readonly onWorkerLost?: (error: Error) => void;
}

/** Requests of one turn go to the least busy worker in chunks of this size. */
const chunkSize = 16;

export class Pool {
  readonly #piscina: Piscina;
  readonly #channels = new Set<WorkerChannel>();
  readonly #tasks = new Set<Promise<void>>();
  readonly #queues = new Set<OutboundQueue>();
  readonly #options: PoolOptions;
  #state: 'open' | 'draining' | 'closed' = 'open';
  #inFlight = 0;
  /** The channel that gets the current chunk, and how much of it is used. */
  #current: WorkerChannel | undefined;
  #chunkUsed = 0;
  #flushing = false;
  #whenIdle: (() => void) | undefined;

  constructor(options: PoolOptions = {}) {
    this.#options = options;
    const threads = options.threads ?? Math.min(4, Math.max(1, availableParallelism() - 1));
    const { reach, ownPorts, connectTimeoutMs, nameServers, ca } = options;
    this.#piscina = new Piscina({
      filename: new URL('./pool.worker.ts', import.meta.url).href,
      minThreads: threads,
      maxThreads: threads,
      // The channel, for good, and `ready` beside it.
      concurrentTasksPerWorker: 2,
      maxQueue: 2 * threads,
      idleTimeout: Infinity,
      // Waiting on atomics would stop the worker's event loop, and with it every socket.
      atomics: 'disabled',
      recordTiming: false,
      workerData: { reach, ownPorts, connectTimeoutMs, nameServers, ca } as OutboundOptions,
      // Workers do without the test runners and loaders of the parent (first task in 42 ms instead of 410 under tap).
      execArgv: [],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    // `workerCreate` is emitted for the first workers and for every replacement, when it is idle: the channel goes there.
    this.#piscina.on('workerCreate', () => this.#openChannel());
    this.#piscina.on('error', error => this.#options.onWorkerLost?.(error as Error));
  }

  /** Requests in flight, and workers that take requests. */
  get stats(): { readonly inFlight: number; readonly workers: number } {
    return { inFlight: this.#inFlight, workers: this.#channels.size };
  }

  /** Resolves when every worker runs its code; rejects when one cannot. */
  async ready(): Promise<void> {
    await Promise.all(
      Array.from({ length: this.#piscina.maxThreads }, () => this.#piscina.run(undefined, { name: 'ready' })),
    );
  }

  /** Opens a queue: what goes through it has limits and connections of its own. */
  openQueue(limits: QueueLimits): OutboundQueue {
    const sort = this.#queues.size;
    const maxPerOrigin = maxConnectionsPerOrigin * this.#piscina.maxThreads;
    const queue = new OutboundQueue({ ...limits, maxPerOrigin }, (request, signal) =>
      this.#send(sort === 0 ? request : { ...request, sort }, signal),
    );
    this.#queues.add(queue);
    return queue;
  }

  /** Sends an admitted request. Rejects as {@link OutboundQueue.send} does. */
  #send(request: OutboundRequest, signal: AbortSignal | undefined): Promise<OutboundResult> {
    if (this.#state !== 'open') return Promise.reject(new PoolClosed('the pool is closed'));
    const channel = this.#pickChannel();
    if (channel === undefined) return Promise.reject(new PoolOverloaded('no worker is ready'));
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    this.#inFlight++;
    return new Promise((resolve, reject) => {
      const id = channel.add(request, {
        resolve: result => {
          signal?.removeEventListener('abort', cancel);
          this.#countOff();
          resolve(result);
        },
        reject: error => {
          signal?.removeEventListener('abort', cancel);
          this.#countOff();
          reject(error);
        },
      });
      const cancel = (): void => {
        channel.cancel(id);
        this.#countOff();
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      if (!this.#flushing) {
        this.#flushing = true;
        // After all microtasks, and before the commits of this turn are assembled: the worker need not wait for those.
        process.nextTick(() => this.#flush());
      }
    });
  }

  /** Rejects everything in flight with a `WorkerLost`: for a drain that has waited long enough. */
  abandonAll(): void {
    for (const channel of this.#channels) channel.abandonAll();
  }

  /** Refuses new requests, waits for those in flight, ends the workers. Idempotent. */
  async drain(): Promise<void> {
    if (this.#state !== 'open') {
      await Promise.all(this.#tasks);
      return;
    }
    this.#state = 'draining';
    for (const queue of this.#queues) queue.stop();
    this.#flush();
    if (this.#inFlight > 0) await new Promise<void>(resolve => (this.#whenIdle = resolve));
    this.#state = 'closed';
    for (const channel of this.#channels) channel.close();
    await Promise.all(this.#tasks);
    await this.#piscina.close();
  }

  #openChannel(): void {
    if (this.#state === 'closed') return;
    const { port1, port2 } = new MessageChannel();
    const channel = new WorkerChannel(port1);
    this.#channels.add(channel);
    const task = (this.#piscina as Piscina<{ port: typeof port2 }, void>)
      .run({ port: port2 }, { name: 'serve', transferList: [port2] })
      .catch((error: unknown) => this.#options.onWorkerLost?.(error as Error))
      .finally(() => {
        this.#channels.delete(channel);
        if (this.#current === channel) this.#current = undefined;
        channel.onWorkerExit();
        this.#tasks.delete(task);
      });
    this.#tasks.add(task);
  }

  /** The least busy channel, kept for a chunk of requests. */
  #pickChannel(): WorkerChannel | undefined {
    if (this.#current !== undefined && this.#chunkUsed < chunkSize) {
      this.#chunkUsed++;
      return this.#current;
    }
    let least: WorkerChannel | undefined;
    for (const channel of this.#channels) {
      if (least === undefined || channel.inFlight < least.inFlight) least = channel;
    }
    this.#current = least;
    this.#chunkUsed = 1;
    return least;
  }

  #flush(): void {
    this.#flushing = false;
    this.#current = undefined;
    for (const channel of this.#channels) channel.flush();
  }

  #countOff(): void {
    this.#inFlight--;
    if (this.#inFlight === 0) this.#whenIdle?.();
  }
}
