/** One row of the operation table as OpenAPI describes it. */
import type { TSchema } from 'typebox';
import { errors, type ErrorCode } from '../errors.ts';
import type { Operation } from '../operation.ts';
import { explained, type Components } from './components.ts';
import { exampleOf } from './examples.ts';
import { answerHeaders, headerRefs } from './headers.ts';
import type { Json, JsonObject } from './json.ts';

export function describe(operationId: string, operation: Operation, components: Components): JsonObject {
  const { access, body } = operation;
  const accepts = [
    ...parametersIn('path', operation.params, components),
    ...parametersIn('query', operation.query, components),
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
      ...(operation.again === undefined ? [] : [`An Idempotency-Key has no effect. ${operation.again}`]),
      callers(operation),
    ].join('\n\n'),
    security: securityOf(operation),
    ...(access === undefined
      ? {}
      : {
          ...(access.scopes === null ? {} : { 'x-api-key-scopes': access.scopes }),
          'x-studio-roles': access.studio,
          'x-console-roles': access.console,
        }),
    ...(accepts.length === 0 ? {} : { parameters: accepts }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body, components) } }),
    responses: { ...successes(operation, components), ...failures(operation, components) },
  };
}

function json(schema: TSchema, components: Components): JsonObject {
  return { 'application/json': { schema: components.show(schema), example: exampleOf(schema) } };
}

/** Who may call, in words. */
function callers({ auth, access, optionalAuth = [] }: Operation): string {
  const optional = optionalAuth.includes('studioToken') ? ' An access token may be sent along.' : '';
  if (auth === 'none') return `Needs no credential.${optional}`;
  if (auth === 'refresh') return 'Needs the refresh cookie.';
  if (access === undefined) return 'For every Studio user who is signed in.';
  const scopes = access.scopes?.map(scope => `\`${scope}\``).join(' and ');
  const list = (roles: readonly string[]): string => (roles.length === 0 ? 'nobody' : roles.join(', '));
  return [
    scopes === undefined ? 'API keys: never.' : `API keys: with ${scopes}.`,
    `Studio: ${list(access.studio)}.`,
    `Console: ${list(access.console)}.`,
  ].join(' ');
}

function parametersIn(
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
    const { description } = explained({}, '', name) as { readonly description?: string };
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: components.show(property),
      example: exampleOf(property, name),
    };
  });
}

function securityOf(operation: Operation): Json {
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

function successes(operation: Operation, components: Components): JsonObject {
  const { success, alternative } = operation;
  const names = [
    ...answerHeaders.filter(name => operation.rate !== 'none' || !name.startsWith('X-RateLimit')),
    ...(operation.idempotency === 'none' ? [] : ['Idempotent-Replayed']),
    ...(operation.setsCookie === true ? ['Set-Cookie'] : []),
  ];
  const answer = (body: TSchema | null, description: string): JsonObject => ({
    description,
    headers: headerRefs(names),
    ...(body === null ? {} : { content: json(body, components) }),
  });
  return {
    [success.status]: answer(success.body, success.body === null ? 'Done; no body.' : 'Success.'),
    ...(alternative === undefined
      ? {}
      : { [alternative.status]: answer(alternative.body, alternative.when) }),
    ...(operation.auth === 'stream'
      ? {
          200: answer(
            null,
            'The websocket is open, where a proxy in front of the server speaks HTTP/2 or HTTP/3 to the client (RFC 8441, RFC 9220).',
          ),
          426: components.failure(426, ['svc/runtime/invalid_request']),
        }
      : {}),
  };
}

/** The statuses under which a code may come: the catalogue's, and for validation those of decisions section 1. */
function statusesOf(code: ErrorCode, operation: Operation): readonly number[] {
  if (code === 'svc/validation/invalid_request' && operation.body !== undefined) return [400, 413, 422];
  return [errors[code].http];
}

function failures(operation: Operation, components: Components): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set(operation.errors)) {
    for (const status of statusesOf(code, operation)) {
      byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
    }
  }
  return Object.fromEntries(
    [...byStatus]
      .sort(([a], [b]) => a - b)
      .map(([status, codes]) => [status, components.failure(status, codes)]),
  );
}
