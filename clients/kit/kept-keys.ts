/**
 * Whoever gets no answer is told to try again, and a form sends the same request as another one, under another Idempotency-Key: what the server
 * had done the first time it would do twice. So the key of what got no answer is kept, and the same request goes under it again, unless
 * something else was done since: then it is asked for anew, such as to disconnect what was connected meanwhile.
 */
import type { FetchFunction } from '../sdk/index.ts';

/** The server keeps keys for a day. Milliseconds; whoever tries again later wants it anew. */
const keptMs = 10 * 60_000;
/** Requests whose keys are kept at the same time. */
const mostKept = 50;

const header = 'idempotency-key';

interface Kept {
  readonly key: string;
  readonly at: number;
}

export class KeptKeys {
  readonly #fetch: FetchFunction;
  readonly #now: () => number;
  /** By method, address and body. */
  readonly #kept = new Map<string, Kept>();

  constructor(fetch: FetchFunction, now: () => number) {
    this.#fetch = fetch;
    this.#now = now;
  }

  /** As the platform's. */
  readonly fetch: FetchFunction = async (url, init) => {
    const headers = new Headers(init.headers);
    const own = headers.get(header);
    const { body = '', method = 'GET' } = init;
    const name = own === null || typeof body !== 'string' ? undefined : `${method} ${url}\n${body}`;
    if (name !== undefined && own !== null) {
      const key = this.#find(name) ?? own;
      headers.set(header, key);
      // Until there is an answer.
      this.#keep(name, key);
    }
    const answer = await this.#fetch(url, { ...init, headers });
    if (answer.ok && method !== 'GET') this.#kept.clear();
    else if (name !== undefined && !(await isUnclear(answer))) this.#kept.delete(name);
    return answer;
  };

  #find(name: string): string | undefined {
    const kept = this.#kept.get(name);
    return kept !== undefined && this.#now() - kept.at < keptMs ? kept.key : undefined;
  }

  #keep(name: string, key: string): void {
    // The one that was sent last is the last of them.
    this.#kept.delete(name);
    this.#kept.set(name, { key, at: this.#now() });
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostKept) return;
      this.#kept.delete(oldest);
    }
  }
}

/** Answers to this try that are given before anybody looks whether an earlier one was done: signed out, too slow, too many. */
const premature: readonly number[] = [401, 408, 429];

/** Whether the server may have done it all the same: what stands before it gave up, or the first try is still at work. */
async function isUnclear(answer: Response): Promise<boolean> {
  if (answer.status >= 500 || premature.includes(answer.status)) return true;
  if (answer.status !== 409) return false;
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined);
  return (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    body.error === 'svc/runtime/idempotency_conflict'
  );
}
