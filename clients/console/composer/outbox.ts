/**
 * What was sent and is not with the server yet. Nothing in it is lost or doubled: it is kept before it is sent, as far as there is room, and
 * every try of it has the same Idempotency-Key.
 *
 *   waiting -> sending -> gone: the server has it
 *                      -> waiting: there was no answer, or a passing error; again after a while, or when the stream comes back
 *                      -> refused: the operator sends it again, with a new key, or discards it
 *
 * A message that failed and is sent once more has a key of its own kind, the same for all operators.
 *
 * The server forgets keys after a day. So what has waited for so long, what is sent again under another key, and what a colleague may have sent
 * before, is looked for among the messages of its thread before it leaves.
 *
 * What belongs to one thread leaves in order, one after the other: behind what is refused the rest waits.
 */
import { ApiError, AuthError, type Message } from '../../sdk/index.ts';
import { parseKept, toResendKey, type Outgoing, type OutgoingContent } from './outgoing.ts';

export type { Outgoing, OutgoingContent } from './outgoing.ts';

/** What an outbox needs of its surroundings. */
export interface OutboxPort {
  /** Sends one, with its key, in one try. */
  send(outgoing: Outgoing): Promise<void>;
  /** Whether the thread has it already. */
  isThere(outgoing: Outgoing): Promise<boolean>;
  /** Number of the thread's last event that is known here. */
  getLastSequence(threadId: string): number;
  /** Why it was refused, in the reader's language. */
  describe(error: unknown): Promise<string>;
  /** What was kept by the page before, as text. */
  load(): string | null;
  /** May throw where there is no room. */
  keep(text: string): void;
  /** Runs the work after so many milliseconds. Returns what prevents it. */
  schedule(work: () => void, ms: number): () => void;
  now(): number;
  createKey(): string;
}

export type FailedMessage = Pick<Message, 'messageId' | 'threadId' | 'sequence'>;

/** The server honours a key for 24 hours. */
const keyLifetimeMs = 23 * 3_600_000;
const firstWaitMs = 1_000;
const longestWaitMs = 15_000;

/** Whether the same request may succeed later without anybody changing anything. */
export function canSucceedLater(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  if (error instanceof AuthError) return error.status === 401;
  // An earlier try of it, whose answer was lost, is being carried out.
  if (error.code === 'svc/runtime/idempotency_conflict') return error.details?.['reason'] === 'in_progress';
  return error.status >= 500 || error.status === 429 || error.status === 408;
}

const isReplay = (error: unknown): boolean =>
  error instanceof ApiError && error.headers.get('idempotent-replayed') === 'true';

export class Outbox {
  readonly #port: OutboxPort;
  readonly #listeners = new Set<() => void>();
  #items: readonly Outgoing[];
  #damaged: readonly string[];
  #isStopped = false;
  #failures = 0;
  #cancelRetry: (() => void) | undefined;

  constructor(port: OutboxPort) {
    this.#port = port;
    const { items, damaged } = parseKept(port.load());
    this.#items = items;
    this.#damaged = damaged;
  }

  /** The same array until something changes. */
  readonly getItems = (): readonly Outgoing[] => this.#items;

  /**
   * What of the page before could not be read any more, and so is not sent: the text of each, as far as there is one. The same array until it
   * is forgotten, and kept as long.
   */
  readonly getDamaged = (): readonly string[] => this.#damaged;

  /** The operator knows of it. */
  forgetDamaged(): void {
    this.#damaged = [];
    this.#change(this.#items);
  }

  /** Returns what removes the listener. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(threadId: string, content: OutgoingContent): void {
    const { createKey, getLastSequence } = this.#port;
    this.#append({ key: createKey(), afterSequence: getLastSequence(threadId), threadId, content });
  }

  /** Sends a message that failed once more; not twice. */
  addAgain(content: OutgoingContent, { messageId, threadId, sequence }: FailedMessage): void {
    if (this.#items.some(({ resend }) => resend?.messageId === messageId)) return;
    const resend = { messageId, attempt: 1 };
    this.#append({ key: toResendKey(resend), resend, afterSequence: sequence, threadId, content });
  }

  #append(item: Omit<Outgoing, 'queuedAt' | 'state'>): void {
    this.#change([...this.#items, { ...item, queuedAt: this.#port.now(), state: 'waiting' }]);
    this.flush();
  }

