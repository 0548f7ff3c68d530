/**
 * An integrator's client of a whole node. It holds every answer against the operation table (a status, an error or a body
 * that the operation's row does not name is thrown), and remembers every secret that it saw or sent.
 */
import { randomBytes } from 'node:crypto';
import { Agent, errors, request } from 'undici';
import { Compile, type Validator } from 'typebox/compile';
import { listErrors, type Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';

export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  /** A list repeats its name. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly body?: unknown;
  /** The Idempotency-Key; where one is required and none is given, a fresh one is sent. Null: none is sent. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long to wait for the answer, in milliseconds. Default: the connection's limit. */
  readonly timeoutMs?: number;
}

export interface Reply<T> {
  readonly status: number;
  readonly body: T;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What a refusal says. */
export interface Refusal {
  readonly error: string;
  readonly message: string;
  readonly requestId: string;
  readonly docsUrl: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface ListOf<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

/** The request got no answer: whether it was executed is not known, unless `refused`. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  /** Nobody listened: the request was never sent. */
  readonly refused: boolean;
  constructor(cause: Error) {
    super(`no answer: ${cause.message}`, { cause });
    this.refused = 'code' in cause && cause.code === 'ECONNREFUSED';
  }
}

/** An answer that the contract does not know. */
export class ContractBroken extends Error {
  override readonly name = 'ContractBroken';
}

const validators = new Map<object, Validator>();

function fits(schema: object, value: unknown): boolean {
  let validator = validators.get(schema);
  if (validator === undefined) validators.set(schema, (validator = Compile(schema)));
  return validator.Check(value);
}

/** Connections, and what went over them that nobody may find in a log. */
export class Line {
  readonly url: string;
  readonly secrets = new Set<string>();
  readonly agent: Agent;

  /** @param authority the certificate of whoever has signed the server's, where the system does not know it */
  constructor(url: string, t: { teardown(handler: () => Promise<void>): unknown }, authority?: string) {
    this.url = url;
    this.agent = new Agent({
      headersTimeout: 60_000,
      bodyTimeout: 60_000,
      ...(authority !== undefined && { connect: { ca: authority } }),
    });
    t.teardown(() => this.agent.destroy());
  }

  /** Notes the secrets of what was sent or answered; not those of mailed links, which the log shows where there is no mail server. */
  overhear(text: string): void {
    const fields = /"(?:password|secret|accessToken|ticket)":"([^"]{8,})"/g;
    for (const [, secret] of text.matchAll(fields)) this.secrets.add(secret ?? '');
  }
}

export class Client {
  readonly line: Line;
  readonly bearer: string | undefined;

  /** @param bearer an access token or an API key; none for the public operations. */
  constructor(line: Line, bearer?: string) {
    this.line = line;
    this.bearer = bearer;
    if (bearer !== undefined) line.secrets.add(bearer);
  }

  /** Rejects with {@link NoAnswer} when there is none, and with {@link ContractBroken}. */
  async ask<T = Record<string, unknown>>(id: OperationId, asked: Asked = {}): Promise<Reply<T>> {
    const reply = await this.request<T>(id, asked);
    hold(id, operations[id], reply);
    return reply;
  }

