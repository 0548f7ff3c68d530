/**
 * What was sent and is not with the server yet. Nothing in it is lost or doubled: it is kept before it is sent, and every try of it has the
 * same Idempotency-Key.
 *
 *   waiting -> sending -> gone: the server has it
 *                      -> waiting: there was no answer, or a passing error; again after a while, or when the stream is online
 *                      -> refused: the operator sends it again, with a new key, or discards it
 *
 * What belongs to one thread leaves in order, one after the other: behind what is refused the rest waits.
 */
import { ApiError, AuthError, type AttachmentInput } from '../../sdk/index.ts';

export interface Outgoing {
  /** The Idempotency-Key of every try. */
  readonly key: string;
  readonly threadId: string;
  readonly content:
    | {
        readonly kind: 'message';
        readonly body: string;
        readonly attachments: readonly AttachmentInput[];
        readonly replyTo: string | undefined;
      }
    | {
        readonly kind: 'note';
        readonly body: string;
        /** User ids. */
        readonly mentions?: readonly string[];
      }
    | {
        readonly kind: 'template';
        readonly channelId: string;
        readonly name: string;
        readonly language: string;
        readonly components: readonly Readonly<Record<string, unknown>>[];
        /** As it will read. */
        readonly body: string;
      };
  /** Milliseconds since 1970. */
  readonly queuedAt: number;
  readonly state: 'waiting' | 'sending' | 'refused';
  /** Why it was refused, in the server's words; `tooOld`: its key is not honoured any more. */
  readonly problem?: string;
}
export type OutgoingContent = Outgoing['content'];

/** What an outbox needs of its surroundings. */
export interface OutboxPort {
  /** Sends one, with its key, in one try. */
  send(outgoing: Outgoing): Promise<void>;
  /** What was kept by the page before, as text. */
  load(): string | null;
  keep(text: string): void;
  /** Runs the work after so many milliseconds. Returns what prevents it. */
  schedule(work: () => void, ms: number): () => void;
  now(): number;
  createKey(): string;
}

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

export class Outbox {
  readonly #port: OutboxPort;
  readonly #listeners = new Set<() => void>();
  #items: readonly Outgoing[];
  #isOnline = true;
  #isStopped = false;
  #failures = 0;
  #cancelRetry: (() => void) | undefined;

  constructor(port: OutboxPort) {
    this.#port = port;
    this.#items = parseKept(port.load());
  }

  /** The same array until something changes. */
  readonly getItems = (): readonly Outgoing[] => this.#items;

  /** Returns what removes the listener. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  add(threadId: string, content: OutgoingContent): void {
    const { createKey, now } = this.#port;
    const item: Outgoing = { key: createKey(), threadId, content, queuedAt: now(), state: 'waiting' };
    this.#change([...this.#items, item]);
    this.flush();
  }

  /** Sends what was refused once more, as something new. */
  retry(key: string): void {
    const { createKey, now } = this.#port;
    this.#change(
      this.#items.map(item => {
        if (item.key !== key || item.state !== 'refused') return item;
        const { problem: _problem, ...rest } = item;
        return { ...rest, key: createKey(), queuedAt: now(), state: 'waiting' };
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

  /** Whether it makes sense to try. Coming online, everything is tried at once. */
  setOnline(isOnline: boolean): void {
    if (isOnline && !this.#isOnline) this.#failures = 0;
    this.#isOnline = isOnline;
    this.#isStopped = false;
    this.flush();
  }

  /** Sends the first of each thread that is not on its way. */
  flush(): void {
    if (!this.#isOnline) return;
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
    this.#isOnline = false;
    this.#isStopped = true;
    this.#cancelRetry?.();
  }

  async #send(item: Outgoing): Promise<void> {
    if (this.#port.now() - item.queuedAt > keyLifetimeMs) return this.#refuse(item.key, 'tooOld');
    this.#update(item.key, { state: 'sending' });
    try {
      await this.#port.send(item);
    } catch (error) {
      if (!canSucceedLater(error)) return this.#refuse(item.key, (error as ApiError).reason);
      this.#update(item.key, { state: 'waiting' });
      this.#retryLater();
      return;
    }
    this.#failures = 0;
    this.remove(item.key);
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
    if (!this.#isStopped) this.#port.keep(JSON.stringify(items));
    for (const listener of this.#listeners) listener();
  }
}

/** What was on its way may have arrived: it is sent again, with its key. What is no such item is left out. */
function parseKept(text: string | null): Outgoing[] {
  let given: unknown;
  try {
    given = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(given)) return [];
  return given
    .filter(isOutgoing)
    .map(item => (item.state === 'sending' ? { ...item, state: 'waiting' } : item));
}

const states: readonly unknown[] = ['waiting', 'sending', 'refused'] satisfies Outgoing['state'][];

function isOutgoing(given: unknown): given is Outgoing {
  if (typeof given !== 'object' || given === null) return false;
  const { key, threadId, content, queuedAt, state } = given as Readonly<Record<string, unknown>>;
  const isWhole =
    typeof key === 'string' &&
    typeof threadId === 'string' &&
    typeof queuedAt === 'number' &&
    states.includes(state);
  return isWhole && isContent(content);
}

function isContent(given: unknown): given is OutgoingContent {
  if (typeof given !== 'object' || given === null) return false;
  const { kind, body, attachments, channelId, name, language, components, mentions } = given as Readonly<
    Record<string, unknown>
  >;
  if (typeof body !== 'string') return false;
  if (kind === 'message') return Array.isArray(attachments);
  if (kind === 'note') return mentions === undefined || Array.isArray(mentions);
  const texts = [channelId, name, language];
  return kind === 'template' && texts.every(each => typeof each === 'string') && Array.isArray(components);
}
