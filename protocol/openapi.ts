/**
 * The contract as OpenAPI 3.1 (specification, "Versioning"), derived from the operation table and the event catalogue.
 * A schema with a title becomes a component and is referred to wherever it occurs.
 */
import type { TSchema } from 'typebox';
import { errors, type ErrorCode } from './errors.ts';
import { eventTypes, type EventType } from './events.ts';
import {
  answerHeaders,
  Components,
  deliveryParameters,
  headerRefs,
  headers,
  parameters,
  securitySchemes,
  type Json,
  type JsonObject,
} from './openapi/components.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations/table.ts';
import { EventEnvelope } from './resources/event.ts';
import { apiVersion } from './version.ts';

export interface OpenApiOptions {
  /** The public address of the server, without /v1: `https://api.example.com`. */
  readonly baseUrl: string;
  readonly docsUrl?: string;
}

/** The whole document. Pure, and worth keeping: it changes only with its options. */
export function openApiDocument(options: OpenApiOptions): JsonObject {
  const components = new Components();
  const paths: { [path: string]: JsonObject } = {};
  const tags = new Set<string>();
  for (const [operationId, operation] of Object.entries<Operation>(operations)) {
    if (operation.hidden) continue;
    tags.add(operation.tag);
    const item = (paths[operation.path] ??= {});
    item[operation.method.toLowerCase()] = describe(operationId, operation, components);
  }
  const webhooks: JsonObject = {};
  for (const [name, type] of Object.entries<EventType>(eventTypes)) {
    if (!type.ephemeral) webhooks[name] = { post: describeWebhook(name, type, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Conversational runtime',
      version: apiVersion,
      description: 'Durable threads between people and AI agents. Changes within /v1 are additive.',
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: `${options.baseUrl.replace(/\/+$/, '')}/v1` }],
    ...(options.docsUrl === undefined ? {} : { externalDocs: { url: options.docsUrl } }),
    tags: [...tags].map(name => ({ name })),
    paths,
    webhooks,
    components: {
      schemas: components.schemas,
      responses: components.responses,
      parameters,
      headers,
      securitySchemes,
    },
  };
}

function describe(operationId: string, operation: Operation, components: Components): JsonObject {
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
    ...(operation.description === undefined ? {} : { description: operation.description }),
    security: securityOf(operation),
    ...(access === undefined ? {} : { 'x-studio-roles': access.studio, 'x-console-roles': access.console }),
    ...(accepts.length === 0 ? {} : { parameters: accepts }),
    ...(body === undefined
      ? {}
      : {
          requestBody: { required: true, content: { 'application/json': { schema: components.show(body) } } },
        }),
    responses: { ...successes(operation, components), ...failures(operation, components) },
  };
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
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: components.show(property),
  }));
}

function securityOf(operation: Operation): Json {
  const scopes = operation.access?.scopes ?? null;
  const key = scopes === null ? [] : [{ apiKey: scopes }];
  switch (operation.auth) {
    case 'none':
      return [];
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
  const names = [...answerHeaders, ...(operation.idempotency === 'none' ? [] : ['Idempotent-Replayed'])];
  const answer = (body: TSchema | null, description: string): JsonObject => ({
    description,
    headers: headerRefs(names),
    ...(body === null ? {} : { content: { 'application/json': { schema: components.show(body) } } }),
  });
  const { success, alternative } = operation;
  return {
    [success.status]: answer(success.body, success.body === null ? 'Done; no body.' : 'Success.'),
    ...(alternative === undefined
      ? {}
      : { [alternative.status]: answer(alternative.body, alternative.when) }),
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

function describeWebhook(name: string, type: EventType, components: Components): JsonObject {
  return {
    tags: ['Events'],
    summary: type.description,
    parameters: deliveryParameters,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            allOf: [
              components.show(EventEnvelope),
              {
                type: 'object',
                properties: { eventName: { const: name }, data: components.show(type.data) },
              },
            ],
          },
        },
      },
    },
    responses: { '2XX': { description: 'Received. Anything else is tried again.' } },
    security: [],
  };
}
