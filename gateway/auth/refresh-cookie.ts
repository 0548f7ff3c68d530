/**
 * The refresh cookie (docs/contract-decisions.md, "Sessions and passwords"): `__Secure-svc_refresh`, or `svc_refresh` where the public
 * address is plain http, since browsers refuse the prefix without Secure. Browsers send it to the authentication operations only.
 */
export const refreshCookiePath = '/v1/studio/auth';

export class RefreshCookie {
  readonly name: string;
  readonly #attributes: string;
  readonly #origin: string;

  /** `baseUrl` is the public address of the service: its scheme decides on Secure, its origin on who may send the cookie. */
  constructor(baseUrl: string) {
    const url = new URL(baseUrl);
    const secure = url.protocol === 'https:';
    this.name = secure ? '__Secure-svc_refresh' : 'svc_refresh';
    this.#attributes = `Path=${refreshCookiePath}; HttpOnly;${secure ? ' Secure;' : ''} SameSite=Strict`;
    this.#origin = url.origin;
  }

  /** The value of Set-Cookie; `maxAgeMs` is rounded down to whole seconds. */
  set(value: string, maxAgeMs: number): string {
    return `${this.name}=${value}; ${this.#attributes}; Max-Age=${Math.max(0, Math.floor(maxAgeMs / 1000))}`;
  }

  /** The value of Set-Cookie that makes the browser drop the cookie. */
  clear(): string {
    return this.set('', 0);
  }

  /**
   * Whether a request may use the cookie. Browsers say where a request comes from, in Sec-Fetch-Site or at least in Origin.
   * A client that sends neither is not a browser, so no other site can make it send the cookie.
   */
  permits(headers: {
    readonly secFetchSite: string;
    readonly origin: string;
    readonly host: string;
  }): boolean {
    const { secFetchSite, origin, host } = headers;
    if (secFetchSite !== '') return secFetchSite === 'same-origin' || secFetchSite === 'none';
    if (origin === '' || origin === this.#origin) return true;
    return URL.canParse(origin) && new URL(origin).host === host;
  }
}