  /** The same, whatever the answer is. */
  request<T = Record<string, unknown>>(id: OperationId, asked: Asked = {}): Promise<Reply<T>> {
    const operation: Operation = operations[id];
    const { body, key, headers, timeoutMs } = asked;
    const required = operation.idempotency === 'required' ? randomBytes(9).toString('hex') : undefined;
    const sent = key === null ? undefined : (key ?? required);
    return this.send<T>(operation.method, buildPath(operation, asked), {
      ...(body === undefined ? {} : { text: JSON.stringify(body) }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      headers: { ...(sent === undefined ? {} : { 'idempotency-key': sent }), ...headers },
    });
  }

  /** The body of an answer that has to be a success. */
  async get<T>(id: OperationId, asked: Asked = {}): Promise<T> {
    const { status, body, text } = await this.ask<T>(id, asked);
    if (status >= 300) throw new Error(`${id} answered ${status} ${text}`);
    return body;
  }

  /** Every item of a list, page by page. */
  async all<T>(id: OperationId, asked: Asked = {}): Promise<T[]> {
    const items: T[] = [];
    let cursor: string | null = null;
    do {
      const more: Asked['query'] = cursor === null ? {} : { cursor };
      const page: ListOf<T> = await this.get(id, {
        ...asked,
        query: { limit: 100, ...asked.query, ...more },
      });
      items.push(...page.data);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return items;
  }

  /** A request as it is, whatever the table says. */
  async send<T = Record<string, unknown>>(
    method: string,
    path: string,
    options: Pick<Asked, 'headers' | 'timeoutMs'> & { readonly text?: string | Buffer } = {},
  ): Promise<Reply<T>> {
    const { line } = this;
    if (typeof options.text === 'string') line.overhear(options.text);
    try {
      const { statusCode, headers, body } = await request(`${line.url}${path}`, {
        dispatcher: line.agent,
        method: method as 'GET',
        ...(options.timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(options.timeoutMs) }),
        headers: {
          ...(this.bearer === undefined ? {} : { authorization: `Bearer ${this.bearer}` }),
          ...(options.text === undefined ? {} : { 'content-type': 'application/json' }),
          ...options.headers,
        },
        ...(options.text === undefined ? {} : { body: options.text }),
      });
      const text = await body.text();
      line.overhear(text);
      const cookie = /^[^=]+=([^;]+);/.exec(String(headers['set-cookie'] ?? ''))?.[1];
      if (cookie !== undefined) line.secrets.add(cookie);
      return {
        status: statusCode,
        headers,
        text,
        body: parseBody(String(headers['content-type']), text) as T,
      };
    } catch (error) {
      if (!isConnection(error)) throw error;
      throw new NoAnswer(error);
    }
  }
}

function parseBody(contentType: string, text: string): unknown {
  if (contentType.startsWith('application/json')) return JSON.parse(text);
  return /^(?:text\/plain|application\/x-ndjson)/.test(contentType) ? text : undefined;
}

function isConnection(error: unknown): error is Error {
  if (error instanceof Error && error.name === 'TimeoutError') return true;
  if (error instanceof errors.SocketError || error instanceof errors.ConnectTimeoutError) return true;
  return (
    error instanceof Error &&
    'code' in error &&
    /^(ECONN|EPIPE|UND_ERR_SOCKET|UND_ERR_CLOSED)/.test(String(error.code))
  );
}

/** Path and query of a request. */
export function buildPath(operation: Operation, { params = {}, query = {} }: Asked): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value].flat()) search.append(name, String(each));
  }
  return `/v1${path}${search.size > 0 ? `?${search.toString()}` : ''}`;
}

/** Throws {@link ContractBroken} where the answer is not one of those that the operation's row names. */
export function hold(
  id: OperationId,
  operation: Operation,
  { status, body, text, headers }: Reply<unknown>,
): void {
  const { success, alternative } = operation;
  const row = [success, alternative].find(each => each?.status === status);
  if (row?.body === null && text === '') return;
  if (row !== undefined && row.body !== null && fits(row.body, body)) return;
  const { error, message, requestId, docsUrl } = (body ?? {}) as Partial<Refusal>;
  // What is replayed names the request that was answered first.
  const isNamed = requestId === headers['x-request-id'] || headers['idempotent-replayed'] === 'true';
  const whole = message !== undefined && docsUrl !== undefined && isNamed;
  const known =
    [...listErrors(operation)].some(code => code === error) && error !== 'svc/runtime/internal_error';
  if (row === undefined && whole && known) {
    const waits = Number.isInteger(Number(headers['retry-after'])) && Number(headers['retry-after']) > 0;
    if (waits || (status !== 503 && status !== 429)) return;
  }
  throw new ContractBroken(`${id} answered ${status} ${text}`);
}
