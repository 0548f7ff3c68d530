/** Sends a request until it is answered, by the rules of retry.ts. */
import type { Answer, EditOptions } from './call.ts';
import { ConnectionError, createApiError, SkeinError, TimeoutError } from './errors.ts';
import { RetryPolicy } from './retry.ts';
import { sleep, untilAborted } from './waiting.ts';

/** What a client sends its requests by: its options, completed. */
export interface Transport {
  /** With /v1, without a slash at the end. */
  readonly baseUrl: string;
  /** Asked for each try; null: none is sent. */
  readonly getToken: () => string | null | Promise<string | null>;
  readonly fetch: FetchFunction;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxWaitMs: number;
  readonly actingUser: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly onAttempt: ((attempt: Attempt) => void) | undefined;
}

/** What of `fetch` the client uses. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

/** One try, for logs and metrics. It has no secrets. */
export interface Attempt {
  readonly operationId: string;
  /** From 1. */
  readonly attempt: number;
  /** undefined where there was no answer. */
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** How long it took, in milliseconds. */
  readonly ms: number;
  /** What became of it; undefined: a success. */
  readonly error: SkeinError | undefined;
}

/** A request that is ready to be sent. */
export interface PreparedRequest {
  readonly operationId: string;
  readonly method: string;
  /** Behind the base URL, with the query. */
  readonly path: string;
  readonly body?: unknown;
  /** Whether the operation honours an Idempotency-Key. */
  readonly honoursKey: boolean;
  /** Whether sending it twice does no harm. */
  readonly isRepeatable: boolean;
}

/**
 * The answer of a request.
 *
 * @throws {ApiError} the last try's answer is an error
 * @throws {ConnectionError} the last try had no answer
 * @throws {TimeoutError} the last try had none in time
 */
export async function send<T>(
  transport: Transport,
  request: PreparedRequest,
  options: EditOptions = {},
): Promise<Answer<T>> {
  const { signal, timeoutMs = transport.timeoutMs, maxRetries = transport.maxRetries } = options;
  const { baseUrl, fetch, maxWaitMs, onAttempt } = transport;
  checkAmounts({ timeoutMs, maxRetries, maxWaitMs });
  const { operationId, method, path, honoursKey } = request;
  // Carried out and sent again, the condition would fail by the change itself, as if somebody else had been faster.
  const isRepeatable = request.isRepeatable && (options.ifMatch === undefined || honoursKey);
  const headers = createHeaders(transport, request, options);
  const body = request.body === undefined ? {} : { body: JSON.stringify(request.body) };
  const policy = new RetryPolicy({ maxRetries, maxWaitMs, isRepeatable });
  for (let attempt = 1; ; attempt++) {
    const token = await untilAborted(Promise.resolve(transport.getToken()), signal);
    if (token !== null) headers.set('authorization', `Bearer ${token}`);
    const startedAt = Date.now();
    let response: Response | undefined;
    let failure: unknown;
    try {
      const init = { method, headers, ...body };
      const exchanged = await exchange(fetch, baseUrl + path, init, timeoutMs, signal);
      response = exchanged.response;
      return createAnswer<T>(response, exchanged.text);
    } catch (error) {
      failure = error;
    } finally {
      const report: Attempt = {
        operationId,
        attempt,
        status: response?.status,
        requestId: response?.headers.get('x-request-id') ?? undefined,
        ms: Date.now() - startedAt,
        error: failure instanceof SkeinError ? failure : undefined,
      };
      // What the caller's logger fails at says nothing of the call, which may have been carried out.
      Promise.resolve(report)
        .then(onAttempt)
        .catch(() => undefined);
    }
    const waitMs = policy.next(failure);
    if (waitMs === undefined) throw failure;
    await sleep(waitMs, signal);
  }
}

/** @throws {TypeError} one is no number, or too small to mean anything: the variable that it comes from may be missing */
function checkAmounts(amounts: Readonly<Record<string, number>>): void {
  for (const [name, amount] of Object.entries(amounts)) {
    if (!(amount >= (name === 'timeoutMs' ? 1 : 0)))
      throw new TypeError(`Skein: ${name} cannot be ${amount}`);
  }
}

