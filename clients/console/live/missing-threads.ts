/**
 * Threads of which an event came and nothing is known: they are read, several together, and anew where the read failed.
 *
 * Where too many are missing, the list is read anew instead: one such read at a time, with a rest after it, and what comes meanwhile waits
 * for the next. Thus a read that takes longer than events need to come is waited for.
 */
import { canSucceedLater } from '../composer/outbox.ts';

export interface MissingThreadsPort {
  /** Reads one and takes it. */
  readOne(threadId: string): Promise<void>;
  /** Reads the list anew: these are too many to be read one by one. */
  readAll(threadIds: readonly string[]): Promise<void>;
  /** Runs the work later, once; returns what cancels it. */
  schedule(work: () => void, ms: number): () => void;
}

const gatherMs = 200;
/** More at once than this, and the first page is read anew. */
const mostGathered = 20;
/** From the end of such a read to the next. */
const restMs = 3_000;
/** What could not be read is asked for again after so long, and twice as long after each failure. */
const againMs = 2_000;
const longestAgainMs = 30_000;

export class MissingThreads {
  readonly #port: MissingThreadsPort;
  readonly #missing = new Set<string>();
  /** Could not be read. */
  readonly #failed = new Set<string>();
  /** Threads that are asked for by themselves, or will be. */
  readonly #beingRead = new Map<string, number>();
  #isReadingAll = false;
  #failures = 0;
  #cancelGather: (() => void) | undefined;
  #cancelRest: (() => void) | undefined;
  #cancelAgain: (() => void) | undefined;
  /** Changes when it is stopped: what was begun before adds nothing any more. */
  #run = {};

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
      this.#readMissing();
    }, gatherMs);
  }

  stop(): void {
    this.#run = {};
    for (const cancel of [this.#cancelGather, this.#cancelRest, this.#cancelAgain]) cancel?.();
    this.#cancelGather = this.#cancelRest = this.#cancelAgain = undefined;
    for (const threadId of this.#missing) this.#countReads(threadId, -1);
    this.#missing.clear();
    this.#failed.clear();
    this.#failures = 0;
    this.#isReadingAll = false;
  }

  #readMissing(): void {
    if (this.#missing.size > mostGathered) {
      if (!this.#isReadingAll && this.#cancelRest === undefined) void this.#readAll(this.#takeMissing());
      return;
    }
    void this.#readEach(this.#takeMissing());
  }

  #takeMissing(): readonly string[] {
    const missing = [...this.#missing];
    this.#missing.clear();
    return missing;
  }

  async #readAll(threadIds: readonly string[]): Promise<void> {
    const run = this.#run;
    this.#isReadingAll = true;
    try {
      await this.#port.readAll(threadIds);
    } finally {
      for (const each of threadIds) this.#countReads(each, -1);
      if (run === this.#run) {
        this.#isReadingAll = false;
        this.#cancelRest = this.#port.schedule(() => {
          this.#cancelRest = undefined;
          this.#readMissing();
        }, restMs);
      }
    }
  }

  async #readEach(threadIds: readonly string[]): Promise<void> {
    const run = this.#run;
    const read = async (threadId: string): Promise<void> => {
      try {
        await this.#port.readOne(threadId);
      } catch (error) {
        // Otherwise it is gone.
        if (run === this.#run && canSucceedLater(error)) this.#failed.add(threadId);
      } finally {
        this.#countReads(threadId, -1);
      }
    };
    await Promise.all(threadIds.map(read));
    if (run !== this.#run) return;
    if (this.#failed.size === 0) this.#failures = 0;
    else this.#tryAgain();
  }

  #tryAgain(): void {
    if (this.#cancelAgain !== undefined) return;
    const ms = Math.min(againMs * 2 ** this.#failures++, longestAgainMs);
    this.#cancelAgain = this.#port.schedule(() => {
      this.#cancelAgain = undefined;
      const failed = [...this.#failed];
      this.#failed.clear();
      for (const threadId of failed) this.add(threadId);
    }, ms);
  }

  #countReads(threadId: string, change: 1 | -1): void {
    const count = (this.#beingRead.get(threadId) ?? 0) + change;
    if (count > 0) this.#beingRead.set(threadId, count);
    else this.#beingRead.delete(threadId);
  }
}
