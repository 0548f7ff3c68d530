/** Headers of requests, answers and deliveries, and the security schemes. */
import { actingUserTitle } from '../operation.ts';
import { apiVersion } from '../version.ts';
import { exampleId, type Json, type JsonObject } from './examples.ts';

const securitySchemes = {
  studioToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'A Studio access token: from sign-up, login, refresh or an accepted invitation. Lives 15 minutes.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_test_... or svc_live_...',
    description:
      'An API key of one environment of one project. x-api-key-scopes lists the scopes that an operation needs; * stands for all.',
  },
  refreshCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Secure-svc_refresh',
    description:
      "Set by every sign-in and rotated at each use. It has the prefix __Secure- where the server's address is https. Only requests from the server's own pages may use it: Origin or Sec-Fetch-Site is checked.",
  },
  streamTicket: {
    type: 'apiKey',
    in: 'query',
    name: 'ticket',
    description: 'From createStreamTicket, for browsers, which cannot set headers. Single use, 30 seconds.',
  },
};

/** Of a server at that address: browsers refuse the prefix of the cookie on plain http. */
export function describeSecuritySchemes(baseUrl: string): JsonObject {
  if (baseUrl.startsWith('https:')) return securitySchemes;
  const refreshCookie = { ...securitySchemes.refreshCookie, name: 'svc_refresh' };
  return { ...securitySchemes, refreshCookie };
}

const header = (description: string, schema: JsonObject, example: Json): JsonObject => ({
  description,
  schema,
  example,
});
const exampleTag = '"5f8d0c2b3a4e6f7081920a3b4c5"';
const count = { type: 'integer', minimum: 0 };

export const headers: JsonObject = {
  'X-Request-Id': header(
    'The id of the request, on every answer.',
    { type: 'string', pattern: '^req_[A-Za-z0-9_-]+$' },
    exampleId('request'),
  ),
  'Service-Version': header("The contract's version.", { type: 'string', format: 'date' }, apiVersion),
  'Idempotent-Replayed': header(
    'true when the answer repeats that of an earlier request with the same key.',
    { type: 'string', const: 'true' },
    'true',
  ),
  ETag: header(
    'The state of the resource, for If-Match.',
    { type: 'string', pattern: '^"[A-Za-z0-9_-]+"$' },
    exampleTag,
  ),
  'Retry-After': header('Seconds to wait before the next try.', { type: 'integer', minimum: 1 }, 3),
  'X-RateLimit-Limit': header('Requests that the quota allows.', count, 1_200),
  'X-RateLimit-Remaining': header('Remaining requests.', count, 1_199),
  'X-RateLimit-Reset': header('Seconds until the quota is full again.', count, 1),
  'WWW-Authenticate': header('The required scheme.', { type: 'string', const: 'Bearer' }, 'Bearer'),
  'Set-Cookie': header(
    'The refresh cookie: HttpOnly, SameSite=Strict, for /v1/studio/auth only.',
    { type: 'string' },
    '__Secure-svc_refresh=...; Path=/v1/studio/auth; HttpOnly; Secure; SameSite=Strict',
  ),
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
export function referHeaders(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]));
}

function describeIdempotencyKey(required: boolean): JsonObject {
  return {
    name: 'Idempotency-Key',
    in: 'header',
    required,
    description:
      "Kept for 24 hours: the same key with the same payload is carried out once, whatever became of the first answer, and gets the same answer; 409 with another payload (details.reason other_payload) and while the first request is in progress (in_progress). A key belongs to the project and its environment; without a project to the user; without a credential to the sender's address and the payload. A caller who lost the permission, or whose resource is gone, gets that error instead. An answer with a secret is repeated only to the credential that got it.",
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
    example: '2f1c8a4e-order-1001',
  };
}

const deliveryHeaders = [
  [
    'Service-Signature',
    't=<unix seconds>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">; v1 repeats during a rotation.',
    't=1793707200,v1=5f8d0c2b3a4e6f7081920a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f',
  ],
  ['Service-Event-Id', 'The id of the event: deduplicate by it.', exampleId('event')],
  ['Service-Delivery-Id', 'The id of the delivery: the same at every attempt.', exampleId('delivery')],
  ['Service-Attempt', 'The number of the attempt, from 1.', '1'],
  ['webhook-id', 'Standard Webhooks: the id.', exampleId('event')],
  ['webhook-timestamp', 'Standard Webhooks: unix seconds.', '1793707200'],
  [
    'webhook-signature',
    'Standard Webhooks: v1,<base64>, repeated during a rotation.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
] as const;

export const parameters: JsonObject = {
  ActingUser: {
    name: actingUserTitle,
    in: 'header',
    required: false,
    description:
      'With an API key: the user on whose behalf it acts, one who may answer in the project. The act is then theirs, as if they had done it in the Console. The key needs threads:write beside the scopes of the operation. 404 for any other user.',
    schema: { type: 'string' },
    example: exampleId('user'),
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'The ETag of the state that the change was made from: where the resource has changed since, the answer is 412, and nothing is done. Without it the last change wins.',
    schema: { type: 'string' },
    example: exampleTag,
  },
  IdempotencyKey: describeIdempotencyKey(false),
  IdempotencyKeyRequired: describeIdempotencyKey(true),
  ...Object.fromEntries(
    deliveryHeaders.map(([name, description, example]) => [
      name,
      { name, in: 'header', required: true, description, schema: { type: 'string' }, example },
    ]),
  ),
};

/** The headers of a delivery, by reference. */
export const deliveryParameters: Json = deliveryHeaders.map(([name]) => ({
  $ref: `#/components/parameters/${name}`,
}));
