/**
 * The provider's HTTP API, as far as every call of it is alike: address and version, credentials, limits, and errors. The address is the
 * operator's configuration (CHATAPP_GRAPH_URL), so the address guard has no say here. Redirects are not followed: the token must not go
 * elsewhere.
 */
import { createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { encodeForm, type FileForm } from './form.ts';

/** Where the API is. */
export interface GraphAddress {
  /** Without a slash at the end. */
  readonly url: string;
  /** `v25.0` */
  readonly version: string;
}

export const defaultGraph = {
  url: 'https://graph.facebook.com',
  version: 'v25.0',
} as const satisfies GraphAddress;

/** Where people sign up. */
export const defaultSignupHost = 'https://www.facebook.com';

/** What a call is made with. */
export interface GraphCredentials {
  readonly token: string;
  /** The secret of the token's app: proves that the call comes from a server of the app. Absent: the token needs no proof. */
  readonly appSecret?: string;
}

export interface GraphCall {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Below the version, without a slash at the beginning. */
  readonly path: string;
  /** None for the exchange of a code, which the app's secret authenticates. */
  readonly as?: GraphCredentials;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent in its place. */
  readonly form?: FileForm;
}

/** Bytes of an answer that are read; the longest are pages of templates. */
const maxAnswerBytes = 4 * 1_048_576;

/** Why there is no answer of the provider. `stopped`: the caller waits for none any more. */
export type NoAnswer =
  | 'timeout'
  | 'stopped'
  | 'unreachable'
  | 'rate_limited'
  | 'server_error'
  | 'invalid_answer';

interface GraphRefusal {
  readonly noAnswer?: NoAnswer;
  readonly code?: number;
  readonly subcode?: number;
  readonly isTransient?: boolean;
  readonly mayBeDone?: boolean;
}

/**
 * The provider refused, or did not answer. Decide on `code`, never on a text or a status: the provider's texts change, and its statuses say
 * little.
 */
export class GraphError extends Error {
  override readonly name = 'GraphError';
  /** The provider's error code. Undefined: it gave no answer that is one of its own. */
  readonly code: number | undefined;
  readonly subcode: number | undefined;
  /** The provider says that it will pass. */
  readonly isTransient: boolean;
  /** Whether the provider may have done what was asked, all the same: the answer was lost, or is none of its own. */
  readonly mayBeDone: boolean;
  /** Undefined where there is a code. */
  readonly noAnswer: NoAnswer | undefined;

  constructor(message: string, refusal: GraphRefusal = {}) {
    super(message);
    this.code = refusal.code;
    this.subcode = refusal.subcode;
    this.isTransient = refusal.isTransient ?? false;
    this.mayBeDone = refusal.mayBeDone ?? false;
    this.noAnswer = refusal.noAnswer;
  }
}

export class Graph {
  readonly #base: string;
  readonly #onCall: ((error: GraphError | undefined) => void) | undefined;

  /** @param onCall hears how each call has ended; undefined: the provider has done what was asked */
  constructor({ url, version }: GraphAddress, onCall?: (error: GraphError | undefined) => void) {
    this.#base = `${url}/${version}`;
    this.#onCall = onCall;
  }

  /** Whether the address is of the server that the operator has configured. */
  hasOrigin(url: string): boolean {
    return URL.parse(url)?.origin === new URL(this.#base).origin;
  }

  /** The provider's time in epoch milliseconds, to the second; undefined where it does not tell. Rejects with {@link GraphError}. */
  async readTime(signal: AbortSignal): Promise<number | undefined> {
    try {
      const { headers, body } = await request(this.#base, { method: 'HEAD', signal });
      await body.dump();
      const time = Date.parse(String(headers['date']));
      return Number.isNaN(time) ? undefined : time;
    } catch {
      throw new GraphError('The provider cannot be reached.', { isTransient: true });
    }
  }

  /**
   * The answer's JSON, which is not checked: read it field by field. Rejects with {@link GraphError}.
   *
   * @param signal ends the wait
   */
  async call(call: GraphCall, signal: AbortSignal): Promise<unknown> {
    try {
      const answer = await this.#request(call, signal);
      this.#onCall?.(undefined);
      return answer;
    } catch (error) {
      if (error instanceof GraphError) this.#onCall?.(error);
      throw error;
    }
  }

  async #request(call: GraphCall, signal: AbortSignal): Promise<unknown> {
    const { method = 'GET', path, as } = call;
    const query = new URLSearchParams(call.query);
    if (as?.appSecret !== undefined) query.set('appsecret_proof', createProof(as.token, as.appSecret));
    const search = query.size > 0 ? `?${query.toString()}` : '';
    const { headers, body } = encode(call);
    let status: number;
    let text: string;
    try {
      const answer = await request(`${this.#base}/${path}${search}`, {
        method,
        headers: {
          ...(as === undefined ? {} : { authorization: `Bearer ${as.token}` }),
          ...headers,
        },
        body,
        signal,
      });
      status = answer.statusCode;
      text = await readAnswer(answer.body);
    } catch (cause) {
      // Neither the address nor the cause is told: with the exchange of a code, the address has the app's secret.
      throw new GraphError(
        signal.aborted ? 'The provider did not answer in time.' : 'The provider cannot be reached.',
        {
          isTransient: !(cause instanceof GraphError),
          mayBeDone: signal.aborted || !isConnectFailure(cause),
          noAnswer: findReason(cause, signal),
        },
      );
    }
    return parseAnswer(status, text, listSecrets(call));
  }
}

/** What a call sends, and the headers that say what it is. */
function encode({ body, form }: GraphCall): {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Readable | null;
} {
  if (form !== undefined) return encodeForm(form);
  if (body === undefined) return { headers: {}, body: null };
  return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function findReason(cause: unknown, { aborted, reason }: AbortSignal): NoAnswer {
  if (aborted) return (reason as { readonly name?: unknown }).name === 'TimeoutError' ? 'timeout' : 'stopped';
  return cause instanceof GraphError ? 'invalid_answer' : 'unreachable';
}

/** System calls before a request leaves. Any error of them, such as EMFILE, says that nothing was sent. */
const connectCalls: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo', 'socket']);
/** How codes of certificates that are not accepted begin; and a connection that took too long. */
const unconnectedCodes = /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|UND_ERR_CONNECT_TIMEOUT$)/;

function isConnectFailure(cause: unknown): boolean {
  if (cause instanceof AggregateError) return cause.errors.every(isConnectFailure);
  const { code, syscall } = (cause ?? {}) as { readonly code?: unknown; readonly syscall?: unknown };
  return connectCalls.has(syscall) || unconnectedCodes.test(String(code));
}

/** https://developers.facebook.com/docs/graph-api/guides/secure-requests ("Verify Graph API Calls with appsecret_proof"). */
function createProof(token: string, appSecret: string): string {
  return createHmac('sha256', appSecret).update(token).digest('hex');
}

async function readAnswer(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Leaving the loop destroys the body, and the connection with it.
    if (bytes > maxAnswerBytes) throw new GraphError('The answer of the provider is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseAnswer(status: number, text: string, secrets: readonly string[]): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new GraphError(`The provider answered ${status} without JSON.`, {
      isTransient: status >= 500,
      mayBeDone: status < 300 || status >= 500,
      noAnswer: toNoAnswer(status),
    });
  }
  if (status >= 200 && status < 300) return answer;
  const error = read(answer, 'error');
  const [code, subcode] = [readCode(error, 'code'), readCode(error, 'error_subcode')];
  const told = [readText(error, 'message'), readText(read(error, 'error_data'), 'details')];
  const message = withoutSecrets(told.filter(each => each !== '').join(': '), secrets);
  throw new GraphError(message === '' ? `The provider answered ${status}.` : message.slice(0, 1_024), {
    ...(code === undefined ? { noAnswer: toNoAnswer(status) } : { code }),
    ...(subcode === undefined ? {} : { subcode }),
    isTransient: read(error, 'is_transient') === true || (status >= 500 && code === undefined),
    mayBeDone: status >= 500 && code === undefined,
  });
}

