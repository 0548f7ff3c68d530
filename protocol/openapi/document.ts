/**
 * The contract as an OpenAPI 3.1 document, derived from the operation table and the event catalogue. A schema with a title becomes a
 * component, and the document refers to it wherever it occurs.
 */
import type { Operation } from '../operation.ts';
import { operations } from '../operations/index.ts';
import { apiVersion } from '../version.ts';
import { Components } from './components.ts';
import { describeOperation } from './describe.ts';
import { defineEvents, describeWebhooks } from './events.ts';
import type { JsonObject } from './examples.ts';
import { describeSecuritySchemes, headers, parameters } from './headers.ts';

/** The tags and their descriptions, in the order in which a newcomer would read them. */
const tags: Readonly<Record<string, string>> = {
  'Studio authentication':
    'Accounts and sessions of people: sign-up, login, refresh, forgotten passwords, invitations accepted.',
  Account:
    'Your own account: sessions, password, e-mail address, second factor by an authenticator app, and its deletion.',
  Profile: 'How you are shown to others, and what you have set for the Console.',
  Credentials: 'What the credential of a request is, and where it may be used.',
  Workspaces: 'A workspace holds projects and the people who work on them.',
  Members: 'Who belongs to a workspace, and as what: owner, admin or viewer.',
  Invitations: 'How somebody new comes into a workspace: by a link that is mailed, once, within 7 days.',
  'Single sign-on':
    "How the people of a workspace sign in with their organisation's own OpenID Connect provider, and for which domains.",
  Projects: 'A project holds environments, and everything that belongs to one product.',
  Environments:
    'Every project has a sandbox, and may have one production environment. Data is never mixed between the two.',
  'API keys':
    "Secrets for code. A key belongs to one environment of one project, and carries the scopes that it was given. Only people manage keys: a Studio access token is needed, and no key's scopes reach here.",
  'Partner apps': "An agency's own partner app, with which chatapp channels are connected.",
  Channels:
    'A channel translates one messaging channel into threads and messages. Custom channels are driven by your own code over the operations here; sandbox channels are there to play with.',
  'Chatapp channels':
    'A chatapp channel is connected to a phone number at the chat provider, whose webhooks bring what its participants write.',
  Threads:
    'A thread is a conversation that lasts: with one participant of one channel, in one environment, in one order.',
  Notes: 'What operators write to each other on a thread. The participant never sees it.',
  'Canned replies': 'Replies that a project keeps ready for its operators, by a shortcut.',
  Messages: 'What was said on a thread, inbound and outbound, and what became of it.',
  Attachments: 'Files of messages: uploaded and read through addresses that are signed and short-lived.',
  BYOK: 'Your own keys of LLM providers, with which your agents ask their models. They are written, used, and never shown.',
  Tools: 'What a model may call: your own HTTP endpoints, with what they take described as JSON Schema.',
  Looms:
    'A loom is what an agent is made of: prompt, rules, model and tools, in versions that never change. One of them is active.',
  Agents:
    'An agent answers on threads by the active version of its loom: by itself, or as a suggestion to people.',
  'Agent runs':
    'A run is one execution of an agent: what it was asked, which tools it called, what it answered, and what became of that.',
  Privacy: "A participant's right to be forgotten.",
  Stitches:
    'A stitch is an outbound webhook: a signed, durable subscription to events. See also the section of webhooks.',
  'Webhook deliveries':
    'Every event that a stitch was due, each attempt to deliver it, and how to have it delivered again.',
  Events: 'The log of everything that happened, kept for 30 days, and the catalogue of event names.',
  Console: 'Operators of a project, and the live stream that they follow it by.',
  Audit: 'Who did what, when, and from where.',
  Usage: 'What a project has used.',
  System: 'The service as a whole, for those who operate it (INSTANCE_ADMINS).',
  Contract: 'The contract itself, as a machine reads it.',
};

export interface OpenApiOptions {
  /** The public address of the server, without /v1: `https://api.acme.test`. */
  readonly baseUrl: string;
  readonly docsUrl: string;
}

const description = `Durable threads between people and AI agents, on many channels.

An acknowledged message is never lost, doubled or reordered: a 2xx leaves only after the message, its event and its webhook
deliveries have been committed.

**Bodies** are JSON. Times are RFC 3339 with an offset. Ids are a prefix and 26 characters, and sort by creation.

**Lists** answer \`data\`, \`nextCursor\` and \`hasMore\`. Send \`nextCursor\` as \`cursor\` to get the next page, of at most \`limit\` items (1 to 100, default 50).

**POST** accepts the header \`Idempotency-Key\`: repeat a request with its key and you get the first answer again, with \`Idempotent-Replayed: true\`. Creating threads and messages requires it.

**PATCH** changes what it names. \`metadata\` and \`customFields\` are merged (RFC 7396): null removes a name. DELETE archives what has an archive, and \`archived: false\` brings it back. Of what two people edit, answers have an \`ETag\`, which a change takes as \`If-Match\`.

**Rate limits** are in \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`. Beyond them the answer is 429 with \`Retry-After\`.

**Errors** carry a stable code, and \`docsUrl\` leads to what it means and what to do about it.

Changes within /v1 are additive: answers may get new fields, and error codes stay the same.`;

/** The whole document. It only depends on its options, so keep the result. */
export function openApiDocument(options: OpenApiOptions): JsonObject {
  const components = new Components();
  defineEvents(components);
  const paths: { [path: string]: JsonObject } = {};
  const used = new Set<string>();
  for (const [operationId, operation] of Object.entries<Operation>(operations)) {
    if (operation.hidden) continue;
    used.add(operation.tag);
    const item = (paths[operation.path] ??= {});
    item[operation.method.toLowerCase()] = describeOperation(operationId, operation, components);
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
    externalDocs: { url: `${options.docsUrl}/errors`, description: 'All errors, and what to do about each' },
    tags: inOrder.map(name => ({ name, ...(tags[name] === undefined ? {} : { description: tags[name] }) })),
    paths,
    webhooks: describeWebhooks(),
    components: {
      schemas: components.schemas,
      responses: components.responses,
      parameters,
      headers,
      securitySchemes: describeSecuritySchemes(options.baseUrl),
    },
  };
}
