/** The REST calls of the demonstration: what an integrator would write with fetch. */

/** An answer that was no success. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  constructor(status: number, body: string) {
    super(`${status}: ${body}`);
    this.status = status;
  }
}

export interface Message {
  readonly messageId: string;
  readonly threadId: string;
  readonly sequence: number;
  readonly body: string;
  readonly status: string | null;
}

export interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

export class Api {
  readonly #url: string;
  readonly #token: string | undefined;

  /** @param token an access token or an API key; none for the public operations. */
  constructor(url: string, token?: string) {
    this.#url = url;
    this.#token = token;
  }

  get<T>(path: string): Promise<T> {
    return this.#call<T>('GET', path, undefined, undefined);
  }

  /** @param key the Idempotency-Key: with it a call may be repeated safely. */
  post<T>(path: string, body: unknown, key?: string): Promise<T> {
    return this.#call<T>('POST', path, body, key);
  }

  patch<T>(path: string, body: unknown): Promise<T> {
    return this.#call<T>('PATCH', path, body, undefined);
  }

  delete<T>(path: string): Promise<T> {
    return this.#call<T>('DELETE', path, undefined, undefined);
  }

  /** Every item of a list, page by page. */
  async all<T>(path: string): Promise<T[]> {
    const items: T[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: Page<T> = await this.get<Page<T>>(
        `${path}${path.includes('?') ? '&' : '?'}limit=100${next}`,
      );
      items.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return items;
  }

  async #call<T>(method: string, path: string, body: unknown, key: string | undefined): Promise<T> {
    const response = await fetch(`${this.#url}/v1${path}`, {
      method,
      headers: {
        ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new ApiError(response.status, text);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }
}
