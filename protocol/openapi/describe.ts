/** Rows of the operation table as OpenAPI describes them. */
import type { TSchema } from 'typebox';
import { errors, type ErrorCode } from '../errors.ts';
import { listErrors, listImpliedFields, type Operation, takesActingUser } from '../operation.ts';
import { describeField, type Components } from './components.ts';
import { createExample, type Json, type JsonObject } from './examples.ts';
import { defineFrames } from './events.ts';
import { answerHeaders, referHeaders } from './headers.ts';

export function describeOperation(
  operationId: string,
  operation: Operation,
  components: Components,
): JsonObject {
  const { access, body, rawBody } = operation;
  const accepts = [
    ...describeParameters('path', operationId, operation.params, components),
    ...describeParameters('query', operationId, makeImpliedOptional(operation, 'query'), components),
    ...(operation.idempotency === 'none'
      ? []
      : [
          {
            $ref: `#/components/parameters/IdempotencyKey${operation.idempotency === 'required' ? 'Required' : ''}`,
          },
        ]),
    ...(operation.tagged === true && operation.method !== 'GET'
      ? [{ $ref: '#/components/parameters/IfMatch' }]
      : []),
    ...(takesActingUser(operation) ? [{ $ref: '#/components/parameters/ActingUser' }] : []),
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
      : {
          requestBody: {
            required: true,
            content: jsonContent(makeImpliedOptional(operation, 'body') ?? body, components, body),
          },
        }),
    ...(rawBody === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } } }),
    responses: { ...describeSuccesses(operation, components), ...describeFailures(operation, components) },
  };
}

/** @param complete the schema whose required fields the example has */
function jsonContent(schema: TSchema, components: Components, complete = schema): JsonObject {
  return { 'application/json': { schema: components.refer(schema), example: createExample(complete) } };
}

interface PartSchema extends TSchema {
  readonly properties: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
}

/** The part of a request with what an API key implies as fields that may be left out. */
function makeImpliedOptional(operation: Operation, part: 'query' | 'body'): TSchema | undefined {
  const implied: readonly string[] = listImpliedFields(operation, part);
  if (implied.length === 0) return operation[part];
  const { properties, required = [], ...rest } = operation[part] as PartSchema;
  const shown = Object.entries(properties).map(([name, field]) => [
    name,
    implied.includes(name) ? { ...field, description: describeImplied(name) } : field,
  ]);
  const needed = required.filter(name => !implied.includes(name));
  return {
    ...rest,
    properties: Object.fromEntries(shown) as Record<string, TSchema>,
    ...(needed.length === 0 ? {} : { required: needed }),
  };
}

function describeImplied(name: string): string {
  const what = name === 'projectId' ? 'project' : 'environment';
  return `The ${what}. Required with a Studio access token; an API key implies its own.`;
}

/** Who may call, in words. */
function describeCallers({ auth, access, optionalAuth = [] }: Operation): string {
  const optional = optionalAuth.includes('studioToken') ? ' An access token may be sent along.' : '';
  if (auth === 'none') return `Needs no credential.${optional}`;
  if (auth === 'refresh') return 'Needs the refresh cookie.';
  if (auth === 'any') return 'For every valid credential: API keys, access tokens and service tokens.';
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
  operationId: string,
  schema: TSchema | undefined,
  components: Components,
): JsonObject[] {
  if (schema === undefined) return [];
  const { properties, required = [] } = schema as PartSchema;
  return Object.entries(properties).map(([name, property]) => {
    const { description } = { ...describeField({}, operationId, name), ...property } as JsonObject;
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: components.refer(property),
      example: createExample(property, name, operationId),
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
    case 'any':
      return [{ studioToken: [] }, { apiKey: [] }];
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
    ...(operation.tagged === true && success.body !== null ? ['ETag'] : []),
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
          101: {
            ...answer(null, 'The websocket is open. Each frame of the server is one of these.'),
            content: { 'application/json': { schema: defineFrames(components) } },
          },
          200: answer(
            null,
            'The websocket is open. Seen where a proxy in front of the server uses HTTP/2 or HTTP/3 with the client (RFC 8441, RFC 9220).',
          ),
          426: components.describeFailure(426, ['svc/runtime/invalid_request']),
        }
      : {}),
  };
}

/** The statuses of a code: the catalogue's, and for validation also 400 (unreadable), 413 (too large) and 415 (compressed). */
function listStatuses(code: ErrorCode, operation: Operation): readonly number[] {
  if (code === 'svc/validation/invalid_request') {
    if (operation.body !== undefined) return [400, 413, 415, 422];
    if (operation.rawBody !== undefined) return [400, 413, 422];
  }
  return [errors[code].http];
}

function describeFailures(operation: Operation, components: Components): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of listErrors(operation)) {
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
