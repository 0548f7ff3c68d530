/** Rows of the operation table and of the event catalogue as OpenAPI describes them. */
import type { TSchema } from 'typebox';
import { errors, type ErrorCode } from '../errors.ts';
import type { EventName, EventType } from '../events.ts';
import type { Operation } from '../operation.ts';
import { EventEnvelope } from '../resources/index.ts';
import { describeField, type Components } from './components.ts';
import { createEventData } from './event-examples.ts';
import { createExample, type Json, type JsonObject } from './examples.ts';
import { answerHeaders, deliveryParameters, referHeaders } from './headers.ts';

export function describeOperation(
  operationId: string,
  operation: Operation,
  components: Components,
): JsonObject {
  const { access, body, rawBody } = operation;
  const accepts = [
    ...describeParameters('path', operation.params, components),
    ...describeParameters('query', operation.query, components),
    ...(operation.idempotency === 'none'
      ? []
      : [
          {
            $ref: `#/components/parameters/IdempotencyKey${operation.idempotency === 'required' ? 'Required' : ''}`,
          },
        ]),
  ];
  return {
    operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: [
      ...(operation.description === undefined ? [] : [operation.description]),
      ...(operation.repeatEffect === undefined
        ? []
        : [`An Idempotency-Key has no effect. ${operation.repeatEffect}`]),
      describeCallers(operation),
    ].join('\n\n'),
    security: listSecurity(operation),
    ...(access === undefined
      ? {}
      : {
          ...(access.scopes === null ? {} : { 'x-api-key-scopes': access.scopes }),
          'x-studio-roles': access.studio,
          'x-console-roles': access.console,
        }),
    ...(accepts.length === 0 ? {} : { parameters: accepts }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: jsonContent(body, components) } }),
    ...(rawBody === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } } }),
    responses: { ...describeSuccesses(operation, components), ...describeFailures(operation, components) },
  };
}

function jsonContent(schema: TSchema, components: Components): JsonObject {
  return { 'application/json': { schema: components.refer(schema), example: createExample(schema) } };
}

/** Who may call, in words. */
function describeCallers({ auth, access, optionalAuth = [] }: Operation): string {
  const optional = optionalAuth.includes('studioToken') ? ' An access token may be sent along.' : '';
  if (auth === 'none') return `Needs no credential.${optional}`;
  if (auth === 'refresh') return 'Needs the refresh cookie.';
  if (access === undefined) return 'For every signed-in Studio user.';
  const scopes = access.scopes?.map(scope => `\`${scope}\``).join(' and ');
  const list = (roles: readonly string[]): string => (roles.length === 0 ? 'nobody' : roles.join(', '));
  return [
    scopes === undefined ? 'API keys: never.' : `API keys: with ${scopes}.`,
    `Studio: ${list(access.studio)}.`,
    `Console: ${list(access.console)}.`,
  ].join(' ');
}

function describeParameters(
  place: 'path' | 'query',
  schema: TSchema | undefined,
  components: Components,
): JsonObject[] {
  if (schema === undefined) return [];
  const { properties, required = [] } = schema as TSchema & {
    readonly properties: Readonly<Record<string, TSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, property]) => {
    const { description } = describeField({}, '', name) as { readonly description?: string };
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: components.refer(property),
      example: createExample(property, name),
    };
  });
}

function listSecurity(operation: Operation): Json {
  const scopes = operation.access?.scopes ?? null;
  const key = scopes === null ? [] : [{ apiKey: [] }];
  switch (operation.auth) {
    case 'none': {
      const optional = operation.optionalAuth ?? [];
      return optional.length === 0 ? [] : [{}, ...optional.map(scheme => ({ [scheme]: [] }))];
    }
    case 'refresh':
      return [{ refreshCookie: [] }];
    case 'user':
      return [{ studioToken: [] }];
    case 'project':
      return [{ studioToken: [] }, ...key];
    case 'stream':
      return [{ studioToken: [] }, ...key, { streamTicket: [] }];
    default:
      throw operation.auth satisfies never;
  }
}

function describeSuccesses(operation: Operation, components: Components): JsonObject {
  const { success, alternative } = operation;
  const names = [
    ...answerHeaders.filter(name => operation.rate !== 'none' || !name.startsWith('X-RateLimit')),
    ...(operation.idempotency === 'none' ? [] : ['Idempotent-Replayed']),
    ...(operation.setsCookie === true ? ['Set-Cookie'] : []),
  ];
  const answer = (body: TSchema | null, description: string, contentType?: string): JsonObject => ({
    description,
    headers: referHeaders(names),
    ...(body === null || contentType !== undefined ? {} : { content: jsonContent(body, components) }),
    ...(body === null || contentType === undefined
      ? {}
      : { content: { [contentType]: { schema: components.refer(body) } } }),
  });
  return {
    [success.status]: answer(
      success.body,
      success.body === null ? 'Done; no body.' : 'Success.',
      success.contentType,
    ),
    ...(alternative === undefined
      ? {}
      : { [alternative.status]: answer(alternative.body, alternative.when) }),
    ...(operation.auth === 'stream'
      ? {
          200: answer(
            null,
            'The websocket is open. Seen where a proxy in front of the server uses HTTP/2 or HTTP/3 with the client (RFC 8441, RFC 9220).',
          ),
          426: components.describeFailure(426, ['svc/runtime/invalid_request']),
        }
      : {}),
  };
}

/** The statuses of a code: the catalogue's, and for validation also 400 (unreadable) and 413 (too large). */
function listStatuses(code: ErrorCode, operation: Operation): readonly number[] {
  const hasBody = operation.body !== undefined || operation.rawBody !== undefined;
  if (code === 'svc/validation/invalid_request' && hasBody) return [400, 413, 422];
  return [errors[code].http];
}

function describeFailures(operation: Operation, components: Components): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(operation.errors)) {
    for (const status of listStatuses(code, operation)) {
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [status, components.describeFailure(status, codes)]),
  );
}

/** An event type as OpenAPI describes it: what a stitch posts to its address. */
export function describeWebhook(name: EventName, type: EventType, components: Components): JsonObject {
  const envelope = createExample(EventEnvelope) as JsonObject;
  return {
    operationId: `on${name.split(/[._]/).map(capitalize).join('')}`,
    tags: ['Events'],
    summary: type.description,
    description:
      'Sent to the stitches that select it, in at most twelve attempts, until one is answered with 2xx. The signature covers the raw body.',
    parameters: deliveryParameters,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            allOf: [
              components.refer(EventEnvelope),
              {
                type: 'object',
                properties: { eventName: { const: name }, data: components.refer(type.data) },
              },
            ],
          },
          example: { ...envelope, eventName: name, data: createEventData(name) },
        },
      },
    },
    responses: { '2XX': { description: 'Received. Any other answer is retried.' } },
    security: [],
  };
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
