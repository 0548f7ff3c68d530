/**
 * Schema validation. TypeBox compiles the schema to code, except for three things that it does differently:
 *
 * - Lengths of strings count code points (JSON Schema, RFC 8259). TypeBox 1.4 counts grapheme clusters, so one "character" could be a
 *   megabyte of combining marks.
 * - Formats are those of formats.ts, and an unknown one is an error at compilation. TypeBox lets every text pass.
 * - Every string of the value has to be storable text (see {@link findUnstorable}), also inside free-form objects and in keys.
 */
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import type { Issue } from './errors.ts';
import { formats } from './formats.ts';

/** Whether PostgreSQL can store the text unchanged: it has no U+0000 and no lone surrogate. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The number of code points, which is the length of a string in JSON Schema. */
export function codePoints(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        pairs++;
        i++;
      }
    }
  }
  return text.length - pairs;
}

/** At most `max` code points; counts only where the UTF-16 length leaves it open. */
export function fitsMaxLength(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && codePoints(text) <= max);
}

/** At least `min` code points; counts only where the UTF-16 length leaves it open. */
export function fitsMinLength(text: string, min: number): boolean {
  return text.length >= 2 * min || (text.length >= min && codePoints(text) >= min);
}

/** At most `max` bytes as JSON text in UTF-8. */
export function fitsMaxBytes(value: unknown, max: number): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(value) ?? '') <= max;
  } catch (error) {
    // A value that nests deeper than the stack allows.
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** How many issues one answer lists at most: a large body full of mistakes must not become a large answer. */
export const maxIssues = 100;

/** How deep a JSON value may nest: far deeper than needed, and far below what overflows a stack or PostgreSQL's parser. */
export const maxDepth = 64;

/** A key as one step of a JSON pointer (RFC 6901). */
export function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

// By default TypeBox stops after eight errors, which would hide issues from the caller.
Settings.Set({ maxErrors: maxIssues });

/** Checks a value; undefined when it matches. `root` begins every path: `/body`, `/query`, `/path`. */
export type Validate = (value: unknown, root: string) => Issue[] | undefined;

const compiled = new WeakMap<TSchema, Validate>();

/** The validator of a schema, compiled once, on first use. */
export function compile(schema: TSchema): Validate {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = build(schema);
    compiled.set(schema, validate);
  }
  return validate;
}

/** Whether the value matches the schema; narrows its type. */
export function matchesSchema<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return compile(schema)(value, '') === undefined;
}

interface Refinement {
  readonly check: (value: unknown) => boolean;
  /** `<code>: <message>`. */
  readonly error: () => string;
}

function createRefinement(code: string, message: string, holds: (text: string) => boolean): Refinement {
  const error = `${code}: ${message}`;
  return { check: value => typeof value !== 'string' || holds(value), error: () => error };
}

type Json = Record<string, unknown>;

const countCharacters = (count: number): string => (count === 1 ? '1 character' : `${count} characters`);

/** A union whose members are told apart by a field (protocol/resources/content.ts). */
interface TaggedUnion {
  readonly oneOf: readonly { readonly properties: Readonly<Record<string, Json>> }[];
  readonly discriminator: { readonly propertyName: string };
}

/** The same union as conditions: by the member that a value names, TypeBox can say what is wrong with it (`findMemberIssues`). */
function toConditions({ oneOf, discriminator }: TaggedUnion): Json {
  const tag = discriminator.propertyName;
  const names = oneOf.map(({ properties }) => properties[tag]?.const);
  return {
    type: 'object',
    required: [tag],
    properties: { [tag]: { enum: names } },
    allOf: oneOf.map((member, index) => ({
      if: { type: 'object', required: [tag], properties: { [tag]: { const: names[index] } } },
      then: member,
    })),
  };
}

/** A copy of the schema in which our own refinements check the lengths and formats of strings. */
function refine(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(refine);
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('discriminator' in schema) return refine(toConditions(schema as unknown as TaggedUnion));
  const copy: Json = {};
  for (const [key, value] of Object.entries(schema)) copy[key] = key === 'default' ? value : refine(value);
  const { 'x-max-bytes': maxBytes } = copy;
  if (typeof maxBytes === 'number') {
    const error = `size: must have at most ${maxBytes} bytes as JSON`;
    copy['~refine'] = [{ check: (value: unknown) => fitsMaxBytes(value, maxBytes), error: () => error }];
  }
  if (!isTextSchema(copy)) return copy;
  const { minLength, maxLength, format, ...rest } = copy;
  const refinements: Refinement[] = [];
  if (typeof minLength === 'number') {
    const message = `must be ${countCharacters(minLength)} or longer`;
    refinements.push(createRefinement('minLength', message, text => fitsMinLength(text, minLength)));
  }
  if (typeof maxLength === 'number') {
    const message = `must be ${countCharacters(maxLength)} or shorter`;
    refinements.push(createRefinement('maxLength', message, text => fitsMaxLength(text, maxLength)));
  }
  if (typeof format === 'string') {
    const holds = formats[format];
    if (holds === undefined) throw new Error(`unknown format ${format} in a schema`);
    refinements.push(createRefinement('format', `must be a valid ${format}`, holds));
  }
  return refinements.length === 0 ? rest : { ...rest, '~refine': refinements };
}