/**
 * The headers of every try: they share the key, so that the request is carried out once.
 *
 * @throws {TypeError} one has characters that no header has, or none: an empty key or condition would be taken for no key, no condition
 */
function createHeaders(
  transport: Transport,
  { body, honoursKey }: PreparedRequest,
  options: EditOptions,
): Headers {
  const { actingUser = transport.actingUser, idempotencyKey = createIdempotencyKey() } = options;
  const headers = new Headers({ accept: 'application/json' });
  const given: Readonly<Record<string, string | undefined>> = {
    'content-type': body === undefined ? undefined : 'application/json',
    ...transport.headers,
    'idempotency-key': honoursKey ? idempotencyKey : undefined,
    'service-acting-user': actingUser,
    'if-match': options.ifMatch,
    ...options.headers,
  };
  for (const [name, value] of Object.entries(given)) {
    if (value === '') throw new TypeError(`Skein: ${name} is empty`);
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

/** 128 random bits. `randomUUID` is missing from pages on plain http. */
function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}

/** What timers can count. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * One request and the whole text of its answer, within the time given.
 *
 * @throws {ConnectionError} no answer
 * @throws {TimeoutError} none in time, or one whose body stalls
 */
export async function exchange(
  fetch: FetchFunction,
  url: string,
  init: RequestInit,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly response: Response; readonly text: string }> {
  signal?.throwIfAborted();
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), Math.min(timeoutMs, longestTimerMs));
  const abort = (): void => end.abort();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    // A redirect would carry the credential to wherever it leads.
    const asked = fetch(url, { ...init, signal: end.signal, redirect: 'manual' });
    const response = await untilAborted(asked, end.signal);
    return { response, text: await untilAborted(response.text(), end.signal) };
  } catch (error) {
    signal?.throwIfAborted();
    if (end.signal.aborted) throw new TimeoutError(`no answer within ${timeoutMs} ms`, { cause: error });
    // The fetch that was given knows better what has happened.
    if (error instanceof SkeinError) throw error;
    throw createConnectionError(url, error);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Node's fetch says "fetch failed", and why in the cause. */
function createConnectionError(url: string, error: unknown): ConnectionError {
  const { cause = error } = error as {
    readonly cause?: { readonly code?: unknown; readonly message?: string };
  };
  const { code, message } = cause as { readonly code?: unknown; readonly message?: string };
  const known = typeof code === 'string' ? code : undefined;
  const why = [known, message].filter(text => text !== undefined && text !== '').join(': ');
  return new ConnectionError(`no answer from ${new URL(url).origin}: ${why}`, { cause: error, code: known });
}

/** @throws {ApiError} the answer is an error, or none of Skein's */
function createAnswer<T>(response: Response, text: string): Answer<T> {
  if (!response.ok) throw createApiError(response, text);
  const { headers } = response;
  return {
    data: parseBody(response, text) as T,
    response,
    requestId: headers.get('x-request-id') ?? undefined,
    rateLimit: parseRateLimit(headers),
    replayed: headers.get('idempotent-replayed') === 'true',
    etag: headers.get('etag') ?? undefined,
  };
}

function parseBody(response: Response, text: string): unknown {
  if (response.status === 204) return undefined;
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/plain') || type.startsWith('application/x-ndjson')) return text;
  if (!type.startsWith('application/json')) throw createApiError(response, text);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConnectionError('the answer ends in the middle of its JSON', { cause: error });
  }
}

function parseRateLimit(headers: Headers): Answer<unknown>['rateLimit'] {
  const read = (name: string): number => Number(headers.get(`x-ratelimit-${name}`) ?? 0);
  if (!headers.has('x-ratelimit-limit')) return undefined;
  return { limit: read('limit'), remaining: read('remaining'), resetSeconds: read('reset') };
}
