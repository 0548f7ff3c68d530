/**
 * The contract as OpenAPI 3.1 (specification, "Versioning"), derived from the operation table and the event catalogue.
 * A schema with a title becomes a component and is referred to wherever it occurs.
 */
import { eventTypes, type EventType } from './events.ts';
import { Components } from './openapi/components.ts';
import { describe } from './openapi/describe.ts';
import { headers, parameters, securitySchemes } from './openapi/headers.ts';
import type { JsonObject } from './openapi/json.ts';
import { tags } from './openapi/tags.ts';
import { describeWebhook } from './openapi/webhooks.ts';
import type { Operation } from './operation.ts';
import { operations } from './operations/table.ts';
import { apiVersion } from './version.ts';

export interface OpenApiOptions {
  /** The public address of the server, without /v1: `https://api.acme.test`. */
  readonly baseUrl: string;
  readonly docsUrl: string;
}

const description = `Durable threads between people and AI agents, on many channels.

An acknowledged message is never lost, doubled or reordered: a 2xx leaves only after the message, its event and its webhook
deliveries have been committed.

Changes within /v1 are additive: fields may appear in answers, and codes of errors stay what they are.`;

/** The whole document. Pure, and worth keeping: it changes only with its options. */
export function openApiDocument(options: OpenApiOptions): JsonObject {
  const components = new Components();
  const paths: { [path: string]: JsonObject } = {};
  const used = new Set<string>();
  for (const [operationId, operation] of Object.entries<Operation>(operations)) {
    if (operation.hidden) continue;
    used.add(operation.tag);
    const item = (paths[operation.path] ??= {});
    item[operation.method.toLowerCase()] = describe(operationId, operation, components);
  }
  const webhooks: JsonObject = {};
  for (const [name, type] of Object.entries<EventType>(eventTypes)) {
    if (!type.ephemeral) webhooks[name] = { post: describeWebhook(name, type, components) };
  }
  const known = Object.keys(tags);
  const inOrder = [...known.filter(tag => used.has(tag)), ...[...used].filter(tag => !known.includes(tag))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Skein: a conversational runtime',
      version: apiVersion,
      description,
      contact: { name: 'Skein', url: options.docsUrl },
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    servers: [{ url: `${options.baseUrl.replace(/\/+$/, '')}/v1`, description: 'This server' }],
    externalDocs: { url: options.docsUrl, description: 'The same to read, and what to do about each error' },
    tags: inOrder.map(name => ({ name, ...(tags[name] === undefined ? {} : { description: tags[name] }) })),
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
