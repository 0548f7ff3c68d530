/** Path parameters, query and body of a request, by the schemas of its operation: validators compiled when the route is made. */
import { invalid, type Issue } from '../../protocol/errors.ts';
import type { Operation } from '../../protocol/operation.ts';
import { coerce, compile, type Validate } from '../../protocol/validate.ts';
import type { HttpRequest } from '../http/message.ts';
import { parseJsonBody } from './json-body.ts';
import { decodeSegment, parseQuery } from './url.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The checked parts; undefined where the operation has none. */
export interface Parts {
  readonly params: Fields | undefined;
  readonly query: Fields | undefined;
  readonly body: unknown;
}

/** Names of the parameters in a path pattern, in order. */
function parameterNames(path: string): string[] {
  return Array.from(path.matchAll(/\{([A-Za-z]+)\}/g), match => match[1] ?? '');
}

/** The reader of one operation. Its making throws where the path and its parameter schema do not fit. */
export class PartsReader {
  readonly #names: readonly string[];
  readonly #params: Validate | undefined;
  readonly #querySchema: Operation['query'];
  readonly #query: Validate | undefined;
  readonly #body: Validate | undefined;
  /** What an empty query comes to, where that is valid: the usual case, computed once and shared. */
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
    const empty = operation.query && coerce(operation.query, []);
    this.#emptyQuery = this.#query?.(empty, '') === undefined ? Object.freeze(empty) : undefined;
  }

  /** Throws 400 for what is not JSON, 422 with every issue for what does not fit. */
  read(request: HttpRequest): Parts {
    // The body first: where it is no JSON at all there is nothing to list issues of.
    const body = this.#body && parseJsonBody(request.body, request.header('content-type'));
    const params = this.#params && this.#paramsOf(request.params);
    const query = this.#querySchema && this.#queryOf(request.query);
    const issues = merged(
      this.#params?.(params, '/path'),
      query === undefined || query === this.#emptyQuery ? undefined : this.#query?.(query, '/query'),
      this.#body?.(body, '/body'),
    );
    if (issues !== undefined) throw invalid(issues);
    return { params, query, body };
  }

  #paramsOf(segments: readonly string[]): Fields {
    const params: Record<string, unknown> = {};
    for (let i = 0; i < this.#names.length; i++) {
      const name = this.#names[i] ?? '';
      params[name] = decodeSegment(segments[i] ?? '', name);
    }
    return params;
  }

  #queryOf(query: string): Fields {
    if (query === '' && this.#emptyQuery !== undefined) return this.#emptyQuery;
    return coerce(this.#querySchema ?? {}, parseQuery(query));
  }
}

function merged(...lists: readonly (readonly Issue[] | undefined)[]): Issue[] | undefined {
  let all: Issue[] | undefined;
  for (const list of lists) if (list !== undefined) (all ??= []).push(...list);
  return all;
}
