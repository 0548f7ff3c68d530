import t from 'tap';
import type { TSchema } from 'typebox';
import { RefreshCookie } from '../../../gateway/auth/refresh-cookie.ts';
import { errors } from '../../../protocol/errors.ts';
import { type EventName, eventTypes, type EventType } from '../../../protocol/events.ts';
import { openApiDocument } from '../../../protocol/openapi/document.ts';
import { createEventData } from '../../../protocol/openapi/event-examples.ts';
import { createExample } from '../../../protocol/openapi/examples.ts';
import type { Operation } from '../../../protocol/operation.ts';
import { operations } from '../../../protocol/operations/table.ts';
import { compile } from '../../../protocol/validate.ts';
import { apiVersion } from '../../../protocol/version.ts';

interface Described {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly { readonly name?: string; readonly in?: string; readonly $ref?: string }[];
  readonly 'x-api-key-scopes'?: readonly string[];
  readonly requestBody?: { readonly required: boolean };
  readonly responses: Readonly<Record<string, Record<string, unknown>>>;
}

interface Document {
  readonly openapi: string;
  readonly info: { readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Record<string, Described>>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: Readonly<Record<string, Record<string, Record<string, unknown>>>>;
}

const document = openApiDocument({
  baseUrl: 'https://api.example/',
  docsUrl: 'https://docs.example',
}) as unknown as Document;
const described = Object.values(document.paths).flatMap(item => Object.values(item));
const rows = Object.entries<Operation>(operations);

/** Every object inside the value, with its place. */
function* objects(value: unknown, place = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [place, value as Record<string, unknown>];
  for (const [key, member] of Object.entries(value)) yield* objects(member, `${place}/${key}`);
}

function resolve(ref: string): unknown {
  return ref
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (value, step) =>
        typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined,
      document,
    );
}

t.test('it is OpenAPI 3.1 of the dated contract, at the given address', async t => {
  t.match(document, { openapi: /^3\.1\./, info: { title: String, version: apiVersion } });
  t.match(apiVersion, /^\d{4}-\d\d-\d\d$/);
  t.match(document.servers, [{ url: 'https://api.example/v1' }]);
  t.strictSame(JSON.parse(JSON.stringify(document)), document, 'it is plain JSON');
});

t.test('every reference resolves, and every component is referred to', async t => {
  const used = new Set<string>();
  for (const [place, value] of objects(document)) {
    if (typeof value.$ref !== 'string') continue;
    used.add(value.$ref);
    if (resolve(value.$ref) === undefined) t.fail(`${place}: ${value.$ref}`);
  }
  for (const kind of ['schemas', 'responses', 'parameters', 'headers']) {
    for (const name of Object.keys(document.components[kind] ?? {})) {
      t.match(name, /^[a-zA-Z0-9._-]+$/);
      if (name !== 'Retry-After') t.ok(used.has(`#/components/${kind}/${name}`), `${kind}/${name}`);
    }
  }
});

t.test('no schema is written twice: a title became a component', async t => {
  for (const [place, value] of objects(document)) {
    if (place.startsWith('#/info')) continue;
    // A canned reply has a title of its own.
    if (typeof value.title === 'string' && !place.includes('/example'))
      t.fail(`${place} has the title ${value.title}`);
  }
  t.match(document.components.schemas, {
    Thread: { type: 'object' },
    Message: {},
    Stitch: {},
    ErrorBody: {},
  });
  t.match(document.components.schemas?.MessageList, {
    properties: { data: { items: { $ref: '#/components/schemas/Message' } } },
  });
});

