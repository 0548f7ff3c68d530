/** The parts that operations of the document share, and refer to: schemas and error answers. */
import type { TSchema } from 'typebox';
import { errors, type ErrorCode } from '../errors.ts';
import { ErrorResponse } from '../resources/error.ts';
import { exampleId } from './examples.ts';
import { answerHeaders, headerRefs } from './headers.ts';
import type { Json, JsonObject } from './json.ts';
import { meanings } from './meanings.ts';

/** Collects titled schemas and error answers while it replaces them by references. */
export class Components {
  readonly schemas: JsonObject = {};
  readonly responses: JsonObject = {};
  readonly #source = new Map<string, string>();

  /** The schema as the document shows it: titled ones, at any depth, by reference. */
  show(schema: TSchema): Json {
    return this.#show(JSON.parse(JSON.stringify(schema)) as Json);
  }

  /** An error answer that may carry any of the codes. */
  failure(status: number, codes: readonly ErrorCode[]): JsonObject {
    const name = [status, ...codes.map(shortOf)].join('-');
    const more = [
      ...(status === 401 ? ['WWW-Authenticate'] : []),
      ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ];
    this.responses[name] ??= {
      description: codes.map(code => `\`${code}\`: ${errors[code].message}`).join('\n\n'),
      headers: headerRefs([...answerHeaders, ...more]),
      content: {
        'application/json': {
          schema: this.show(ErrorResponse),
          examples: Object.fromEntries(
            codes.map(code => [shortOf(code), { value: exampleError(code, status) }]),
          ),
        },
      },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  #show(schema: Json): Json {
    if (Array.isArray(schema)) return (schema as readonly Json[]).map(item => this.#show(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title, ...rest } = schema as { readonly [key: string]: Json };
    if (typeof title !== 'string') return this.#members(schema as { readonly [key: string]: Json }, '');
    const source = JSON.stringify(rest);
    const known = this.#source.get(title);
    if (known === undefined) {
      this.#source.set(title, source);
      this.schemas[title] = this.#members(rest, title);
    } else if (known !== source) {
      throw new Error(`two schemas are titled ${title}`);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  #members(schema: { readonly [key: string]: Json }, title: string): JsonObject {
    const shown = Object.entries(schema).map(([key, value]): [string, Json] => {
      if (key !== 'properties' || typeof value !== 'object' || value === null)
        return [key, this.#show(value)];
      const fields = Object.entries(value).map(([name, field]) => [
        name,
        explained(this.#show(field as Json), title, name),
      ]);
      return [key, Object.fromEntries(fields) as JsonObject];
    });
    return Object.fromEntries(shown);
  }
}

/** The schema of a field with what the field means, where that is written down. */
export function explained(schema: Json, title: string, name: string): Json {
  const key = [`${title}.${name}`, name].find(each => Object.hasOwn(meanings, each));
  const description = key === undefined ? undefined : meanings[key];
  if (description === undefined) return schema;
  return { description, ...(schema as JsonObject) };
}

/** `auth.expired_token` for `svc/auth/expired_token`. */
function shortOf(code: ErrorCode): string {
  return code.slice('svc/'.length).replace('/', '.');
}

function exampleError(code: ErrorCode, status: number): JsonObject {
  const issue = { path: '/body/name', message: 'must have at least 1 characters', code: 'minLength' };
  return {
    error: code,
    message: errors[code].message,
    requestId: exampleId('request'),
    ...(status === 422 && code === 'svc/validation/invalid_request' ? { details: { issues: [issue] } } : {}),
  };
}
