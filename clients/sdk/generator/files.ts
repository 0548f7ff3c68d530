/** The three generated files: types.ts, resources.ts and operations.ts. Nothing here reads or writes a file. */
import type { CallDescription } from './calls.ts';
import {
  getJsonSchema,
  getReferenceName,
  isPage,
  type OpenApiDocument,
  type OperationObject,
  type Schema,
} from './document.ts';
import { capitalize, formatComment, formatFields, formatType, toTypeName } from './type-text.ts';

const mark = '// Made by generate.ts from the contract. Do not edit.\n';

/** Resources, bodies, events, and the codes of errors. */
export function formatTypes(document: OpenApiDocument, errorCodes: readonly string[]): string {
  const inputs = listInputs(document);
  const components = Object.entries(document.components.schemas)
    .filter(([, schema]) => !isPage(schema))
    .map(([name, schema]) =>
      formatComponent(toTypeName(name), schema, inputs.has(name) ? 'input' : 'output'),
    );
  const codes = errorCodes.map(code => `  | '${code}'`).join('\n');
  return [
    mark,
    ...components,
    `/** The names of all events that a stitch delivers. */\nexport type EventName = SkeinEvent['eventName'];\n`,
    `/** Every code that an error of the service may have. */\nexport type ErrorCode =\n${codes};\n`,
  ].join('\n');
}

function formatComponent(name: string, schema: Schema, direction: 'input' | 'output'): string {
  const comment = formatComment([schema.description], '');
  const isInterface = schema.type === 'object' && schema.properties !== undefined;
  return isInterface
    ? `${comment}export interface ${name} ${formatFields(schema, direction)}\n`
    : `${comment}export type ${name} = ${breakUnion(schema, formatType(schema, direction))};\n`;
}

/** A union of many components with one a line. */
function breakUnion({ oneOf = [] }: Schema, type: string): string {
  return oneOf.length > 3 ? `\n  | ${type.split(' | ').join('\n  | ')}` : type;
}

/** The components that only request bodies refer to. */
function listInputs(document: OpenApiDocument): Set<string> {
  const asked = new Set<string>();
  const answered = new Set<string>();
  for (const operation of Object.values(document.paths).flatMap(item => Object.values(item))) {
    collectReferences(document, getJsonSchema(operation.requestBody?.content), asked);
    for (const response of Object.values(operation.responses)) {
      collectReferences(document, getJsonSchema(response.content), answered);
    }
  }
  for (const { post } of Object.values(document.webhooks)) {
    collectReferences(document, getJsonSchema(post.requestBody?.content), answered);
  }
  return new Set([...asked].filter(name => !answered.has(name)));
}

function collectReferences(document: OpenApiDocument, part: unknown, found: Set<string>): void {
  if (typeof part !== 'object' || part === null) return;
  for (const [key, value] of Object.entries(part)) {
    if (key !== '$ref' || typeof value !== 'string') {
      collectReferences(document, value, found);
      continue;
    }
    const name = getReferenceName(value);
    if (found.has(name)) continue;
    found.add(name);
    collectReferences(document, document.components.schemas[name], found);
  }
}

/**
 * An interface for each resource, the types of queries, and `Resources`, which has them all.
 *
 * @param extras the interfaces of methods that are written by hand, by resource
 */
export function formatResources(
  document: OpenApiDocument,
  calls: readonly CallDescription[],
  extras: Readonly<Record<string, string>>,
): string {
  const resources = Map.groupBy(calls, ({ resource }) => resource);
  const interfaces = [...resources].map(([resource, own]) => {
    const extra = extras[resource] === undefined ? '' : ` extends ${extras[resource]}`;
    const methods = own.map(call => formatMethod(document, call)).join('\n');
    return `export interface ${toApiName(resource)}${extra} {\n${methods}}\n`;
  });
  const fields = [...resources.keys()].map(name => `  readonly ${name}: ${toApiName(name)};\n`).join('');
  const body = [
    ...calls.flatMap(({ input }) => input?.declaration ?? []),
    ...interfaces,
    `/** Every resource of the API. */\nexport interface Resources {\n${fields}}\n`,
  ].join('\n');
  return [mark, formatImports(body, Object.values(extras)), body].join('\n');
}

/** A resource and a schema may have one name (usage), so interfaces of resources end in Api. */
function toApiName(resource: string): string {
  return `${capitalize(resource)}Api`;
}

function formatMethod(document: OpenApiDocument, call: CallDescription): string {
  const { pathArguments, input, answer } = call;
  const isConditional = listOwnErrors(document, call.operation).includes('svc/runtime/precondition_failed');
  const args = [
    ...pathArguments.map(name => `${name}: string`),
    ...(input === undefined ? [] : [`${input.kind}${input.isRequired ? '' : '?'}: ${input.type}`]),
    `options?: ${isConditional ? 'EditOptions' : 'CallOptions'}`,
  ];
  const result = call.isList ? `Listing<${answer}>` : `Call<${answer}>`;
  return `${formatMethodComment(document, call)}  ${call.method}(${args.join(', ')}): ${result};\n`;
}

