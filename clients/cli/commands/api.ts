/** `skein api <operationId>`: any operation of the contract. Where a field goes, and which credential is sent, is the contract's to say. */
import { readFile } from 'node:fs/promises';
import type { Listing, OperationId, Skein } from '../../sdk/index.ts';
import { defineCommand, option } from '../command.ts';
import type { Context } from '../context.ts';
import { collect } from '../durations.ts';
import { CliError, exitCodes } from '../failures.ts';
import { operations } from '../generated/operations.ts';
import type { OperationDescription } from '../operation-description.ts';
import { readStdin } from '../questions.ts';

interface ApiOptions {
  readonly field?: readonly string[];
  readonly jsonField?: readonly string[];
  readonly input?: string;
  readonly paginate?: boolean;
  readonly include?: boolean;
  readonly idempotencyKey?: string;
  readonly actingUser?: string;
  readonly help?: boolean;
}

const usageHint = '`skein api --help` lists the operations.';

export const api = defineCommand<ApiOptions>({
  usage: 'api [operationId]',
  description: 'any operation of the API by its id; with --help what it takes',
  choices: () => Object.keys(operations),
  hasOwnHelp: true,
  options: [
    option('-f, --field <name=text>', 'a field, as text; several times: a list', { parse: collect }),
    option('-F, --json-field <name=json>', 'a field, as JSON', { parse: collect }),
    option('--input <file>', 'the body, as JSON; - for stdin'),
    option('--paginate', 'all items of a list, one a line'),
    option('-i, --include', 'status and headers before the answer'),
    option('--idempotency-key <key>', 'the request is carried out once'),
    option('--acting-user <id>', 'the user on whose behalf the key acts'),
    option('-h, --help', 'the fields of the operation'),
  ],
  async run(context, [operationId], options) {
    if (operationId === undefined) return listOperations(context, options.help === true);
    const operation = findOperation(operationId);
    if (options.help === true) return describe(context, operationId, operation);
    await ask(context, operationId as OperationId, operation, options);
  },
});

function findOperation(operationId: string): OperationDescription {
  if (Object.hasOwn(operations, operationId)) return operations[operationId as OperationId];
  const word = operationId.toLowerCase();
  const near = Object.keys(operations).filter(name => {
    const lower = name.toLowerCase();
    return lower.includes(word) || word.includes(lower);
  });
  const hint = near.length === 0 ? usageHint : `Do you mean ${near.slice(0, 5).join(', ')}?`;
  throw new CliError(`There is no operation ${operationId}.`, exitCodes.usage, hint);
}

function listOperations({ output }: Context, wasAsked: boolean): void {
  if (!wasAsked) throw new CliError('Which operation?', exitCodes.usage, usageHint);
  output.line(
    'Usage: skein api <operationId> [-f name=text] [-F name=json] [--input file] [--paginate] [-i]\n',
  );
  for (const [id, { summary }] of Object.entries(operations)) output.line(`  ${id.padEnd(24)}${summary}`);
  output.line('\nThe fields of one: skein api <operationId> --help');
}

const accessNames = { key: 'API key or sign-in', signIn: 'sign-in', anyone: 'no credential' };

function describe({ output }: Context, operationId: string, operation: OperationDescription): void {
  const { method, path, summary, access, scopes, fields } = operation;
  output.line(`${operationId}: ${summary}\n${method} ${path}`);
  output.line(`Credential: ${accessNames[access]}${scopes.length === 0 ? '' : ` (${scopes.join(', ')})`}\n`);
  const width = Math.max(0, ...fields.map(({ name }) => name.length)) + 2;
  for (const { name, place, isRequired, type, description } of fields) {
    const isFilledIn = name === 'projectId' || name === 'environmentId';
    const note = isFilledIn ? 'filled in' : isRequired ? 'required' : 'optional';
    output.line(`  ${name.padEnd(width)}${place}, ${note}, ${type}`);
    if (description !== '') output.line(`  ${' '.repeat(width)}${description}`);
  }
}

