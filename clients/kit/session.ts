/**
 * The access token of this tab, in memory only. The refresh cookie, which scripts cannot read, gives another one. Each use of the cookie
 * rotates it, so that the tabs take turns by a lock.
 */

/** Seconds, as the API has them. */
export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresIn: number;
}

/** What a session needs of its surroundings. */
export interface SessionPort {
  /** Exchanges the cookie; undefined: nobody is signed in. Throws where the server cannot be reached. */
  refresh(): Promise<IssuedToken | undefined>;
  now(): number;
  /** Runs the work while no other tab does the like. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

/** A token is renewed so long before its end, in milliseconds. */
const early = 30_000;

export class Session {
  readonly #port: SessionPort;
  readonly #listeners = new Set<() => void>();
  #token: { readonly text: string; readonly expiresAt: number } | undefined;
  #renewal: Promise<string | undefined> | undefined;

  constructor(port: SessionPort) {
    this.#port = port;
  }

  /** Signed in: by login, sign-up, or an invitation. */
  take({ accessToken, expiresIn }: IssuedToken): void {
    this.#token = { text: accessToken, expiresAt: this.#port.now() + expiresIn * 1_000 };
  }

  /** Nobody is signed in any more: here, or in another tab. */
  end(): void {
    this.#token = undefined;
    for (const listener of this.#listeners) listener();
  }

  /** The listener is called when the session has ended. Returns what removes it. */
  onEnd(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Forgets a token that the server refuses, so that the next call renews it. */
  discard(token: string): void {
    if (this.#token?.text === token) this.#token = undefined;
  }

  /** A token that is good for a while; undefined: nobody is signed in. */
  async getToken(): Promise<string | undefined> {
    if (this.#token !== undefined && this.#token.expiresAt - early > this.#port.now())
      return this.#token.text;
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #renew(): Promise<string | undefined> {
    const issued = await this.#port.exclusively(() => this.#port.refresh());
    if (issued === undefined) this.end();
    else this.take(issued);
    return issued?.accessToken;
  }
}