/** What it does, who may call it, and which errors are its own. */
function formatMethodComment(document: OpenApiDocument, { operation }: CallDescription): string {
  // The last paragraph of the description says who may call, which is said shorter below.
  const description = (operation.description ?? '').split('\n\n').slice(0, -1);
  const scopes = operation['x-api-key-scopes']?.map(scope => `\`${scope}\``).join(' and ');
  const codes = listOwnErrors(document, operation).map(code => `\`${code}\``);
  return formatComment(
    [
      `${operation.summary}.`,
      ...description,
      scopes !== undefined
        ? `API keys need ${scopes}.`
        : operation.security?.length === 0
          ? 'Needs no credential.'
          : 'Not for API keys.',
      codes.length === 0 ? undefined : `@throws {ApiError} ${codes.join(', ')}`,
    ],
    '  ',
  );
}

/** Codes that any call may have, which are not repeated at each. */
const common =
  /rate_limit|internal_error|unavailable|svc\/auth\/(missing|expired|invalid)_|insufficient|validation/;

function listOwnErrors(document: OpenApiDocument, operation: OperationObject): string[] {
  const codes = Object.values(operation.responses).flatMap(({ $ref }) => {
    const response = $ref === undefined ? undefined : document.components.responses[getReferenceName($ref)];
    const examples = response?.content['application/json']?.examples ?? {};
    return Object.values(examples).map(({ value }) => value.error);
  });
  return [...new Set(codes)].filter(code => !common.test(code));
}

function formatImports(body: string, extras: readonly string[]): string {
  const declared = new Set([...body.matchAll(/^export interface (\w+)/gm)].map(([, name]) => name));
  // Comments name types, too.
  const code = body.replaceAll(/\/\*\*[^]*?\*\//g, '');
  const own = new Set(['Call', 'CallOptions', 'EditOptions', 'Listing', 'Record', 'Readonly', ...extras]);
  const used = [...code.matchAll(/(?<!['"\w.])[A-Z]\w+(?!['"\w])/g)].map(([name]) => name);
  const names = [...new Set(used)].filter(name => !declared.has(name) && !own.has(name)).sort();
  return [
    "import type { Call, CallOptions, EditOptions } from '../call.ts';\n",
    `import type { ${extras.join(', ')} } from '../extras.ts';\n`,
    "import type { Listing } from '../listing.ts';\n",
    `import type {\n${names.map(name => `  ${name},\n`).join('')}} from './types.ts';\n`,
  ].join('');
}

/**
 * The name of a call as a part of its operation's id: without what is between the dots of `list.Console.Members`, or behind the one of
 * `create.Message`. One that is no part of it stands at the end of the row.
 */
function spell(name: string, operationId: string, path: string): string {
  for (let start = name.length; start > 0; start--) {
    const end = name.slice(start);
    // Between words, and not within one.
    if (/^[a-z]/.test(end)) continue;
    if (!operationId.startsWith(name.slice(0, start)) || !operationId.slice(start).endsWith(end)) continue;
    const left = operationId.slice(start, operationId.length - end.length);
    const dotted = left === '' ? operationId : `${name.slice(0, start)}.${left}${end && `.${end}`}`;
    return dotted + path;
  }
  return `${operationId}${path} ${name}`;
}

/** As `expandRows` of operation.ts reads them. */
function shortenRows(resource: string, rows: readonly string[]): string {
  const words = resource.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
  const short = rows.map(row =>
    row
      .replace(/(?<=\/)(\w+)s\/\{\1Id\}/g, '$1s/~')
      .replaceAll(`/${words}`, '=')
      .replaceAll(capitalize(resource).replace(/s$/, ''), '@'),
  );
  const byTail = Map.groupBy(short, row => /\..*/.exec(row)?.[0] ?? '');
  return [...byTail]
    .flatMap(([tail, same]) =>
      tail === '' ? same : same.map(row => row.slice(0, -tail.length)).join('|') + tail,
    )
    .join('\n');
}

/** The table from which the client makes its methods: by resource, a line for each of its calls. */
export function formatOperations(calls: readonly CallDescription[], apiVersion: string): string {
  const resources = Map.groupBy(calls, ({ resource }) => resource);
  const table = [...resources].map(([resource, own]) => {
    const rows = own.map(
      ({ method, operationId, verb, path, letters }) =>
        `${letters}${verb} ${spell(method, operationId, path)}`,
    );
    return `  ${resource}: \`${shortenRows(resource, rows)}\`,\n`;
  });
  const ids = calls.map(({ operationId }) => `\n  | '${operationId}'`);
  return [
    mark,
    '/** By resource, the calls of the client; `parseOperation` in operation.ts says how they are read. */\n',
    `export const operationTable = {\n${table.join('')}};\n\n`,
    `/** The operations of the contract, by their ids. */\nexport type OperationId =${ids.join('')};\n\n`,
    `/** The version of the contract that this client is of. */\nexport const apiVersion = '${apiVersion}';\n`,
  ].join('');
}
