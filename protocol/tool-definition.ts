/**
 * What a customer may define for a tool: its headers and its `inputSchema`.
 *
 * A header must not split a request, change its framing or its addressee, or look like one of ours (RFC 9110, sections 5.1, 5.5 and
 * 7.6.1). An input schema is JSON Schema 2020-12 of type object, small and complete in itself: models see it as it is, and what they
 * pass is validated against it before the tool is called.
 */
import type { Issue } from './errors.ts';
import { pointerStep } from './validate.ts';

/** Bytes of the arguments as JSON, from a model and in a test. */
export const largestArguments = 65_536;

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/;
/** Visible ASCII, with spaces and tabs in between. */
const headerValue = /^[!-~](?:[\t -~]*[!-~])?$/;

/** They concern one connection or the framing, or the service sets them. */
const reservedHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'host',
  'expect',
  'content-length',
  'content-type',
  'content-encoding',
  'accept-encoding',
  'idempotency-key',
  'x-request-id',
]);
/** Our own headers, and those of Standard Webhooks. */
const reservedPrefixes = ['service-', 'webhook-'];

/** The issues of a set of headers; `root` begins every path. Values are secrets and not repeated. */
export function findHeaderIssues(headers: Readonly<Record<string, string>>, root: string): Issue[] {
  const issues: Issue[] = [];
  const seen = new Set<string>();
  for (const [name, text] of Object.entries(headers)) {
    const add = (message: string, code: string): void =>
      void issues.push({ path: `${root}/${pointerStep(name)}`, message, code });
    const lower = name.toLowerCase();
    if (!headerName.test(name)) add('is not a valid header name', 'header');
    else if (reservedHeaders.has(lower) || reservedPrefixes.some(prefix => lower.startsWith(prefix)))
      add('is reserved', 'reserved');
    else if (seen.has(lower)) add('occurs twice', 'unique');
    else if (!headerValue.test(text))
      add('must consist of visible ASCII characters, with spaces only in between', 'header');
    seen.add(lower);
  }
  return issues;
}

/** Bytes of an input schema as JSON, and the depth of schemas within schemas. */
const maxSchemaBytes = 32_768;
const maxSchemaDepth = 16;
const maxSchemaIssues = 20;

const types = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

type Check = (value: unknown) => string | undefined;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const is =
  (holds: (value: unknown) => boolean, message: string): Check =>
  value =>
    holds(value) ? undefined : message;

const text = is(isText, 'must be text');
const flag = is(value => typeof value === 'boolean', 'must be true or false');
const number = is(Number.isFinite, 'must be a number');
const count = is(
  value => Number.isSafeInteger(value) && Number(value) >= 0,
  'must be a whole number, 0 or greater',
);
const texts = is(
  value => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length,
  'must be a list of different texts',
);
const list = is(Array.isArray, 'must be a list');
const regex: Check = value => {
  if (!isText(value)) return 'must be text';
  try {
    new RegExp(value, 'u');
    return undefined;
  } catch {
    return 'must be a regular expression';
  }
};

/** Keywords whose values are not schemas. Keywords that are not in these lists have no effect, as JSON Schema has it. */
const plainKeywords: Readonly<Record<string, Check>> = {
  type: is(
    value => (Array.isArray(value) ? value : [value]).every(each => types.includes(each as string)),
    `must be one of ${types.join(', ')}, or a list of them`,
  ),
  enum: is(value => Array.isArray(value) && value.length > 0, 'must be a list that is not empty'),
  required: texts,
  dependentRequired: is(
    value => isObject(value) && Object.values(value).every(each => texts(each) === undefined),
    'must hold lists of texts',
  ),
  pattern: regex,
  title: text,
  description: text,
  format: text,
  $comment: text,
  examples: list,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: is(value => Number.isFinite(value) && Number(value) > 0, 'must be a number above 0'),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minContains: count,
  maxContains: count,
  minProperties: count,
  maxProperties: count,
  uniqueItems: flag,
  readOnly: flag,
  writeOnly: flag,
  deprecated: flag,
};

/** Keywords whose values are a schema, a list of schemas, or schemas by name. */
const schemaKeywords = [
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
];
const schemaListKeywords = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const schemaMapKeywords = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];
/** They identify schemas by anything but a pointer into this schema. */
const unsupportedKeywords = [
  '$dynamicRef',
  '$recursiveRef',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$vocabulary',
];

/** Whether the reference points into the schema itself (RFC 6901, section 6). */
function resolvesWithin(schema: unknown, reference: unknown): boolean {
  if (reference === '#') return true;
  if (!isText(reference) || !reference.startsWith('#/')) return false;
  let at: unknown = schema;
  for (const step of reference.slice(2).split('/')) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, name)) return false;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return true;
}

/** The issues of an input schema; `root` begins every path. */
export function findInputSchemaIssues(schema: Readonly<Record<string, unknown>>, root: string): Issue[] {
  if (Buffer.byteLength(JSON.stringify(schema)) > maxSchemaBytes) {
    return [{ path: root, message: `must have at most ${maxSchemaBytes} bytes`, code: 'size' }];
  }
  const issues: Issue[] = [];
  if (schema['type'] !== 'object') {
    issues.push({ path: `${root}/type`, message: 'must be object: a model passes fields', code: 'schema' });
  }
  checkSchema(schema, { schema, issues }, root, 1);
  return issues;
}

interface SchemaCheck {
  readonly schema: unknown;
  readonly issues: Issue[];
}

function checkSchema(schema: unknown, check: SchemaCheck, path: string, depth: number): void {
  const { issues } = check;
  const add = (where: string, message: string): void =>
    void issues.push({ path: where, message, code: 'schema' });
  if (issues.length >= maxSchemaIssues || typeof schema === 'boolean') return;
  if (!isObject(schema)) return add(path, 'must be a schema: an object, true or false');
  if (depth > maxSchemaDepth) return add(path, `must be at most ${maxSchemaDepth} schemas deep`);
  for (const [keyword, value] of Object.entries(schema)) {
    const here = `${path}/${pointerStep(keyword)}`;
    const fault = Object.hasOwn(plainKeywords, keyword) ? plainKeywords[keyword]?.(value) : undefined;
    if (fault !== undefined) add(here, fault);
    if (unsupportedKeywords.includes(keyword))
      add(here, 'is not supported: use $ref to point to a place in this schema');
    else if (keyword === '$ref' && !resolvesWithin(check.schema, value))
      add(here, 'must point to a place in this schema: #/...');
    else if (schemaKeywords.includes(keyword)) checkSchema(value, check, here, depth + 1);
    else if (schemaListKeywords.includes(keyword)) {
      if (!Array.isArray(value) || value.length === 0) add(here, 'must be a list of schemas');
      else value.forEach((each, n) => checkSchema(each, check, `${here}/${n}`, depth + 1));
    } else if (schemaMapKeywords.includes(keyword)) {
      if (!isObject(value)) add(here, 'must be an object of schemas');
      else
        for (const [name, each] of Object.entries(value)) {
          const member = `${here}/${pointerStep(name)}`;
          const broken = keyword === 'patternProperties' ? regex(name) : undefined;
          if (broken !== undefined) add(member, broken);
          checkSchema(each, check, member, depth + 1);
        }
    }
  }
}