async function ask(
  context: Context,
  operationId: OperationId,
  operation: OperationDescription,
  options: ApiOptions,
): Promise<void> {
  if (options.paginate === true) checkPaginate(operationId, operation, options);
  const skein = await connect(context, operation);
  const input = await createInput(operation, options);
  const { idempotencyKey, actingUser } = options;
  const call = skein.request(operationId, input, { idempotencyKey, actingUser });
  if (options.paginate === true) {
    for await (const item of call as Listing<unknown>) context.output.json(item);
    return;
  }
  const { data, response } = await call.withResponse();
  if (options.include === true) printHead(context, response);
  if (typeof data === 'string') context.output.line(data);
  else if (data !== undefined) context.output.json(data, !context.output.isJson);
}

/** @throws {CliError} nothing can be paged here, or shown with each page */
function checkPaginate(operationId: string, { isList }: OperationDescription, { include }: ApiOptions): void {
  if (!isList) throw new CliError(`${operationId} is no list.`, exitCodes.usage);
  if (include === true)
    throw new CliError('--paginate makes several requests: it does not go with -i.', exitCodes.usage);
}

async function connect(context: Context, { access }: OperationDescription): Promise<Skein> {
  if (access === 'key') return context.connect();
  if (access === 'signIn') return context.connectSignedIn();
  const { baseUrl } = await context.getCredential();
  return context.connectAnonymously(baseUrl);
}

interface Input {
  readonly params: Record<string, string>;
  readonly query: Record<string, unknown>;
  readonly body: unknown;
}

/** What the contract does not know goes with the body, or the query where there is none: the server may be newer. */
async function createInput(operation: OperationDescription, options: ApiOptions): Promise<Input> {
  const params: Record<string, string> = {};
  const query: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  const hasBody = operation.fields.some(({ place }) => place === 'body');
  for (const [name, value] of readFields(options)) {
    const place = operation.fields.find(field => field.name === name)?.place ?? (hasBody ? 'body' : 'query');
    if (place === 'path') params[name] = String(value);
    else addValue(place === 'query' ? query : body, name, value);
  }
  const missing = operation.fields.filter(
    ({ name, place, isRequired }) =>
      place === 'path' && isRequired && name !== 'projectId' && params[name] === undefined,
  );
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name);
    throw new CliError(`${names.join(', ')} is missing.`, exitCodes.usage, `Say -f ${names[0]}=...`);
  }
  const given = options.input === undefined ? undefined : await readInput(options.input);
  return { params, query, body: given === undefined ? (hasBody ? body : undefined) : mergeBody(given, body) };
}

/** A field that is given several times is a list. */
function addValue(fields: Record<string, unknown>, name: string, value: unknown): void {
  fields[name] = Object.hasOwn(fields, name) ? [fields[name], value].flat() : value;
}

function mergeBody(given: unknown, fields: object): unknown {
  if (Object.keys(fields).length === 0) return given;
  return { ...(given as object), ...fields };
}

function readFields({ field = [], jsonField = [] }: ApiOptions): (readonly [string, unknown])[] {
  return [
    ...field.map(text => splitField(text)),
    ...jsonField.map(text => {
      const [name, value] = splitField(text);
      return [name, parseJson(value, `-F ${name}`)] as const;
    }),
  ];
}

function splitField(text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new CliError(`${text}: write a field as name=value.`, exitCodes.usage);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

async function readInput(path: string): Promise<unknown> {
  try {
    return parseJson(path === '-' ? await readStdin() : await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${path} cannot be read: ${(error as Error).message}`, exitCodes.usage);
  }
}

function parseJson(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError(`${from} is not JSON: ${(error as Error).message}`, exitCodes.usage);
  }
}

function printHead({ output }: Context, { status, statusText, headers }: Response): void {
  output.line(`HTTP ${status} ${statusText}`.trim());
  for (const [name, value] of headers) {
    // A session is in it.
    output.line(`${name}: ${name === 'set-cookie' ? '(left out)' : value}`);
  }
  output.line('');
}