  /** Sends what was refused once more, as something new. */
  retry(key: string): void {
    if (this.#items.some(item => item.key === key && item.state === 'refused')) this.#renew(key);
  }

  #renew(key: string): void {
    const { createKey, now } = this.#port;
    this.#change(
      this.#items.map(item => {
        if (item.key !== key) return item;
        const { problem: _problem, resend, ...rest } = item;
        const first = item.first ?? { key: item.key, at: item.queuedAt };
        const renewed = { ...rest, queuedAt: now(), state: 'waiting' } as const;
        if (resend === undefined) return { ...renewed, key: createKey(), first };
        const next = { ...resend, attempt: resend.attempt + 1 };
        return { ...renewed, key: toResendKey(next), resend: next };
      }),
    );
    this.flush();
  }

  /** The operator does without it, or the server is known to have it. */
  remove(key: string): void {
    if (!this.#items.some(item => item.key === key)) return;
    this.#change(this.#items.filter(item => item.key !== key));
    this.flush();
  }

  /** The server is there again: what waits is tried at once. Whether it is there, the outbox finds out by itself, too: no stream is needed. */
  resume(): void {
    this.#failures = 0;
    this.flush();
  }

  /** Sends the first of each thread that is not on its way. */
  flush(): void {
    if (this.#isStopped) return;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    const threads = new Set<string>();
    for (const item of this.#items) {
      if (threads.has(item.threadId)) continue;
      threads.add(item.threadId);
      if (item.state === 'waiting') void this.#send(item);
    }
  }

  /** Of what is still on its way, the next outbox of this place learns by itself: from here on only it keeps anything. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry?.();
  }

  async #send(item: Outgoing): Promise<void> {
    const isTooOld = this.#port.now() - item.queuedAt > keyLifetimeMs;
    const mayBeThere = isTooOld || item.first !== undefined || item.resend !== undefined;
    this.#update(item.key, { state: 'sending' });
    try {
      const isThere = mayBeThere && (await this.#port.isThere(item));
      if (!isThere && isTooOld) return this.#refuse(item.key, 'tooOld');
      if (!isThere) await this.#port.send(item);
    } catch (error) {
      // That attempt was refused before, perhaps a colleague's: what was in its way may be gone.
      if (item.resend !== undefined && isReplay(error)) return this.#renew(item.key);
      if (!canSucceedLater(error)) return this.#refuse(item.key, await this.#describe(error));
      this.#update(item.key, { state: 'waiting', hasFailed: true });
      this.#retryLater();
      return;
    }
    this.#failures = 0;
    this.remove(item.key);
  }

  #describe(error: unknown): Promise<string> | string {
    const isArchived = error instanceof ApiError && error.details?.['status'] === 'archived';
    return isArchived ? 'archived' : this.#port.describe(error);
  }

  #refuse(key: string, problem: string): void {
    this.#update(key, { state: 'refused', problem });
  }

  #retryLater(): void {
    if (this.#cancelRetry !== undefined) return;
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** this.#failures++);
    this.#cancelRetry = this.#port.schedule(() => {
      this.#cancelRetry = undefined;
      this.flush();
    }, waitMs);
  }

  #update(key: string, change: Partial<Outgoing>): void {
    this.#change(this.#items.map(item => (item.key === key ? { ...item, ...change } : item)));
  }

  #change(items: readonly Outgoing[]): void {
    this.#items = items;
    if (!this.#isStopped) this.#keep();
    for (const listener of this.#listeners) listener();
  }

  /**
   * The place may be full or switched off. Then what is new is here alone, and is sent all the same. What stands there may be older than this:
   * sent again after a reload, it has the key that it had, or is looked for first.
   */
  #keep(): void {
    try {
      this.#port.keep(JSON.stringify([...this.#items, ...this.#damaged]));
    } catch {
      // It is tried again with the next change.
    }
  }
}
