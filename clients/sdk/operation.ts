/** Rows of the generated table, read; and requests made of them. */
import { operationTable } from './generated/operations.ts';
import type { PreparedRequest } from './transport.ts';

/** How a call is made. */
export interface Operation {
  readonly operationId: string;
  readonly resource: string;
  readonly name: string;
  readonly method: string;
  readonly path: string;
  /** The parameters of the path that callers give, in their order. */
  readonly parameters: readonly string[];
  /** What the call takes behind them. */
  readonly input: 'body' | 'query' | undefined;
  readonly isList: boolean;
  /** Whether it honours an Idempotency-Key. */
  readonly honoursKey: boolean;
  /** Whether sending it twice does no harm. */
  readonly isRepeatable: boolean;
  /** Whether it takes the client's project and environment; `required`: it cannot do without. */
  readonly project: boolean | 'required';
  readonly environment: boolean;
}

/** What a request is made of. */
export interface RequestInput {
  /** The parameters of the path, by name. */
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
}

/** Whether the client fills in the project of the path. */
export function takesProjectInPath({ path }: Pick<Operation, 'path'>): boolean {
  return path.startsWith('/console/projects/{projectId}/');
}

/**
 * @param row `pPOST create.Message/threads/{threadId}/messages`: letters for what does not follow from the rest, method, id and path. The name
 *   is the id without what is between its dots, or the word at the end. POST, PUT and PATCH take a body, unless `0`; the others nothing, unless `Q`: a query, or `L`: that of a list. POST honours a key,
 *   unless `R`: it may be repeated without one, or `N`: it may not. `p`, `e`: it takes the client's project and environment; `P`: it cannot
 *   do without a project. The order is the one that compresses best.
 */
export function parseOperation(resource: string, row: string): Operation {
  const [, letters = '', method = '', id = '', path = '', name = id.replace(/\.\w+\.?/, '')] =
    /^(\w*?)(GET|POST|PUT|PATCH|DELETE) ([\w.]+)(\S+)(?: (\w+))?$/.exec(row) ?? [];
  const has = (letter: string): boolean => letters.includes(letter);
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter);
  const isPost = method === 'POST';
  const takesBody = (isPost || method.startsWith('P')) && !has('0');
  const honoursKey = isPost && !has('R') && !has('N');
  return {
    operationId: id.replaceAll('.', ''),
    resource,
    name,
    method,
    path,
    parameters: takesProjectInPath({ path }) ? parameters.slice(1) : parameters,
    input: takesBody ? 'body' : has('Q') || has('L') ? 'query' : undefined,
    isList: has('L'),
    honoursKey,
    isRepeatable: !has('N'),
    project: has('P') ? 'required' : has('p'),
    environment: has('e'),
  };
}

/**
 * The rows of a resource, for `parseOperation`. What follows from its name is said shorter: of `apiKeys`, `@` is `ApiKey` and `=` is
 * `/api-keys`; `~` behind `threads/` is `{threadId}`. Calls that differ in what is before the first dot alone share a row.
 *
 * @param rows `pGET get|pPATCH update.@=/~` and its like, a line each
 */
export function expandRows(resource: string, rows: string): string[] {
  const words = resource.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
  return rows
    .replaceAll('@', resource.charAt(0).toUpperCase() + resource.slice(1).replace(/s$/, ''))
    .replaceAll('=', `/${words}`)
    .replace(/(\w+)s\/~/g, '$1s/{$1Id}')
    .split('\n')
    .flatMap(row => {
      const [, heads = '', tail = ''] = /^([^.]*)(.*)$/.exec(row) ?? [];
      return heads.split('|').map(head => head + tail);
    });
}

/** All operations by their ids. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(operationTable).flatMap(([resource, rows]) =>
    expandRows(resource, rows).map(row => {
      const operation = parseOperation(resource, row);
      return [operation.operationId, operation] as const;
    }),
  ),
);

/** @throws {TypeError} a parameter of the path is missing */
export function prepareRequest(operation: Operation, input: RequestInput): PreparedRequest {
  const { operationId, method, path, honoursKey, isRepeatable } = operation;
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = input.params?.[name];
    // An id is no relative path: fetch would resolve it.
    if (typeof value !== 'string' || /^\.{0,2}$/.test(value)) {
      throw new TypeError(`${operationId}: ${name} is no id`);
    }
    return encodeURIComponent(value);
  });
  return {
    operationId,
    method,
    path: target + formatQuery(input.query ?? {}),
    body: input.body,
    honoursKey,
    isRepeatable,
  };
}

/** With the question mark; empty without values. Those of a list are repeated. */
function formatQuery(query: Readonly<Record<string, unknown>>): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined && each !== null) text.append(name, String(each));
    }
  }
  return text.size === 0 ? '' : `?${text}`;
}
