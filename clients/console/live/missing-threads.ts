/** Threads of which an event came and nothing is known: they are read, several together, and anew where the read failed. */
import { canSucceedLater } from '../composer/outbox.ts';

export interface MissingThreadsPort {
  /** Reads one and takes it. */
  readOne(threadId: string): Promise<void>;
  /** Reads the list anew: there are too many to be read one by one. */
  readAll(): Promise<void>;
  /** Runs the work later, once; returns what cancels it. */
  schedule(work: () => void, ms: number): () => void;
}

const gatherMs = 200;
/** More at once than this, and the first page is read anew. */
const mostGathered = 20;

export class MissingThreads {
  readonly #port: MissingThreadsPort;
  readonly #missing = new Set<string>();
  /** Threads that are asked for by themselves, or will be. */
  readonly #beingRead = new Map<string, number>();
  #cancelGather: (() => void) | undefined;

  constructor(port: MissingThreadsPort) {
    this.#port = port;
  }

  /** Whether an answer is on its way, which may be older than an event of this moment. */
  isBeingRead(threadId: string): boolean {
    return this.#beingRead.has(threadId);
  }

  add(threadId: string): void {
    if (!this.#missing.has(threadId)) this.#countReads(threadId, 1);
    this.#missing.add(threadId);
    this.#cancelGather ??= this.#port.schedule(() => {
      this.#cancelGather = undefined;
      const missing = [...this.#missing];
      this.#missing.clear();
      if (missing.length > mostGathered) {
        void this.#port.readAll().finally(() => missing.forEach(each => this.#countReads(each, -1)));
        return;
      }
      for (const each of missing) void this.#readOne(each);
    }, gatherMs);
  }

  stop(): void {
    this.#cancelGather?.();
    this.#cancelGather = undefined;
  }

  async #readOne(threadId: string): Promise<void> {
    try {
      await this.#port.readOne(threadId);
    } catch (error) {
      // Otherwise it is gone.
      if (canSucceedLater(error)) this.add(threadId);
    } finally {
      this.#countReads(threadId, -1);
    }
  }

  #countReads(threadId: string, change: 1 | -1): void {
    const count = (this.#beingRead.get(threadId) ?? 0) + change;
    if (count > 0) this.#beingRead.set(threadId, count);
    else this.#beingRead.delete(threadId);
  }
}