t.test('every public operation is described, with what its row says', async t => {
  const ids = described.map(operation => operation.operationId);
  t.equal(new Set(ids).size, ids.length, 'operation ids are unique');
  t.strictSame(
    [...ids].sort(),
    rows
      .filter(([, operation]) => !operation.hidden)
      .map(([id]) => id)
      .sort(),
  );
  t.notOk(ids.includes('getEnvelopeExample'), 'private paths are left out');
  const tags = document.tags.map(tag => tag.name);
  t.equal(new Set(tags).size, tags.length);

  for (const [id, row] of rows) {
    if (row.hidden) continue;
    const operation = document.paths[row.path]?.[row.method.toLowerCase()];
    if (operation === undefined) {
      t.fail(id);
      continue;
    }
    t.equal(operation.operationId, id);
    t.ok(operation.tags.every(tag => tags.includes(tag)));
    t.equal(operation.requestBody?.required, (row.body ?? row.rawBody) === undefined ? undefined : true);

    const parameters = operation.parameters ?? [];
    const named = parameters.filter(parameter => parameter.in === 'path').map(parameter => parameter.name);
    t.strictSame(
      named,
      [...row.path.matchAll(/\{(\w+)\}/g)].map(match => match[1]),
      id,
    );
    const keyed = parameters.find(parameter => parameter.$ref?.includes('IdempotencyKey'));
    t.equal(
      (keyed && (resolve(keyed.$ref ?? '') as { required: boolean }).required) ?? 'none',
      { required: true, accepted: false, none: 'none' }[row.idempotency],
      `${id}: Idempotency-Key`,
    );

    const names = operation.security.flatMap(requirement => Object.keys(requirement));
    for (const name of names) t.ok(document.components.securitySchemes?.[name], name);
    const open = operation.security.every(requirement => Object.keys(requirement).length === 0);
    t.equal(
      open || operation.security.length === 0,
      row.auth === 'none' && !row.optionalAuth,
      `${id}: security`,
    );
    const takesKeys = row.auth === 'any' || Boolean(row.access?.scopes);
    t.equal(names.includes('apiKey'), takesKeys, `${id}: API keys`);
    t.strictSame(operation['x-api-key-scopes'], row.access?.scopes ?? undefined, `${id}: scopes`);
  }
});

t.test('what an API key implies is optional where keys are let in, and nowhere else', async t => {
  const find = (id: string) => described.find(({ operationId }) => operationId === id);
  const inQuery = (id: string) => find(id)?.parameters?.find(({ name }) => name === 'projectId');
  t.match(inQuery('listThreads'), { required: false, description: /Required with a Studio access token/ });
  t.match(inQuery('listApiKeys'), { required: true, description: 'The project.' });
  const { schemas = {} } = document.components;
  t.match(schemas['CreateThreadBody'], { required: undefined });
  t.match(schemas['CreateMessageBody'], {
    properties: { projectId: { description: /an API key implies its own/ } },
  });
  t.match(schemas['CreateApiKeyBody'], { required: ['projectId', 'name', 'environment', 'scopes'] });
});

t.test('answers are grouped by status and carry their headers', async t => {
  for (const [id, row] of rows) {
    if (row.hidden) continue;
    const responses = document.paths[row.path]?.[row.method.toLowerCase()]?.responses ?? {};
    const success = responses[row.success.status] as
      | { headers: Record<string, unknown>; content?: unknown }
      | undefined;
    t.ok(success?.headers['X-Request-Id'] && success.headers['Service-Version'], id);
    t.equal('Idempotent-Replayed' in (success?.headers ?? {}), row.idempotency !== 'none');
    t.equal(success?.content === undefined, row.success.body === null && row.auth !== 'stream');
    for (const code of row.errors) {
      const response = resolve(String(responses[errors[code].http]?.$ref)) as {
        description: string;
        content: Record<string, unknown>;
        headers: Record<string, unknown>;
      };
      t.ok(response.description.includes(code), `${id}: ${code}`);
      t.match(response.content['application/json'], {
        schema: { $ref: '#/components/schemas/ErrorBody' },
        examples: { [code.slice(4).replace('/', '.')]: { value: { error: code } } },
      });
      const { http } = errors[code];
      const mayBeInProgress = http === 409 && row.idempotency !== 'none';
      t.equal('Retry-After' in response.headers, [429, 503].includes(http) || mayBeInProgress);
    }
    if (row.body) t.ok(responses[400] && responses[413] && responses[422], `${id}: a body may be malformed`);
  }
  t.ok(document.paths['/threads/{threadId}/messages']?.post?.responses[200], 'the dry run');
});

t.test('what two people edit has a tag, and its changes take it', async t => {
  const tagged = rows.filter(([, row]) => row.tagged && row.rate === 'write');
  t.equal(tagged.length, 10);
  for (const [id, row] of rows) {
    const operation = document.paths[row.path]?.[row.method.toLowerCase()];
    const takes = operation?.parameters?.some(({ $ref }) => $ref === '#/components/parameters/IfMatch');
    t.equal(
      takes ?? false,
      tagged.some(([each]) => each === id),
      id,
    );
    t.equal(row.errors.includes('svc/runtime/precondition_failed'), takes ?? false, id);
    const success = operation?.responses[row.success.status] as { headers?: object } | undefined;
    t.equal('ETag' in (success?.headers ?? {}), row.tagged === true && row.success.body !== null, id);
  }
});

t.test('every tag is described', async t => {
  for (const { name, description } of document.tags) t.ok(description, `${name} is in openapi/document.ts`);
});

