/**
 * Path parameters, query and body of a request, checked by the schemas of its operation. The validators are compiled when the
 * route is made. JSON gets the limits that it does not have by itself.
 */
import { isUtf8 } from 'node:buffer';
import type { TSchema } from 'typebox';
import { invalid, ServiceError, type Issue } from '../../protocol/errors.ts';
import { type ImpliedField, listImpliedFields, type Operation } from '../../protocol/operation.ts';
import { pointerStep } from '../../protocol/validate.ts';
import { coerceQuery, compile, type Validate } from '../../protocol/validate.ts';
import type { HttpRequest } from '../http/index.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What an API key is bound to. */
export type ImpliedFields = Readonly<Record<ImpliedField, string>>;

/** The checked parts; undefined where the operation has none. */
export interface Parts {
  readonly params: Fields | undefined;
  readonly query: Fields | undefined;
  readonly body: unknown;
  /** Where the request acts, on transports that name it beside the operation's own parts. */
  readonly scope?: { readonly projectId: string; readonly environmentId: string };
}

/** Names of the parameters in a path pattern, in order. */
function parameterNames(path: string): string[] {
  return Array.from(path.matchAll(/\{([A-Za-z]+)\}/g), match => match[1] ?? '');
}

/** Reads the requests of one operation. The constructor throws where the path and its parameter schema do not fit. */
export class PartsReader {
  readonly #names: readonly string[];
  readonly #params: Validate | undefined;
  readonly #querySchema: Operation['query'];
  readonly #query: Validate | undefined;
  readonly #body: Validate | undefined;
  readonly #isRaw: boolean;
  readonly #isPatch: boolean;
  /** Whether If-Match would be ignored, and the change made in spite of it. */
  readonly #ignoresCondition: boolean;
  /** What an API key implies, where the query and the body have to name it. */
  readonly #impliedInQuery: readonly ImpliedField[];
  readonly #impliedInBody: readonly ImpliedField[];
  /** Names of the query's parameters; undefined: all are taken. */
  readonly #known: ReadonlySet<string> | undefined;
  /** The defaults of an empty query, where it is valid: the usual case, computed once and shared. */
  readonly #emptyQuery: Fields | undefined;

