/**
 * The access token of this tab, in memory only. The refresh cookie, which scripts cannot read, gives another one. Each use of the cookie
 * rotates it, so that the tabs take turns by a lock.
 */
import type { FetchFunction } from '../sdk/index.ts';

/** Seconds, as the API has them. */
export interface IssuedToken {
  readonly accessToken: string;
  readonly expiresIn: number;
}

/** What a session needs of its surroundings. */
export interface SessionPort {
  /** Exchanges the cookie, or says why there is nothing for it. Throws where the server cannot be reached. */
  refresh(): Promise<IssuedToken | Exclude<SessionEnd, 'signedOut'>>;
  now(): number;
  /** Runs the work while no other tab does the like. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

/** What a 401 is about: the token, or a password or code that the request brings along, which another token does not make right. */
async function isOfToken(answer: Response): Promise<boolean> {
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined);
  const code = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  return code !== 'svc/auth/invalid_credentials' && code !== 'svc/auth/invalid_code';
}

/** Why a session is over: its owner has left, or the server gives no token any more, in one case as its owner belongs to no workspace. */
export type SessionEnd = 'signedOut' | 'expired' | 'noWorkspace';

/** Whose token it is, as its `sub` says. It is read, and not believed: the server alone checks tokens. */
export function readUserId(accessToken: string): string | undefined {
  const [, payload = ''] = accessToken.split('.');
  try {
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    if (typeof claims !== 'object' || claims === null || !('sub' in claims)) return undefined;
    return typeof claims.sub === 'string' ? claims.sub : undefined;
  } catch {
    return undefined;
  }
}

/** A token is renewed so long before its end, in milliseconds. */
const early = 30_000;

export class Session {
  readonly #port: SessionPort;
  readonly #listeners = new Set<(end: SessionEnd) => void>();
  readonly #startListeners = new Set<() => void>();
  #isSignedIn = false;
  #lastEnd: SessionEnd | undefined;
  #token: { readonly text: string; readonly expiresAt: number } | undefined;
  #renewal: Promise<string | undefined> | undefined;

  constructor(port: SessionPort) {
    this.#port = port;
  }

  /** Signed in: by login, sign-up, or an invitation. */
  take({ accessToken, expiresIn }: IssuedToken): void {
    this.#token = { text: accessToken, expiresAt: this.#port.now() + expiresIn * 1_000 };
    this.#isSignedIn = true;
    if (this.#lastEnd === undefined) return;
    this.#lastEnd = undefined;
    for (const listener of this.#startListeners) listener();
  }

  /** Why nobody is signed in; undefined: somebody is, or nobody has asked yet. */
  get lastEnd(): SessionEnd | undefined {
    return this.#lastEnd;
  }

  get isSignedIn(): boolean {
    return this.#isSignedIn;
  }

  /** Nobody is signed in any more: here, or in another tab. */
  end(end: SessionEnd): void {
    this.#token = undefined;
    this.#lastEnd = end;
    if (!this.#isSignedIn) return;
    this.#isSignedIn = false;
    for (const listener of this.#listeners) listener(end);
  }

  /** The listener is called when a session has ended. Returns what removes it. */
  onEnd(listener: (end: SessionEnd) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The listener is called when a session that had ended begins again. Returns what removes it. */
  onStart(listener: () => void): () => void {
    this.#startListeners.add(listener);
    return () => this.#startListeners.delete(listener);
  }

  /**
   * Asks with the token of the request. One that the server refuses before its time, because its session was ended elsewhere, is renewed, and
   * the request sent again: nothing has come of the first. Where there is none to be had, the session ends here, too.
   */
  async ask(fetch: FetchFunction, url: string, init: RequestInit): Promise<Response> {
    const answer = await fetch(url, init);
    const headers = new Headers(init.headers);
    const token = /^Bearer (.+)$/.exec(headers.get('authorization') ?? '')?.[1];
    if (answer.status !== 401 || token === undefined || !(await isOfToken(answer))) return answer;
    if (this.#token?.text === token) this.#token = undefined;
    const renewed = await this.getToken();
    if (renewed === undefined || renewed === token) return answer;
    headers.set('authorization', `Bearer ${renewed}`);
    return fetch(url, { ...init, headers });
  }

  /** A token that is good for a while; undefined: nobody is signed in. Of a session that has expired none is asked for before it is renewed. */
  async getToken(): Promise<string | undefined> {
    if (this.#lastEnd === 'expired') return undefined;
    if (this.#token !== undefined && this.#token.expiresAt - early > this.#port.now())
      return this.#token.text;
    return this.renew();
  }

  /** Exchanges the cookie now, once for all who ask meanwhile. */
  async renew(): Promise<string | undefined> {
    this.#renewal ??= this.#renew().finally(() => (this.#renewal = undefined));
    return this.#renewal;
  }

  async #renew(): Promise<string | undefined> {
    const issued = await this.#port.exclusively(() => this.#port.refresh());
    if (typeof issued === 'string') {
      this.end(issued);
      return undefined;
    }
    this.take(issued);
    return issued.accessToken;
  }
}
