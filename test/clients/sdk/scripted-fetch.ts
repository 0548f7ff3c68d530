/** What tests of the client's calls share: a fetch that answers by a script, and time that passes as fast as it can. */
import { Skein, type ClientOptions } from '../../../clients/sdk/index.ts';

/** A request as it was sent. */
export interface SentRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: unknown;
  /** In milliseconds since the script began. */
  readonly at: number;
}

/** What a request gets: a status with JSON and headers, an error that fetch rejects with, or whatever a function makes. */
export type Scripted =
  | readonly [status: number, body?: unknown, headers?: Readonly<Record<string, string>>]
  | Error
  | ((request: SentRequest, signal: AbortSignal) => Response | Promise<Response>);

/** What fetch of Node rejects with when a connection fails. */
export function lostConnection(code = 'ECONNRESET'): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(`read ${code}`), { code }) });
}

export function jsonResponse(
  status: number,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
): Response {
  if (body === undefined)
    return new Response(null, { status, ...(headers === undefined ? {} : { headers }) });
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'req_1', ...headers },
  });
}

/** An error of the catalogue. */
export function failure(code: string, details?: Readonly<Record<string, unknown>>): object {
  return {
    error: code,
    message: 'Said so.',
    requestId: 'req_1',
    ...(details === undefined ? {} : { details }),
  };
}

/** A client whose requests get the answers of the script, in its order; the last one again and again. */
export function scriptClient(
  script: readonly Scripted[],
  options: ClientOptions = {},
): { readonly skein: Skein; readonly requests: SentRequest[] } {
  const requests: SentRequest[] = [];
  const startedAt = Date.now();
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    const request: SentRequest = {
      method: init.method ?? 'GET',
      url: new URL(url),
      headers: new Headers(init.headers),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : init.body,
      at: Date.now() - startedAt,
    };
    requests.push(request);
    const next = script[Math.min(requests.length, script.length) - 1];
    if (next === undefined) throw new Error('the script is empty');
    if (next instanceof Error) throw next;
    if (typeof next === 'function') return next(request, init.signal as AbortSignal);
    return jsonResponse(...(next as readonly [number, unknown]));
  };
  const skein = new Skein({
    apiKey: 'svc_test_1',
    baseUrl: 'http://skein.test',
    projectId: 'prj_1',
    environmentId: 'env_1',
    fetch,
    ...options,
  });
  return { skein, requests };
}

/** Runs work whose timers take no time: as soon as nothing else is to be done, the clock goes on to the next of them. */
export async function inVirtualTime<T>(work: () => Promise<T>): Promise<T> {
  const { setTimeout, clearTimeout } = globalThis;
  const { now } = Date;
  const timers = new Map<number, { readonly at: number; readonly fire: () => void }>();
  let time = now();
  let lastId = 0;
  Date.now = () => time;
  const set = (fire: () => void, ms = 0): number => {
    timers.set(++lastId, { at: time + ms, fire });
    return lastId;
  };
  Object.assign(globalThis, { setTimeout: set, clearTimeout: (id: number) => timers.delete(id) });
  try {
    let isSettled = false;
    const result = work().finally(() => (isSettled = true));
    result.catch(() => undefined);
    for (;;) {
      await new Promise(resolve => setImmediate(resolve));
      const [next] = [...timers].sort(([, a], [, b]) => a.at - b.at);
      if (isSettled) return await result;
      if (next === undefined) continue;
      timers.delete(next[0]);
      time = next[1].at;
      next[1].fire();
    }
  } finally {
    Object.assign(globalThis, { setTimeout, clearTimeout });
    Date.now = now;
  }
}

/** The error that a call rejects with. */
export async function rejection(call: PromiseLike<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    return error as Error;
  }
  throw new Error('it did not reject');
}
