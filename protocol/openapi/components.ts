/** The parts that operations of the document share, and refer to: schemas, headers, parameters, error answers. */
import type { TSchema } from 'typebox';
import { errors, type ErrorCode } from '../errors.ts';
import { ErrorResponse } from '../resources/error.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { [key: string]: Json };

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
    const name = [status, ...codes.map(code => code.slice('svc/'.length).replace('/', '.'))].join('-');
    this.responses[name] ??= {
      description: codes.map(code => `\`${code}\`: ${errors[code].message}`).join('\n\n'),
      headers: headerRefs([...answerHeaders, ...(status === 429 || status === 503 ? ['Retry-After'] : [])]),
      content: { 'application/json': { schema: this.show(ErrorResponse) } },
    };
    return { $ref: `#/components/responses/${name}` };
  }

  #show(schema: Json): Json {
    if (Array.isArray(schema)) return (schema as readonly Json[]).map(item => this.#show(item));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { title, ...rest } = schema as { readonly [key: string]: Json };
    if (typeof title !== 'string') return this.#members(schema as { readonly [key: string]: Json });
    const source = JSON.stringify(rest);
    const known = this.#source.get(title);
    if (known === undefined) {
      this.#source.set(title, source);
      this.schemas[title] = this.#members(rest);
    } else if (known !== source) {
      throw new Error(`two schemas are titled ${title}`);
    }
    return { $ref: `#/components/schemas/${title}` };
  }

  #members(schema: { readonly [key: string]: Json }): JsonObject {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.#show(value)]));
  }
}

export const securitySchemes: JsonObject = {
  studioToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A Studio access token: from sign-up, login or refresh.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_test_... or svc_live_...',
    description:
      'A project API key. The scopes that an operation needs are listed with it; * stands for all.',
  },
  refreshCookie: { type: 'apiKey', in: 'cookie', name: '__Secure-svc_refresh' },
  streamTicket: { type: 'apiKey', in: 'query', name: 'ticket', description: 'Single use, 30 seconds.' },
};

const header = (description: string, schema: JsonObject): JsonObject => ({ description, schema });

export const headers: JsonObject = {
  'X-Request-Id': header('Names the request, on every answer.', {
    type: 'string',
    pattern: '^req_[A-Za-z0-9_-]+$',
  }),
  'Service-Version': header("The contract's version.", { type: 'string', format: 'date' }),
  'Idempotent-Replayed': header('true when the answer is that of an earlier request with the same key.', {
    type: 'string',
    const: 'true',
  }),
  'Retry-After': header('Seconds to wait before the next try.', { type: 'integer', minimum: 0 }),
  'X-RateLimit-Limit': header('Requests that the quota allows.', { type: 'integer', minimum: 0 }),
  'X-RateLimit-Remaining': header('Requests that are left.', { type: 'integer', minimum: 0 }),
  'X-RateLimit-Reset': header('Seconds until the quota is whole again.', { type: 'integer', minimum: 0 }),
};

/** Headers that every answer carries. */
export const answerHeaders = [
  'X-Request-Id',
  'Service-Version',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];

/** References to the named headers, by their names. */
export function headerRefs(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]));
}

function idempotencyKey(required: boolean): JsonObject {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required,
    description:
      'Kept for 24 hours: the same key with the same payload gets the same answer, with another payload 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  };
}

const deliveryHeaders = [
  [
    'Service-Signature',
    't=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">; v1 repeats during a rotation.',
  ],
  ['Service-Event-Id', 'The event: deduplicate by it.'],
  ['Service-Delivery-Id', 'The delivery: the same at every attempt.'],
  ['Service-Attempt', 'The number of the attempt, from 1.'],
  ['webhook-id', 'Standard Webhooks: the id.'],
  ['webhook-timestamp', 'Standard Webhooks: unix seconds.'],
  ['webhook-signature', 'Standard Webhooks: v1,<base64>, repeated during a rotation.'],
] as const;

export const parameters: JsonObject = {
  IdempotencyKey: idempotencyKey(false),
  IdempotencyKeyRequired: idempotencyKey(true),
  ...Object.fromEntries(
    deliveryHeaders.map(([name, description]) => [
      name,
      { name, in: 'header', required: true, description, schema: { type: 'string' } },
    ]),
  ),
};

/** The headers of a delivery, by reference. */
export const deliveryParameters: Json = deliveryHeaders.map(([name]) => ({
  $ref: `#/components/parameters/${name}`,
}));
