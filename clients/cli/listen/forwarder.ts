/**
 * Forwards events to an address as a stitch would: the same bytes, signed the same way, one at a time for each thread, 20 at once in all.
 * Events of a thread wait for those before them, also while these are tried again.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { signBody } from '../../sdk/webhooks.ts';
import { createPost, type Post, type PostTarget } from './post.ts';

/** What is forwarded. */
export interface Forwarded {
  readonly eventId: string;
  readonly eventName: string;
  /** Events of one thread keep their order. */
  readonly threadId: string | undefined;
  /** The body, to the byte. */
  readonly raw: string;
}

/** What became of it. */
export interface ForwardResult {
  readonly event: Forwarded;
  /** undefined where there was no answer. */
  readonly status: number | undefined;
  /** Why there was none. */
  readonly failure: string | undefined;
  readonly attempt: number;
  readonly ms: number;
}

export interface ForwarderOptions extends PostTarget {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Tries after the first, when the answer is none of success. */
  readonly retries: number;
  /** Called after each try. */
  readonly onResult: (result: ForwardResult) => void;
}

const maxAtOnce = 20;
/** Beyond it nothing is taken from the stream. */
const maxWaiting = 500;
const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #post: Post;
  /** The last event of each thread that has one under way. */
  readonly #threads = new Map<string, Promise<void>>();
  readonly #permits: (() => void)[] = [];
  #atOnce = 0;
  #waiting = 0;
  #onRoom: () => void = () => undefined;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#post = createPost(options);
  }

  /** Resolves when there is room for more; `onDone` is called when this one has been delivered or given up. */
  async add(event: Forwarded, signal: AbortSignal, onDone: () => void): Promise<void> {
    const key = event.threadId ?? event.eventId;
    this.#waiting += 1;
    const before = this.#threads.get(key) ?? Promise.resolve();
    const turn = before.then(() => this.#forward(event, signal, onDone));
    this.#threads.set(key, turn);
    void turn.then(() => {
      if (this.#threads.get(key) === turn) this.#threads.delete(key);
      this.#waiting -= 1;
      this.#onRoom();
    });
    if (this.#waiting >= maxWaiting) await new Promise<void>(resolve => (this.#onRoom = resolve));
  }

  /** Resolves when nothing is under way. */
  async drain(): Promise<void> {
    await Promise.all(this.#threads.values());
  }

  async #forward(event: Forwarded, signal: AbortSignal, onDone: () => void): Promise<void> {
    await this.#takePermit();
    try {
      // Who was told to end begins nothing more: it is forwarded by the next start.
      if (await this.#tryUntilDone(event, signal)) onDone();
    } finally {
      this.#atOnce -= 1;
      this.#permits.shift()?.();
    }
  }

  async #takePermit(): Promise<void> {
    if (this.#atOnce >= maxAtOnce) await new Promise<void>(resolve => this.#permits.push(resolve));
    this.#atOnce += 1;
  }

  /** Whether it is done: delivered, or tried as often as it may be. */
  async #tryUntilDone(event: Forwarded, signal: AbortSignal): Promise<boolean> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const result = await this.#try(event, attempt);
      this.#options.onResult(result);
      const { status = 0 } = result;
      if ((status >= 200 && status < 300) || attempt > this.#options.retries) return true;
      const waitMs = Math.min(longestRetryMs, firstRetryMs * 2 ** (attempt - 1));
      await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
    return false;
  }

  async #try(event: Forwarded, attempt: number): Promise<ForwardResult> {
    const { secret, headers } = this.#options;
    const started = performance.now();
    let status: number | undefined;
    let failure: string | undefined;
    try {
      const signed = await signBody(secret, event.raw, { eventId: event.eventId, attempt });
      status = await this.#post({ 'user-agent': 'Skein-Stitch/1', ...signed, ...headers }, event.raw);
    } catch (error) {
      failure = describeNoAnswer(error);
    }
    return { event, status, failure, attempt, ms: performance.now() - started };
  }
}

function describeNoAnswer(error: unknown): string {
  const { name, message, code } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError') return 'timeout';
  return code ?? message;
}
