/** The shared parts of the document, which operations refer to: schemas and error answers. */
import type { TSchema } from 'typebox';
import { errors, type ErrorCode } from '../errors.ts';
import { ErrorResponse } from '../resources/index.ts';
import { exampleId, type Json, type JsonObject } from './examples.ts';
import { findDescription } from './field-descriptions.ts';
import { answerHeaders, referHeaders } from './headers.ts';

type JsonFields = { readonly [key: string]: Json };

/** Collects titled schemas and error answers, and replaces them by references. */
export class Components {
  readonly schemas: JsonObject = {};
  readonly responses: JsonObject = {};
  /** The JSON of each titled schema; undefined of those that were put in by {@link define}. */
  readonly #sources = new Map<string, string | undefined>();

  /**
   * The schema as the document contains it: with references instead of titled schemas, at any depth.
   *
   * @param place what its own fields are described by (field-descriptions.ts)
   */
  refer(schema: TSchema, place = ''): Json {
    return this.#convert(JSON.parse(JSON.stringify(schema)) as Json, place);
  }

  /** Puts in a schema that the document alone has, or that it has in place of the one of that title. */
  define(title: string, schema: JsonObject): JsonObject {
    this.schemas[title] = schema;
    this.#sources.set(title, undefined);
    return referSchema(title);
  }

  /** An error answer with any of the codes. */
  describeFailure(status: number, codes: readonly ErrorCode[]): JsonObject {
    const name = [status, ...codes.map(shorten)].join('-');
    const more = [
      ...(status === 401 ? ['WWW-Authenticate'] : []),
      ...(status === 429 || status === 503 || codes.includes('svc/runtime/idempotency_conflict')
        ? ['Retry-After']
        : []),
    ];
    this.responses[name] ??= {
      description: codes.map(code => `\`${code}\`: ${errors[code].message}`).join('\n\n'),
      headers: referHeaders([...answerHeaders, ...more]),
      content: {
        'application/json': {
          schema: this.refer(ErrorResponse),
          examples: Object.fromEntries(
            codes.map(code => [shorten(code), { value: createErrorExample(code, status) }]),
          ),
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  #convert(schema: Json, place: string): Json {
    if (Array.isArray(schema)) return (schema as readonly Json[]).map(item => this.#convert(item, place));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title, ...rest } = schema as JsonFields;
    if (typeof title !== 'string') return this.#convertMembers(schema as JsonFields, place);
    const source = JSON.stringify(rest);
    if (!this.#sources.has(title)) {
      this.#sources.set(title, source);
      this.schemas[title] = this.#convertMembers(rest, title);
    }
    const known = this.#sources.get(title);
    if (known !== undefined && known !== source) throw new Error(`two schemas are titled ${title}`);
    return referSchema(title);
  }

  #convertMembers(schema: JsonFields, place: string): JsonObject {
    const { properties } = schema;
    const isRequest = schema['additionalProperties'] === false;
    const shown: JsonObject = isFreeForm(schema) ? { additionalProperties: true } : {};
    for (const [key, value] of Object.entries(schema)) {
      if (key !== 'properties') shown[key] = this.#convert(value, place);
    }
    if (!isObject(properties)) return shown;
    const fields = Object.entries(properties).map(([name, field]) => {
      const converted = this.#convert(field, `${place}.${name}`) as JsonObject;
      return [name, describeField(isRequest ? markDefault(converted) : converted, place, name)];
    });
    return { ...shown, properties: Object.fromEntries(fields) as JsonObject };
  }
}

const isObject = (value: Json | undefined): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object of any content, which some generators of clients would take for an empty one. */
const isFreeForm = (schema: JsonFields): boolean =>
  schema['type'] === 'object' && !('properties' in schema) && !('additionalProperties' in schema);

/**
 * Generators of clients make a field with a `default` required, as it is in an answer. In a request it is the field that may be left out: so
 * there the default is said in words.
 */
function markDefault({ default: value, ...field }: JsonObject): JsonObject {
  return value === undefined ? field : { ...field, 'x-default': value };
}

export function referSchema(title: string): JsonObject {
  return { $ref: `#/components/schemas/${title}` };
}

/** The schema of a field with its description, where there is one. */
export function describeField(schema: JsonObject, place: string, name: string): JsonObject {
  const { 'x-default': fallback } = schema;
  const isWord = ['string', 'number', 'boolean'].includes(typeof fallback);
  const sentences = [findDescription(place, name), isWord ? `Default: ${String(fallback)}.` : undefined];
  const description = sentences.filter(sentence => sentence !== undefined).join(' ');
  return description === '' ? schema : { description, ...schema };
}

/** `auth.expired_token` for `svc/auth/expired_token`. */
function shorten(code: ErrorCode): string {
  return code.slice('svc/'.length).replace('/', '.');
}

function createErrorExample(code: ErrorCode, status: number): JsonObject {
  const issue = { path: '/body/name', message: 'must be 1 character or longer', code: 'minLength' };
  return {
    error: code,
    message: errors[code].message,
    requestId: exampleId('request'),
    ...(status === 422 && code === 'svc/validation/invalid_request' ? { details: { issues: [issue] } } : {}),
  };
}