t.test('every body has an example that its schema takes', async t => {
  for (const [id, row] of rows) {
    if (row.hidden) continue;
    for (const [part, schema] of [
      ['body', row.body],
      ['success', row.success.body],
      ['alternative', row.alternative?.body],
    ] as const) {
      if (!schema) continue;
      t.strictSame(compile(schema)(createExample(schema), '') ?? [], [], `${id}: ${part}`);
    }
    for (const part of [row.params, row.query]) {
      const { properties = {} } = (part ?? {}) as { readonly properties?: Record<string, TSchema> };
      for (const [name, schema] of Object.entries(properties)) {
        t.strictSame(compile(schema)(createExample(schema, name), '') ?? [], [], `${id}: ${name}`);
      }
    }
  }
  for (const [name, type] of Object.entries<EventType>(eventTypes)) {
    t.strictSame(compile(type.data)(createEventData(name as EventName), '') ?? [], [], name);
  }
});

t.test('every event that is delivered is a webhook, and each event is a member of one union', async t => {
  const types = Object.entries<EventType>(eventTypes);
  const delivered = types.filter(([, type]) => !type.ephemeral).map(([name]) => name);
  const ephemeral = types.filter(([, type]) => type.ephemeral).map(([name]) => name);
  t.strictSame(Object.keys(document.webhooks), delivered);
  const readUnion = (title: string) => {
    const { oneOf, discriminator } = document.components.schemas?.[title] as {
      oneOf: { $ref: string }[];
      discriminator: { propertyName: string; mapping: Record<string, string> };
    };
    t.equal(discriminator.propertyName, 'eventName');
    t.strictSame(
      Object.values(discriminator.mapping),
      oneOf.map(({ $ref }) => $ref),
    );
    for (const [name, ref] of Object.entries(discriminator.mapping)) {
      t.match(resolve(ref), {
        required: ['eventId', 'eventName'],
        properties: { eventName: { const: name } },
      });
    }
    return discriminator.mapping;
  };
  const union = readUnion('Event');
  t.strictSame(Object.keys(union), delivered);
  t.strictSame(Object.keys(readUnion('EphemeralEvent')), ephemeral);
  for (const [name, webhook] of Object.entries(document.webhooks)) {
    const schema = { $ref: union[name] };
    t.match(webhook, { post: { requestBody: { content: { 'application/json': { schema } } } } });
  }
  const items = { $ref: '#/components/schemas/Event' };
  t.match(document.components.schemas, {
    EventList: { properties: { data: { items } } },
    ConsoleStreamEvent: { allOf: [items, { properties: { seq: { type: 'integer' } } }] },
  });
  const frames = { schema: { $ref: '#/components/schemas/StreamFrame' } };
  const opened = document.paths['/console/projects/{projectId}/events/stream']?.['get']?.responses[101];
  t.match(opened, { content: { 'application/json': frames } });
});

t.test('in requests a field with a default is said to have one, and is optional to generators', async t => {
  let marked = 0;
  for (const [place, { properties, additionalProperties, required = [] }] of objects(
    document.components.schemas,
  )) {
    if (additionalProperties !== false || typeof properties !== 'object') continue;
    for (const [name, field] of Object.entries(properties as Record<string, Record<string, unknown>>)) {
      t.notOk('default' in field, `${place}.${name}`);
      if (!('x-default' in field)) continue;
      marked++;
      t.notOk((required as string[]).includes(name));
    }
  }
  t.ok(marked > 20);
  t.match(document.components.schemas?.['CreateToolBody'], {
    properties: { method: { 'x-default': 'POST', description: 'Default: POST.' } },
  });
});

t.test('the refresh cookie is named as the server at that address names it', async t => {
  const nameAt = (baseUrl: string): unknown =>
    (openApiDocument({ baseUrl, docsUrl: baseUrl }) as unknown as Document).components['securitySchemes']?.[
      'refreshCookie'
    ]?.['name'];
  for (const baseUrl of ['https://api.example', 'http://127.0.0.1:8080']) {
    t.equal(nameAt(baseUrl), new RefreshCookie(baseUrl).name);
  }
});

t.test('two resources of one title would be a defect, and stop the document', async t => {
  const { Components } = await import('../../../protocol/openapi/components.ts');
  const components = new Components();
  components.refer({ title: 'A', type: 'string' });
  t.strictSame(components.refer({ title: 'A', type: 'string' }), { $ref: '#/components/schemas/A' });
  t.throws(() => components.refer({ title: 'A', type: 'number' }), /two schemas are titled A/);
});
