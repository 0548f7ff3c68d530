/**
 * Posts webhooks to the callbacks of apps. Any answer but 200 is repeated, after the waits of the schedule; then the webhook is dropped,
 * as the provider does after seven days.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { sign } from './webhooks.ts';

/** One POST and its answer. */
export interface Attempt {
  readonly url: string;
  readonly body: string;
  /** 0: there was no answer. */
  readonly status: number;
  readonly answer: string;
}

/** A webhook that has come to its end. */
export interface Delivery {
  readonly attempts: readonly Attempt[];
  readonly delivered: boolean;
}

export interface PostOptions {
  /** Instead of that of the body. Null: none. */
  readonly signature?: string | null;
}

export class Deliveries {
  readonly attempts: Attempt[] = [];
  /** Waits before the second attempt, the third and so on, in milliseconds. */
  retryMs: readonly number[] = [0, 10, 50, 200];
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();

  /** Posts until it is answered 200, or the schedule is at its end. */
  async deliver(url: string, body: string, secret: string): Promise<Delivery> {
    const attempts: Attempt[] = [];
    for (const waitMs of [0, ...this.retryMs]) {
      if (waitMs > 0)
        await pause(waitMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#stopping.signal.aborted) break;
      const attempt = await this.post(url, body, secret);
      attempts.push(attempt);
      if (attempt.status === 200) return { attempts, delivered: true };
    }
    return { attempts, delivered: false };
  }

  /** Posts once. */
  post(url: string, body: string, secret: string, options: PostOptions = {}): Promise<Attempt> {
    const attempt = this.#post(
      url,
      body,
      options.signature === undefined ? sign(body, secret) : options.signature,
    );
    this.#inFlight.add(attempt);
    return attempt.finally(() => this.#inFlight.delete(attempt));
  }

  /** Starts no further attempt, and resolves when none is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#inFlight);
  }

  async #post(url: string, body: string, signature: string | null): Promise<Attempt> {
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'facebookexternalua',
      ...(signature === null ? {} : { 'x-hub-signature-256': signature }),
    };
    let status = 0;
    let answer = '';
    try {
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error' });
      status = response.status;
      answer = await response.text();
    } catch {
      // Nobody answers there.
    }
    const attempt = { url, body, status, answer };
    this.attempts.push(attempt);
    return attempt;
  }
}
