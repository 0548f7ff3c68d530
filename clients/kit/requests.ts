/**
 * The page's requests, over the connections that its browser keeps open to the server. After a sleep, or in another network, those may be dead
 * without anybody having been told: whatever is sent over one waits until its time is over.
 *
 * No page sees these connections. But a browser closes one when the request on it is given up, and gives each of several requests one of
 * its own. So as many small requests as there can be connections go out at once, and those that get no answer take the dead ones with them.
 */
import { type FetchFunction, TimeoutError } from '../sdk/index.ts';

/** Browsers keep as many of HTTP/1.1 to one host. Those of HTTP/2 are tested by the browser itself. */
const mostConnections = 6;
/** Of any server, whoever is signed in. */
const smallRequest = '/healthz';
/** A connection that lives brings an answer within so many milliseconds. */
const answeredWithinMs = 2_000;

/** A file that has not arrived so many milliseconds after its connection seemed to have died, and those that it takes on a slow line, hangs. */
const fileMs = 30_000;
/** Bytes in a millisecond: 0.4 Mbit/s. */
const slowLine = 50;

/** A file on its way. */
interface SentFile {
  readonly end: AbortController;
  readonly size: number;
  /** Runs once a connection has been renewed beside it. */
  timer?: ReturnType<typeof setTimeout>;
}

export class Requests {
  readonly #fetch: FetchFunction;
  readonly #underWay = new Set<AbortController>();
  readonly #files = new Set<SentFile>();
  #renewal: Promise<unknown> | undefined;

  constructor(fetch: FetchFunction) {
    this.#fetch = fetch;
  }

  /** As the platform's. */
  readonly fetch: FetchFunction = async (url, init) => {
    const end = new AbortController();
    const giveUp = (): void => end.abort(init.signal?.reason);
    if (init.signal?.aborted) giveUp();
    init.signal?.addEventListener('abort', giveUp, { once: true });
    const file: SentFile | undefined = init.body instanceof Blob ? { end, size: init.body.size } : undefined;
    if (file === undefined) this.#underWay.add(end);
    else this.#files.add(file);
    try {
      return await this.#fetch(url, { ...init, signal: end.signal });
    } finally {
      // The body is still to come, and its reader may give it up.
      this.#underWay.delete(end);
      if (file !== undefined) this.#forget(file);
    }
  };

  #forget(file: SentFile): void {
    this.#files.delete(file);
    clearTimeout(file.timer);
  }

  /**
   * A connection seems to have died without a word: what waits for an answer fails, as without a connection, and is tried again by whoever
   * has asked; the next requests have connections that live. Files that are being sent go on: they may be what keeps a sign of life waiting,
   * and would begin anew. Where other connections live, one that takes longer than a slow line would is given up as well.
   */
  renewConnections(): Promise<unknown> {
    for (const request of this.#underWay) request.abort();
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #renew(): Promise<void> {
    const files = [...this.#files];
    const tries = Array.from({ length: mostConnections }, (_none, index) => this.#tryConnection(index));
    const outcomes = await Promise.allSettled(tries);
    if (!outcomes.some(({ status }) => status === 'fulfilled')) return;
    for (const file of files) {
      if (!this.#files.has(file)) continue;
      const hang = new TimeoutError('the file hangs on a connection that has died');
      file.timer ??= setTimeout(() => file.end.abort(hang), fileMs + file.size / slowLine);
    }
  }

  /** @param index makes it another address: the same one is asked for by one request at a time, for the browser's cache */
  async #tryConnection(index: number): Promise<void> {
    const end = new AbortController();
    const timer = setTimeout(() => end.abort(), answeredWithinMs);
    try {
      // With cookies, as all others: browsers keep connections for requests without them apart.
      await this.#fetch(`${smallRequest}?connection=${index}`, { signal: end.signal });
    } finally {
      clearTimeout(timer);
    }
  }
}
