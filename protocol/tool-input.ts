/**
 * What a tool's `inputSchema` may be: JSON Schema 2020-12 of type object, small, complete in itself. It is shown to models as it is,
 * and what they write is held against it before the tool is called.
 */
import type { Issue } from './errors.ts';
import { pointerStep } from './text.ts';

/** Bytes of its JSON, and schemas within schemas. */
const largest = 32_768;
const deepest = 16;

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
  'must be a whole number from 0 on',
);
const texts = is(
  value => Array.isArray(value) && value.every(isText) && new Set(value).size === value.length,
  'must be a list of texts, each of them once',
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

/** Keywords whose values are no schemas. Others than these and those below say nothing, as JSON Schema wants it. */
const plain: Readonly<Record<string, Check>> = {
  type: is(
    value => (Array.isArray(value) ? value : [value]).every(each => types.includes(each as string)),
    `must be one of ${types.join(', ')}, or a list of them`,
  ),
  enum: is(value => Array.isArray(value) && value.length > 0, 'must be a list with something in it'),
  required: texts,
  dependentRequired: is(
    value => isObject(value) && Object.values(value).every(each => texts(each) === undefined),
    'must hold lists of texts',
  ),
  pattern: regex,
  ...{ title: text, description: text, format: text, $comment: text, examples: list },
  ...{ minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number },
  multipleOf: is(value => Number.isFinite(value) && Number(value) > 0, 'must be a number above 0'),
  ...{ minLength: count, maxLength: count, minItems: count, maxItems: count, minContains: count },
  ...{ maxContains: count, minProperties: count, maxProperties: count },
  ...{ uniqueItems: flag, readOnly: flag, writeOnly: flag, deprecated: flag },
};

/** A schema, a list of schemas, schemas by name. */
const one = [
  ...['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
];
const several = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const named = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];
/** They name schemas, or lead to them, in other ways than by their place in this one. */
const refused = ['$dynamicRef', '$recursiveRef', '$id', '$anchor', '$dynamicAnchor', '$vocabulary'];

/** Whether the reference leads to something in the schema itself (RFC 6901, section 6). */
function leads(schema: unknown, reference: unknown): boolean {
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

/** What is wrong with the schema; `root` begins every path. */
export function inputSchemaIssues(schema: Readonly<Record<string, unknown>>, root: string): Issue[] {
  if (Buffer.byteLength(JSON.stringify(schema)) > largest) {
    return [{ path: root, message: `must have at most ${largest} bytes`, code: 'size' }];
  }
  const issues: Issue[] = [];
  if (schema['type'] !== 'object') {
    issues.push({ path: `${root}/type`, message: 'must be object: a model passes fields', code: 'schema' });
  }
  look(schema, { schema, issues }, root, 1);
  return issues;
}

interface Whole {
  readonly schema: unknown;
  readonly issues: Issue[];
}

function look(schema: unknown, whole: Whole, path: string, depth: number): void {
  const { issues } = whole;
  const add = (where: string, message: string): void =>
    void issues.push({ path: where, message, code: 'schema' });
  if (issues.length >= 20 || typeof schema === 'boolean') return;
  if (!isObject(schema)) return add(path, 'must be a schema: an object, true or false');
  if (depth > deepest) return add(path, `must be at most ${deepest} schemas deep`);
  for (const [keyword, value] of Object.entries(schema)) {
    const here = `${path}/${pointerStep(keyword)}`;
    const fault = Object.hasOwn(plain, keyword) ? plain[keyword]?.(value) : undefined;
    if (fault !== undefined) add(here, fault);
    if (refused.includes(keyword)) add(here, 'is not supported: refer by $ref to a place in this schema');
    else if (keyword === '$ref' && !leads(whole.schema, value))
      add(here, 'must lead to a place in this schema: #/...');
    else if (one.includes(keyword)) look(value, whole, here, depth + 1);
    else if (several.includes(keyword)) {
      if (!Array.isArray(value) || value.length === 0) add(here, 'must be a list of schemas');
      else value.forEach((each, n) => look(each, whole, `${here}/${n}`, depth + 1));
    } else if (named.includes(keyword)) {
      if (!isObject(value)) add(here, 'must be an object of schemas');
      else
        for (const [name, each] of Object.entries(value)) {
          const member = `${here}/${pointerStep(name)}`;
          const broken = keyword === 'patternProperties' ? regex(name) : undefined;
          if (broken !== undefined) add(member, broken);
          look(each, whole, member, depth + 1);
        }
    }
  }
}
