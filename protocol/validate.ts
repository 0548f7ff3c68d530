/**
 * Schema validation. TypeBox compiles the schema to code; three things are ours, since it means something else by them:
 *
 * - lengths of strings are code points (JSON Schema, RFC 8259), where TypeBox 1.4 counts grapheme clusters, so that one
 *   "character" of its may be a megabyte of combining marks;
 * - formats are those of `text.ts`, and an unknown one is an error at compilation, where TypeBox lets every text pass;
 * - every string of the value has to be storable text (see {@link unstorable}), also inside free-form objects and keys.
 */
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Settings } from 'typebox/system';
import type { Issue } from './errors.ts';
import { fitsMaxLength, fitsMinLength, formats, maxIssues, pointerStep, unstorable } from './text.ts';

// TypeBox stops after eight errors by default, which would hide issues from the caller.
Settings.Set({ maxErrors: maxIssues });

/** Checks a value; undefined means that it fits. `root` begins every path: `/body`, `/query`, `/path`. */
export type Validate = (value: unknown, root: string) => Issue[] | undefined;

const compiled = new WeakMap<TSchema, Validate>();

/** The validator of a schema: compiled on first use, and once. */
export function compile(schema: TSchema): Validate {
  let validate = compiled.get(schema);
  if (validate === undefined) {
    validate = build(schema);
    compiled.set(schema, validate);
  }
  return validate;
}

/** Narrows a value that the schema's validator has passed. */
export function fits<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return compile(schema)(value, '') === undefined;
}

interface Refinement {
  readonly check: (value: unknown) => boolean;
  /** `<code>: <message>`. */
  readonly error: () => string;
}

function refinement(code: string, message: string, holds: (text: string) => boolean): Refinement {
  const error = `${code}: ${message}`;
  return { check: value => typeof value !== 'string' || holds(value), error: () => error };
}

type Json = Record<string, unknown>;

/** A copy of the schema in which lengths and formats of strings are refinements of ours. */
function refined(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(refined);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy: Json = {};
  for (const [key, value] of Object.entries(schema)) copy[key] = key === 'default' ? value : refined(value);
  if (!isTextSchema(copy)) return copy;
  const { minLength, maxLength, format, ...rest } = copy;
  const refinements: Refinement[] = [];
  if (typeof minLength === 'number') {
    const message = `must have at least ${minLength} characters`;
    refinements.push(refinement('minLength', message, text => fitsMinLength(text, minLength)));
  }
  if (typeof maxLength === 'number') {
    const message = `must have at most ${maxLength} characters`;
    refinements.push(refinement('maxLength', message, text => fitsMaxLength(text, maxLength)));
  }
  if (typeof format === 'string') {
    const holds = formats[format];
    if (holds === undefined) throw new Error(`unknown format ${format} in a schema`);
    refinements.push(refinement('format', `must be a valid ${format}`, holds));
  }
  return refinements.length === 0 ? rest : { ...rest, '~refine': refinements };
}

function isTextSchema(schema: Json): boolean {
  return schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'));
}

function build(schema: TSchema): Validate {
  const validator = Compile(refined(schema) as TSchema);
  return (value, root) => {
    if (!validator.Check(value)) return issuesOf(validator.Errors(value), root);
    return unstorable(value, root);
  };
}

type SchemaError = ReturnType<ReturnType<typeof Compile>['Errors']>[number];

/**
 * TypeBox's errors as issues: a missing or unknown field is named by its own path, and what only repeats another error
 * is left out.
 */
function issuesOf(errors: readonly SchemaError[], root: string): Issue[] {
  const issues = new Map<string, Issue>();
  const add = (path: string, code: string, message: string): void => {
    const key = `${path} ${code}`;
    if (issues.size < maxIssues && !issues.has(key)) issues.set(key, { path, message, code });
  };
  for (const error of errors) {
    const path = root + error.instancePath;
    switch (error.keyword) {
      case 'boolean':
        // `additionalProperties: false` is the only schema of ours that is plain false.
        add(path, 'additionalProperties', 'is not a known field');
        break;
      case 'additionalProperties':
        // Sums up what was reported for each field.
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
      default:
        add(path, error.keyword, error.message);
    }
  }
  return [...issues.values()];
}

/** Query parameters as they came: a name that was repeated has several values. */
export type RawQuery = Iterable<readonly [name: string, value: string]>;

const integer = /^-?(?:0|[1-9]\d*)$/;
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Turns the texts of a query into what its schema speaks of: `limit=10` is a number, `limit=` stays the empty text (and
 * is then refused), a list takes one or several values. Names that the schema does not know are left out; absent ones
 * get their default. What cannot be turned stays text, for the validator to name.
 */
export function coerce(schema: TSchema, raw: RawQuery): Json {
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
      // Said twice: no single value could be trusted to be the one that was meant.
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