  constructor(operation: Operation) {
    this.#names = parameterNames(operation.path);
    if ((operation.params === undefined) !== (this.#names.length === 0)) {
      throw new Error(`the operation at ${operation.path} and its parameter schema do not fit`);
    }
    this.#params = operation.params && compile(operation.params);
    this.#querySchema = operation.query;
    this.#query = operation.query && compile(operation.query);
    this.#body = operation.body && compile(operation.body);
    this.#isRaw = operation.rawBody !== undefined;
    this.#isPatch = operation.method === 'PATCH';
    this.#ignoresCondition =
      operation.method !== 'GET' &&
      operation.errors.includes('svc/validation/invalid_request') &&
      !operation.errors.includes('svc/runtime/precondition_failed');
    this.#impliedInQuery = listImpliedFields(operation, 'query');
    this.#impliedInBody = listImpliedFields(operation, 'body');
    this.#known = operation.ignoresUnknownQuery === true ? undefined : listParameters(operation.query);
    const empty = operation.query && coerceQuery(operation.query, []);
    this.#emptyQuery = this.#query?.(empty, '') === undefined ? Object.freeze(empty) : undefined;
  }

  /**
   * Throws 413 for a body that was too large to be taken, 415 for one that is compressed, 400 for one that is not JSON, 422 with every
   * issue of the parts.
   *
   * @param implied what the request need not name, since its API key does
   */
  read(request: HttpRequest, implied?: ImpliedFields): Parts {
    if (request.refused !== undefined) throw request.refused;
    if (this.#body !== undefined) refuseEncoding(request.header('content-encoding'));
    if (this.#ignoresCondition && request.header('if-match') !== '') {
      const message = 'is not taken here: the resource has no ETag';
      throw invalid([{ path: '/header/if-match', message, code: 'additionalProperties' }]);
    }
    // The body first: where it is not JSON at all there are no issues to list.
    const body = this.#isRaw
      ? request.body
      : this.#body && parseJsonBody(request.body, request.header('content-type'), this.#isPatch);
    if (implied !== undefined) fillIn(body, this.#impliedInBody, implied);
    const params = this.#params && this.#readParams(request.params);
    const given = request.query === '' ? noParameters : parseQuery(request.query);
    const query = this.#querySchema && this.#readQuery(this.#querySchema, given);
    if (implied !== undefined) fillIn(query, this.#impliedInQuery, implied);
    const issues = mergeIssues(
      this.#params?.(params, '/path'),
      this.#known && findUnknown(given, this.#known),
      query === undefined || query === this.#emptyQuery ? undefined : this.#checkQuery(query),
      this.#body?.(body, '/body'),
    );
    if (issues !== undefined) throw invalid(issues);
    return { params, query, body };
  }

  #readParams(segments: readonly string[]): Fields {
    const params: Record<string, unknown> = {};
    for (let i = 0; i < this.#names.length; i++) {
      const name = this.#names[i] ?? '';
      params[name] = decodeSegment(segments[i] ?? '', name);
    }
    return params;
  }

  /** A parameter that is given twice has become null, which says little of what is wrong. */
  #checkQuery(query: Fields): Issue[] | undefined {
    const repeated = new Set(Object.keys(query).filter(name => query[name] === null));
    const issues = this.#query?.(query, '/query');
    if (repeated.size === 0) return issues;
    return issues?.map(issue =>
      repeated.has(issue.path.slice('/query/'.length))
        ? { ...issue, message: 'is given more than once, and has one value' }
        : issue,
    );
  }

  #readQuery(schema: TSchema, given: readonly Parameter[]): Fields {
    if (given.length === 0 && this.#emptyQuery !== undefined) return this.#emptyQuery;
    return coerceQuery(schema, given);
  }
}

/** Adds to a part of a request what it leaves out. */
function fillIn(part: unknown, names: readonly ImpliedField[], implied: ImpliedFields): void {
  if (names.length === 0 || typeof part !== 'object' || part === null || Array.isArray(part)) return;
  const fields = part as Record<string, unknown>;
  for (const name of names) if (!Object.hasOwn(fields, name)) fields[name] = implied[name];
}

function listParameters(schema: TSchema | undefined): ReadonlySet<string> {
  return new Set(Object.keys((schema as { readonly properties?: object } | undefined)?.properties ?? {}));
}

/** A parameter that nobody knows would change nothing: `?stauts=closed` would list everything. */
function findUnknown(given: readonly Parameter[], known: ReadonlySet<string>): Issue[] | undefined {
  const unknown = given.filter(([name]) => !known.has(name));
  if (unknown.length === 0) return undefined;
  const taken = known.size === 0 ? 'takes none' : `takes ${[...known].join(', ')}`;
  const message = `is not a parameter of this operation, which ${taken}`;
  return unknown.map(([name]) => ({
    path: `/query/${pointerStep(name)}`,
    message,
    code: 'additionalProperties',
  }));
}

function mergeIssues(...lists: readonly (readonly Issue[] | undefined)[]): Issue[] | undefined {
  let all: Issue[] | undefined;
  for (const list of lists) if (list !== undefined) (all ??= []).push(...list);
  return all;
}

const jsonType = /^application\/json[ \t]*(;|$)/i;
/** What clients of RFC 7396 call the body of a PATCH. */
const patchType = /^application\/merge-patch\+json[ \t]*(;|$)/i;
const charset = /;[ \t]*charset[ \t]*=[ \t]*"?([^";, \t]+)/i;

/** Throws 400 unless the type is JSON in UTF-8, the only encoding that JSON is exchanged in (RFC 8259 section 8.1). */
function checkType(contentType: string, isPatch: boolean): void {
  if (contentType === 'application/json') return;
  const named = charset.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  const isJson = jsonType.test(contentType) || (isPatch && patchType.test(contentType));
  if (isJson && named === 'utf-8') return;
  throw malformed('The Content-Type must be application/json, in UTF-8.');
}