function isTextSchema(schema: Json): boolean {
  return schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'));
}

function build(schema: TSchema): Validate {
  const refined = refine(schema) as TSchema;
  const validator = Compile(refined);
  const names = new Set<string>();
  const maxItems = collectBounds(schema, names, maxIssues);
  return (value, root) => {
    if (validator.Check(value)) return findUnstorable(value, root);
    const short = shorten(value, names, maxItems);
    const issues = toIssues(refined, short, validator.Errors(short), root);
    // The shortened copy may lack the invalid part.
    return issues.length > 0 ? issues : toIssues(refined, value, validator.Errors(value), root);
  };
}

/** Adds the names of all properties in the schema; returns the largest number of items that one of its lists may have. */
function collectBounds(schema: unknown, names: Set<string>, maxItems: number): number {
  if (typeof schema !== 'object' || schema === null) return maxItems;
  let max = maxItems;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'maxItems' && typeof value === 'number') max = Math.max(max, value);
    if (key === 'properties') for (const name of Object.keys(value as object)) names.add(name);
    max = collectBounds(value, names, max);
  }
  return max;
}

/**
 * A copy in which objects have no more fields beyond the known ones than there are issues to report, and lists no more items than
 * show that they are too long. TypeBox looks for its errors in all of a value before it keeps the first hundred: 90,000 unknown fields
 * took half a second of the event loop.
 */
