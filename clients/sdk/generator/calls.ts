/** What the generator knows of each call: read from the document's operations, and from their names. */
import {
  getJsonSchema,
  getReferenceName,
  isPage,
  resolveSchema,
  type OpenApiDocument,
  type OperationObject,
  type Parameter,
  type Schema,
} from './document.ts';
import { capitalize, formatFields, formatType } from './type-text.ts';

/** How operations are called: see names.ts. */
export interface CallNames {
  readonly operationNames: Readonly<Record<string, string>>;
  readonly withoutCall: readonly string[];
  readonly repeatableWithoutKey: readonly string[];
}

/** What a call takes beside its path: the name of the type, and whether it has to be given. */
export interface CallInput {
  readonly kind: 'body' | 'query';
  readonly type: string;
  readonly isRequired: boolean;
  /** The declaration of a query's type; a body's is a component. */
  readonly declaration: string | undefined;
}

export interface CallDescription {
  readonly operationId: string;
  readonly resource: string;
  readonly method: string;
  readonly verb: string;
  readonly path: string;
  /** The parameters of the path that callers give, in their order. */
  readonly pathArguments: readonly string[];
  readonly input: CallInput | undefined;
  /** The type of the answer; of a list, that of its items. */
  readonly answer: string;
  readonly isList: boolean;
  /** How it is made, in the letters that `parseOperation` of operation.ts reads. */
  readonly letters: string;
  readonly operation: OperationObject;
}

/** Where the Console's operations name the project, the client fills it in. */
const consolePath = '/console/projects/{projectId}/';

/** Every call, in the order of the document. Throws where a name is missing, or given twice. */
export function readCalls(document: OpenApiDocument, names: CallNames): CallDescription[] {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => ({ path, verb, operation })),
  );
  const calls = operations
    .filter(({ operation }) => !names.withoutCall.includes(operation.operationId))
    .map(({ path, verb, operation }) => describeCall(document, names, path, verb, operation));
  checkNames(calls, names);
  return calls;
}

function checkNames(calls: readonly CallDescription[], { operationNames }: CallNames): void {
  const known = new Set(calls.map(({ operationId }) => operationId));
  for (const id of Object.keys(operationNames)) {
    if (!known.has(id)) throw new Error(`names.ts names ${id}, which is no operation of the contract`);
  }
  const methods = calls.map(({ resource, method }) => `${resource}.${method}`);
  const twice = methods.find((name, index) => methods.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two operations are called ${twice}`);
}

function describeCall(
  document: OpenApiDocument,
  names: CallNames,
  path: string,
  verb: string,
  operation: OperationObject,
): CallDescription {
  const { operationId } = operation;
  const [resource, method] = names.operationNames[operationId]?.split('.') ?? [];
  if (resource === undefined || method === undefined) throw new Error(`names.ts has no ${operationId}`);
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const answer = getAnswer(operation);
  const page = answer === undefined ? undefined : resolveSchema(document, answer);
  const isList = page !== undefined && isPage(page);
  const body = getJsonSchema(operation.requestBody?.content);
  const query = listQueryParameters(operation);
  if (body !== undefined && query.length > 0) throw new Error(`${operationId} has a body and a query`);
  const isOfConsole = path.startsWith(consolePath);
  const isRepeatable = names.repeatableWithoutKey.includes(operationId);
  const input =
    body === undefined
      ? describeQuery(operationId, `${resource}.${method}`, query)
      : describeBody(document, body);
  return {
    operationId,
    resource,
    method,
    verb: verb.toUpperCase(),
    path,
    pathArguments: isOfConsole ? parameters.slice(1) : parameters,
    input,
    answer: isList
      ? formatType(page.properties?.['data']?.items, 'output', '  ')
      : formatAnswer(operation, answer),
    isList,
    letters: [
      verb !== 'get' && verb !== 'delete' && body === undefined ? '0' : '',
      isList ? 'L' : input?.kind === 'query' ? 'Q' : '',
      verb !== 'post' || honoursKey(operation) ? '' : isRepeatable ? 'R' : 'N',
      ...listFilledIn(document, body, query),
    ].join(''),
    operation,
  };
}

/** The schema of its success. Where a request may ask for another (200 beside 201), that of the call as it is. */
function getAnswer({ responses }: OperationObject): Schema | undefined {
  const successes = Object.keys(responses).filter(status => status.startsWith('2'));
  return getJsonSchema(responses[successes.at(-1) ?? '']?.content);
}

function formatAnswer({ responses }: OperationObject, schema: Schema | undefined): string {
  if (schema !== undefined) return formatType(schema, 'output', '  ');
  const isText = Object.entries(responses).some(
    ([status, { content }]) => status.startsWith('2') && content !== undefined,
  );
  return isText ? 'string' : 'void';
}

function listQueryParameters({ operationId, parameters = [] }: OperationObject): Parameter[] {
  // `messages.check` asks for the dry run, so that no call has a union as its answer.
  return parameters.filter(
    ({ in: place, name }) => place === 'query' && !(operationId === 'createMessage' && name === 'dryRun'),
  );
}

function honoursKey({ parameters = [] }: OperationObject): boolean {
  return parameters.some(
    ({ $ref }) => $ref !== undefined && getReferenceName($ref).startsWith('IdempotencyKey'),
  );
}

/** Letters for the client's ids that the body or the query takes. */
function listFilledIn(
  document: OpenApiDocument,
  body: Schema | undefined,
  query: readonly Parameter[],
): string[] {
  const fields = body === undefined ? undefined : resolveSchema(document, body);
  const names =
    body === undefined ? query.map(({ name = '' }) => name) : Object.keys(fields?.properties ?? {});
  const required =
    fields?.required ?? query.filter(parameter => parameter.required).map(({ name = '' }) => name);
  // Who asks for a workspace does not mean the client's project.
  if (names.includes('workspaceId')) return [];
  const project = !names.includes('projectId') ? '' : required.includes('projectId') ? 'P' : 'p';
  return [project, names.includes('environmentId') ? 'e' : ''];
}

function describeBody(document: OpenApiDocument, schema: Schema): CallInput {
  const { required = [] } = resolveSchema(document, schema);
  return {
    kind: 'body',
    type: formatType(schema, 'input'),
    isRequired: required.some(name => !isFilledIn(name)),
    declaration: undefined,
  };
}

/** undefined where there is nothing to give: what only takes the project gets it from the client. */
function describeQuery(
  operationId: string,
  call: string,
  parameters: readonly Parameter[],
): CallInput | undefined {
  if (parameters.every(({ name = '' }) => isFilledIn(name))) return undefined;
  const type = `${capitalize(operationId)}Query`;
  const schema: Schema = {
    properties: Object.fromEntries(
      parameters.map(({ name = '', description, schema = {} }) => [
        name,
        { ...allowOne(schema), ...(description === undefined ? {} : { description }) },
      ]),
    ),
    required: parameters.filter(({ required }) => required).map(({ name = '' }) => name),
  };
  return {
    kind: 'query',
    type,
    isRequired: parameters.some(({ name = '', required }) => required === true && !isFilledIn(name)),
    declaration: `/** What \`${call}\` asks for. */\nexport interface ${type} ${formatFields(schema, 'input')}\n`,
  };
}

/** A filter that takes several values takes one by itself, too. */
function allowOne(schema: Schema): Schema {
  return schema.type === 'array' && schema.items !== undefined ? { anyOf: [schema.items, schema] } : schema;
}

function isFilledIn(name: string): boolean {
  return name === 'projectId' || name === 'environmentId';
}