/** Throws 415 where a body is encoded: bodies are taken as they are, since a small one could become any size. */
export function refuseEncoding(contentEncoding: string): void {
  if (contentEncoding === '' || contentEncoding.trim().toLowerCase() === 'identity') return;
  const message = 'The header Content-Encoding is not taken: send the body as it is, without compression.';
  throw new ServiceError('svc/validation/invalid_request', { http: 415, message });
}

function malformed(message: string): ServiceError {
  return new ServiceError('svc/validation/invalid_request', { http: 400, message });
}

/** The value of a request's body. Throws 400 on what is not JSON, 422 on a key that no object should have. */
export function parseJsonBody(body: Buffer, contentType: string, isPatch = false): unknown {
  checkType(contentType, isPatch);
  // Decoding would turn broken bytes into U+FFFD: text that the client never sent.
  if (!isUtf8(body)) throw malformed('The body is not UTF-8.');
  refuseManyValues(body);
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed('The body is not JSON.');
  }
  // JSON.parse makes `__proto__` an ordinary field, but code that assigns it to another object replaces a prototype. The
  // search is made only where its letters occur, plain or escaped.
  if (text.includes('__proto__') || text.includes('\\u00')) refusePrototypes(value, '/body');
  return value;
}

/**
 * Commas, colons and opening brackets in a body at most: each is followed by a value or name, which costs. Parsing so many takes some
 * 10 ms, and a MiB that is full of them 80 and more.
 */
const maxValues = 10_000;

const quote = 0x22;
const backslash = 0x5c;
/** `,` `:` `[` `{` */
const beforeValues: ReadonlySet<number> = new Set([0x2c, 0x3a, 0x5b, 0x7b]);

/** 422 for a body with more values than anybody needs, by one look at its bytes: 1 ms for a MiB. */
function refuseManyValues(body: Buffer): void {
  // Each value takes a byte at least.
  if (body.length <= maxValues) return;
  let values = 0;
  let inString = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i] ?? 0;
    if (inString) {
      if (byte === backslash) i++;
      else if (byte === quote) inString = false;
    } else if (byte === quote) {
      inString = true;
    } else if (beforeValues.has(byte) && ++values > maxValues) {
      throw invalid([
        { path: '/body', message: `must not have more than ${maxValues} values`, code: 'values' },
      ]);
    }
  }
}

/** Deeper than the validator accepts (protocol/validate.ts): what lies below is refused there for its depth. */
const searchedDepth = 70;

/** 422 for a value that has, at any depth, a field by the name of `__proto__`. */
export function refusePrototypes(value: unknown, path: string, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > searchedDepth) return;
  for (const [key, member] of Object.entries(value)) {
    const at = `${path}/${pointerStep(key)}`;
    if (key === '__proto__') throw invalid([{ path: at, message: 'is not a permitted name', code: 'name' }]);
    refusePrototypes(member, at, depth + 1);
  }
}

/** Most parameters that a query may have. */
const maxParameters = 100;

type Parameter = readonly [name: string, value: string];
const noParameters: readonly Parameter[] = [];

/** The parameters of a query in order (the URL standard's form encoding). Throws 422 where the escapes are broken. */
export function parseQuery(query: string): Parameter[] {
  const parameters: Parameter[] = [];
  for (const part of query.split('&', maxParameters + 1)) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals < 0 ? part : part.slice(0, equals), '/query');
    parameters.push([name, equals < 0 ? '' : decode(part.slice(equals + 1), '/query')]);
  }
  if (parameters.length > maxParameters) {
    throw invalid([
      { path: '/query', message: `has more than ${maxParameters} parameters`, code: 'maxItems' },
    ]);
  }
  return parameters;
}

/** A path parameter as text. Throws 422 where the escapes are broken. */
export function decodeSegment(segment: string, name: string): string {
  return segment.includes('%') ? decodeOr(segment, `/path/${name}`) : segment;
}

function decode(text: string, path: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? decodeOr(spaced, path) : spaced;
}

function decodeOr(text: string, path: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid([{ path, message: 'has broken percent-encoding', code: 'encoding' }]);
  }
}