function shorten(value: unknown, names: ReadonlySet<string>, maxItems: number, depth = 0): unknown {
  if (depth === maxDepth) return value;
  if (Array.isArray(value))
    return value.slice(0, maxItems + 1).map(item => shorten(item, names, maxItems, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const copy: Json = {};
  let unknown = 0;
  for (const key in value) {
    if (!names.has(key) && ++unknown > maxIssues) continue;
    copy[key] = shorten((value as Json)[key], names, maxItems, depth + 1);
  }
  return copy;
}

type SchemaError = ReturnType<ReturnType<typeof Compile>['Errors']>[number];

/** What a JSON pointer of TypeBox (RFC 6901) leads to. */
function resolvePointer(document: unknown, pointer: string): unknown {
  const steps = pointer.replace(/^#/, '').split('/').slice(1);
  return steps.reduce<unknown>((at, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return (at as Readonly<Record<string, unknown>> | undefined)?.[name];
  }, document);
}

/** What is wrong with a value by the member of a union that it names: TypeBox says no more than that it does not match. */
function findMemberIssues(schema: TSchema, value: unknown, error: SchemaError, path: string): Issue[] {
  const { then: member } = resolvePointer(schema, error.schemaPath) as { readonly then: TSchema };
  const part = resolvePointer(value, error.instancePath);
  return toIssues(member, part, Compile(member).Errors(part), path);
}

/**
 * TypeBox's errors as issues: a missing or unknown field has a path of its own, and an error that only repeats another is left out.
 *
 * @param schema the schema that the errors are about, with our refinements
 */
function toIssues(schema: TSchema, value: unknown, errors: readonly SchemaError[], root: string): Issue[] {
  const issues = new Map<string, Issue>();
  const add = (path: string, code: string, message: string): void => {
    const key = `${path} ${code}`;
    if (issues.size < maxIssues && !issues.has(key)) issues.set(key, { path, message, code });
  };
  for (const error of errors) {
    const path = root + error.instancePath;
    switch (error.keyword) {
      case 'boolean':
        // The only `false` among our schemas is that of `additionalProperties`.
        add(path, 'additionalProperties', describeKnownFields(schema, error));
        break;
      case 'additionalProperties':
        // Only sums up the errors of the single fields.
        break;
      case 'if':
        for (const issue of findMemberIssues(schema, value, error, path)) {
          add(issue.path, issue.code, issue.message);
        }
        break;
      case 'required':
        for (const name of error.params.requiredProperties) {
          add(`${path}/${pointerStep(name)}`, 'required', 'is required');
        }
        break;
      case '~refine': {
        const [code = 'format', message = error.message] = error.params.message.split(': ');
        add(path, code, message);
        break;
      }
      case 'enum':
        add(path, error.keyword, `must be one of ${error.params.allowedValues.map(String).join(', ')}`);
        break;
      case 'const':
        add(path, error.keyword, `must be ${String(error.params.allowedValue)}`);
        break;
      case 'pattern':
        add(path, error.keyword, describePattern(error.params.pattern, error.message));
        break;
      default:
        add(path, error.keyword, error.message);
    }
  }
  return [...issues.values()];
}

/** What may stand in the place of a field that nobody knows. */
function describeKnownFields(schema: TSchema, { schemaPath }: SchemaError): string {
  const parent = resolvePointer(schema, schemaPath.slice(0, schemaPath.lastIndexOf('/'))) as Json | undefined;
  const names = Object.keys((parent?.properties ?? {}) as Json);
  return names.length === 0 ? 'is not a known field' : `is not a known field: there are ${names.join(', ')}`;
}

/** An id is known by its prefix, which says more than the pattern does. */
function describePattern(pattern: string | RegExp, message: string): string {
  const [, prefix] = /^\^([a-z]+)_\[A-Za-z0-9_-\]/.exec(String(pattern)) ?? [];
  return prefix === undefined ? message : `must be an id that begins with ${prefix}_`;
}

/**
 * Reports what of a JSON value cannot be stored: text, also in keys and free-form objects, that is not storable; numbers beyond the
 * range of a double, which JSON.parse turns into infinity and JSON.stringify into null; nesting beyond {@link maxDepth}. Undefined
 * when all of it can be stored. `path` is the JSON pointer of the value.
 */
export function findUnstorable(value: unknown, path = ''): Issue[] | undefined {
  if (isStorable(value, 0)) return undefined;
  const issues: Issue[] = [];
  visit(value, path, 0, issues);
  return issues;
}

/** The same check without paths: every request needs it, and hardly any needs the paths. */
function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === maxDepth) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isStorable(value[i], depth + 1)) return false;
    return true;
  }
  for (const key in value) {
    if (!isStorableText(key) || !isStorable((value as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
}

const badText = 'must not contain U+0000 or lone surrogates';

function visit(value: unknown, path: string, depth: number, issues: Issue[]): void {
  if (issues.length === maxIssues) return;
  if (typeof value === 'string') {
    if (!isStorableText(value)) issues.push({ path, message: badText, code: 'text' });
    return;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) issues.push({ path, message: 'must be a finite number', code: 'number' });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === maxDepth) {
    issues.push({ path, message: `must not nest deeper than ${maxDepth} levels`, code: 'depth' });
    return;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) visit(value[i], `${path}/${i}`, depth + 1, issues);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    // The key itself is not repeated: the answer has to be storable text, too.
    if (!isStorableText(key)) issues.push({ path, message: `names ${badText}`, code: 'text' });
    else visit(member, `${path}/${pointerStep(key)}`, depth + 1, issues);
  }
}

/** Query parameters as received: a name may occur several times. */
export type RawQuery = Iterable<readonly [name: string, value: string]>;

const integer = /^-?(?:0|[1-9]\d*)$/;
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Converts the texts of a query to the types of its schema: `limit=10` becomes a number, `limit=` stays the empty text (and is then
 * refused), a list takes one or more values. Unknown names are left out; absent ones get their default. What cannot be converted stays
 * text, which the validator then reports.
 */
export function coerceQuery(schema: TSchema, raw: RawQuery): Json {
  const properties = (schema as { readonly properties?: Readonly<Record<string, Json>> }).properties ?? {};
  const result: Json = {};
  for (const [name, value] of raw) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property === undefined) continue;
    if (property.type === 'array') {
      const item = coerceText((property.items ?? {}) as Json, value);
      const list = result[name];
      if (Array.isArray(list)) list.push(item);
      else result[name] = [item];
    } else if (Object.hasOwn(result, name)) {
      // It occurs twice, and nothing says which value was meant.
      result[name] = null;
    } else {
      result[name] = coerceText(property, value);
    }
  }
  for (const [name, property] of Object.entries(properties)) {
    if (!Object.hasOwn(result, name) && property.default !== undefined) result[name] = property.default;
  }
  return result;
}

function coerceText(schema: Json, value: string): unknown {
  switch (schema.type) {
    case 'integer':
      return integer.test(value) && Number.isSafeInteger(Number(value)) ? Number(value) : value;
    case 'number':
      return decimal.test(value) ? Number(value) : value;
    case 'boolean':
      return value === 'true' ? true : value === 'false' ? false : value;
    default:
      return value;
  }
}