/** Of an answer without the provider's code: it may be somebody's who stands in front of it. */
function toNoAnswer(status: number): NoAnswer {
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'server_error' : 'invalid_answer';
}

/** Parameters of the exchange of codes and of tokens that are no secrets. */
const openParameters: ReadonlySet<string> = new Set(['client_id', 'grant_type', 'redirect_uri']);
/** Shorter ones are none, and words of the provider may contain them. */
const minSecretLength = 8;

/** What the provider may repeat of a call in its words, which are shown, logged and mailed. */
function listSecrets({ as, path, query = {} }: GraphCall): readonly string[] {
  const isAboutTokens = path.startsWith('oauth/') || path === 'debug_token';
  const given = isAboutTokens ? Object.entries(query).filter(([name]) => !openParameters.has(name)) : [];
  const secrets = [as?.token, as?.appSecret, as?.token.split('|')[1], ...given.map(([, value]) => value)];
  return secrets.filter(secret => secret !== undefined).filter(({ length }) => length >= minSecretLength);
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '(removed)'), text);
}

/** A number, also where it is written as a text. */
function readCode(error: unknown, name: string): number | undefined {
  const text = readText(error, name);
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A member of an answer; undefined where the answer is something else. */
export function read(answer: unknown, name: string): unknown {
  return typeof answer === 'object' && answer !== null
    ? (answer as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** A text of an answer; a number as its digits; empty for anything else. */
export function readText(answer: unknown, name: string): string {
  const value = read(answer, name);
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : '';
}

/** A list of an answer; empty for anything else. */
export function readList(answer: unknown, name: string): readonly unknown[] {
  const value = read(answer, name);
  return Array.isArray(value) ? value : [];
}

/** Where the next page of a list begins; undefined on the last one. */
export function getNextCursor(page: unknown): string | undefined {
  const paging = read(page, 'paging');
  const after = readText(read(paging, 'cursors'), 'after');
  return readText(paging, 'next') === '' || after === '' ? undefined : after;
}
