/** The shared parts of the document, which operations refer to: schemas and error answers. */
import type { TSchema } from 'typebox';
import { errors, type ErrorCode } from '../errors.ts';
import { ErrorResponse } from '../resources/index.ts';
import { exampleId, type Json, type JsonObject } from './examples.ts';
import { answerHeaders, referHeaders } from './headers.ts';
import { fieldDescriptions } from './field-descriptions.ts';

/** Collects titled schemas and error answers, and replaces them by references. */
export class Components {
  readonly schemas: JsonObject = {};
  readonly responses: JsonObject = {};
  /** The JSON of each titled schema. */
  readonly #sources = new Map<string, string>();

  /** The schema as the document contains it: with references instead of titled schemas, at any depth. */
  refer(schema: TSchema): Json {
    return this.#convert(JSON.parse(JSON.stringify(schema)) as Json);
  }

  /** An error answer with any of the codes. */
  describeFailure(status: number, codes: readonly ErrorCode[]): JsonObject {
    const name = [status, ...codes.map(shorten)].join('-');
    const more = [
      ...(status === 401 ? ['WWW-Authenticate'] : []),
      ...(status === 429 || status === 503 ? ['Retry-After'] : []),
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

  #convert(schema: Json): Json {
    if (Array.isArray(schema)) return (schema as readonly Json[]).map(item => this.#convert(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title, ...rest } = schema as { readonly [key: string]: Json };
    if (typeof title !== 'string')
      return this.#convertMembers(schema as { readonly [key: string]: Json }, '');
    const source = JSON.stringify(rest);
    const known = this.#sources.get(title);
    if (known === undefined) {
      this.#sources.set(title, source);
      this.schemas[title] = this.#convertMembers(rest, title);
    } else if (known !== source) {
      throw new Error(`two schemas are titled ${title}`);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  #convertMembers(schema: { readonly [key: string]: Json }, title: string): JsonObject {
    const shown = Object.entries(schema).map(([key, value]): [string, Json] => {
      if (key !== 'properties' || typeof value !== 'object' || value === null)
        return [key, this.#convert(value)];
      const fields = Object.entries(value).map(([name, field]) => [
        name,
        describeField(this.#convert(field as Json), title, name),
      ]);
      return [key, Object.fromEntries(fields) as JsonObject];
    });
    return Object.fromEntries(shown);
  }
}

/** The schema of a field with its description, where there is one. */
export function describeField(schema: Json, title: string, name: string): Json {
  const key = [`${title}.${name}`, name].find(each => Object.hasOwn(fieldDescriptions, each));
  const description = key === undefined ? undefined : fieldDescriptions[key];
  if (description === undefined) return schema;
  return { description, ...(schema as JsonObject) };
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
