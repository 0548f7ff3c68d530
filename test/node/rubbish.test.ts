/** Rubbish of every sort, at every operation of the table: it is refused by its name, and never a fault of ours. */
import fc from 'fast-check';
import t, { type Test } from 'tap';
import { newId, prefixes, type Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Message } from '../../protocol/resources/message.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import {
  ContractBroken,
  Line,
  type Asked,
  type Client,
  type ListOf,
  type Refusal,
  type Reply,
} from './client.ts';
import { fields, sample, type Field, type Part } from './sample.ts';
import { keepsSecrets } from './secrets.ts';
import { newStitch, signUp } from './tenant.ts';

t.setTimeout(90_000);

const { url } = await startTestDatabase(t);
const node = await NodeProcess.make(t, { DATABASE_URL: url, ALLOW_PRIVATE_ADDRESSES: 'true' });
await node.start();
const line = new Line(node.url, t);
const tenant = await signUp(line);
const { key, person, projectId, environmentId, workspaceId, userId, apiKeyId, channelId } = tenant;
const { threadId, messageId } = await key.get<Message>('createInboundMessage', {
  params: { channelId },
  body: { projectId, externalParticipantRef: 'ada', body: 'hello' },
});
const { stitchId } = await newStitch(tenant, 'http://127.0.0.1:1/');
const { deliveryId } = await key.get<{ deliveryId: string }>('testStitch', {
  params: { stitchId },
  body: { projectId },
});

const own: Partial<Record<Resource, string>> = {
  ...{
    project: projectId,
    environment: environmentId,
    workspace: workspaceId,
    user: userId,
    apiKey: apiKeyId,
  },
  ...{ channel: channelId, thread: threadId, message: messageId, stitch: stitchId, delivery: deliveryId },
};
const ownOrNew = (resource: Resource): string => own[resource] ?? newId(resource);

/** What may be tried without the test losing what it stands on. */
const tried = (Object.entries(operations) as [OperationId, Operation][]).filter(
  ([id, { auth }]) =>
    !['stream', 'refresh'].includes(auth) && !['logout', 'revokeApiKey', 'archiveStitch'].includes(id),
);

function callerOf({ access }: Operation): Client {
  return access === undefined || access.scopes === null ? person : key;
}

function put(operation: Operation, { part, name }: Pick<Field, 'part' | 'name'>, value: unknown): Asked {
  const request = sample(operation, ownOrNew);
  return { ...request, [part]: { ...(request[part] as object), [name]: value } };
}

/** Asks, and notes an answer that is not of the contract or not of the wanted statuses. */
async function note(
  faults: string[],
  name: string,
  statuses: readonly number[],
  ask: () => Promise<Reply<unknown>>,
) {
  try {
    const { status, text } = await ask();
    if (statuses.length > 0 && !statuses.includes(status))
      faults.push(`${name}: ${status} ${text.slice(0, 300)}`);
  } catch (error) {
    if (!(error instanceof ContractBroken)) throw error;
    faults.push(`${name}: ${error.message.slice(0, 400)}`);
  }
}

const isText = ({ schema }: Field): boolean => schema.type === 'string' && schema.enum === undefined;
const texts = (part: Part): [OperationId, Operation, Field][] =>
  tried.flatMap(([id, operation]) =>
    fields(operation)
      .filter(field => field.part === part && isText(field))
      .map(field => [id, operation, field] as [OperationId, Operation, Field]),
  );

t.test('text that cannot be kept is 422, in every field', async t => {
  const faults: string[] = [];
  for (const [id, operation, field] of texts('body')) {
    for (const bad of ['\0', 'a\0b', '\ud800', 'a\udfffb', '\udc00\ud800']) {
      // A password is not kept, so that login takes any: then it is merely wrong.
      const statuses = id === 'login' ? [422, 401] : [422];
      const name = `${id} ${field.name} ${JSON.stringify(bad)}`;
      await note(faults, name, statuses, () => callerOf(operation).ask(id, put(operation, field, bad)));
    }
  }
  for (const [id, operation, field] of texts('query')) {
    await note(faults, `${id} ?${field.name}`, [422], () =>
      callerOf(operation).ask(id, put(operation, field, 'a\0b')),
    );
  }
  for (const [id, operation] of tried) {
    for (const field of fields(operation).filter(
      each => each.part === 'body' && each.schema.type === 'object',
    )) {
      for (const bad of [{ 'k\0': 1 }, { k: ['\0'] }, { k: { k: '\ud800' } }, { '\udfff': null }]) {
        const name = `${id} ${field.name} ${JSON.stringify(bad)}`;
        await note(faults, name, [422], () => callerOf(operation).ask(id, put(operation, field, bad)));
      }
    }
  }
  t.same(faults, []);
});

t.test('what is beyond its limits is 422, in every field; at the limit it is not', async t => {
  const faults: string[] = [];
  const tooMuch = async (
    id: OperationId,
    operation: Operation,
    field: Field,
    value: unknown,
  ): Promise<void> => {
    // A wrong e-mail address and password are no malformed ones.
    const statuses = id === 'login' ? [422, 401] : [422];
    const name = `${id} ${field.part} ${field.name} beyond`;
    await note(faults, name, statuses, () => callerOf(operation).ask(id, put(operation, field, value)));
  };
  for (const [id, operation] of tried) {
    for (const field of fields(operation)) {
      const { maxLength, maxItems, minLength, minimum, maximum, type } = field.schema;
      // Characters of four bytes: a limit in code points is neither one in bytes nor in UTF-16 units. In a query they would
      // be twelve, and more than the server takes of a head.
      if (type === 'string' && maxLength !== undefined) {
        await tooMuch(id, operation, field, (field.part === 'query' ? 'x' : '𝄞').repeat(maxLength + 1));
        if (field.schema.format === undefined && field.part === 'body') {
          const name = `${id} ${field.name} at its limit`;
          await note(faults, name, [], async () => {
            const reply = await callerOf(operation).ask(id, put(operation, field, '𝄞'.repeat(maxLength)));
            if (JSON.stringify(reply.body).includes('maxLength')) throw new ContractBroken(reply.text);
            return reply;
          });
        }
      }
      if (minLength !== undefined && minLength > 0)
        await tooMuch(id, operation, field, 'x'.repeat(minLength - 1));
      if (maxItems !== undefined)
        await tooMuch(
          id,
          operation,
          field,
          Array.from({ length: maxItems + 1 }, () => 'x'),
        );
      if (minimum !== undefined) await tooMuch(id, operation, field, minimum - 1);
      if (maximum !== undefined) await tooMuch(id, operation, field, maximum + 1);
      if (type === 'integer') await tooMuch(id, operation, field, 1.5);
    }
  }
  t.same(faults, []);
});

/** What fits the schemas and is on the edge of what those behind them can hold. */
const instants = [
  ...[
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+23:59',
    '1969-12-31T23:59:59.999Z',
    '9999-12-31T23:59:59.999Z',
  ],
  ...['9999-12-31T23:59:59.999-23:59', '2024-02-29T12:00:00.123456789Z', '2016-12-31T23:59:60Z'],
];
const integers = [0, -1, 1e15, Number.MAX_SAFE_INTEGER, 2 ** 53, 1e20, 1e308, -1e308];
const strangeIds = ['0', '_', '-'.repeat(128), 'z'.repeat(26), '7zzzzzzzzzzzzzzzzzzzzzzzzz', 'A'.repeat(128)];

t.test('what is strange and permitted is an answer of the contract', async t => {
  const faults: string[] = [];
  for (const [id, operation] of tried) {
    for (const field of fields(operation)) {
      const { format, type } = field.schema;
      const values =
        field.resource !== undefined
          ? strangeIds.map(text => `${prefixes[field.resource ?? 'event']}_${text}`)
          : format === 'date-time'
            ? instants
            : type === 'integer'
              ? integers
              : field.schema.pattern === undefined && isText(field)
                ? [
                    "'; drop table users; --",
                    '%',
                    '\\',
                    '../../etc/passwd',
                    '\u202e',
                    ' ',
                    '{{7*7}}',
                    '\r\nX: 1',
                    'null',
                  ]
                : [];
      for (const value of values) {
        const name = `${id} ${field.part} ${field.name} ${String(value).slice(0, 40)}`;
        await note(faults, name, [], () => callerOf(operation).ask(id, put(operation, field, value)));
      }
    }
  }
  t.same(faults, []);
});

t.test('paths that are none: 404 or 422, and never 5xx', async t => {
  for (const rest of [
    '%00',
    '%ff',
    '%',
    '%zz',
    '..',
    '%2e%2e%2f',
    'thread_%00',
    `thread_${'a'.repeat(4_000)}`,
    '%F0%9F%98',
  ]) {
    const { status } = await key.send('GET', `/v1/threads/${rest}`);
    t.ok([400, 404, 422, 431].includes(status), `${rest.slice(0, 20)}: ${status}`);
  }
  for (const query of [
    'projectId=%00',
    'projectId=%ff',
    '%',
    '&&&=&=',
    `cursor=${'a'.repeat(2_000)}`,
    'limit=1&limit=2',
  ]) {
    const { status } = await key.send('GET', `/v1/threads?${query}`);
    t.equal(status, 422, query.slice(0, 20));
  }
});

t.test('bodies that are no JSON, or JSON that nobody should read, are 400, 413 or 422', async t => {
  const bodies: readonly [string | Buffer, number][] = [
    ['', 400],
    ['{', 400],
    ['{"projectId":}', 400],
    ['\ufeff{}', 400],
    ["{'a':1}", 400],
    ['{"a":1}{}', 400],
    [Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 400],
    [Buffer.from('{"body":"\xc3"}', 'latin1'), 400],
    ['null', 422],
    ['[]', 422],
    ['"text"', 422],
    ['1e999', 422],
    ['{"__proto__":{"isAdmin":true}}', 422],
    ['{"constructor":{"prototype":{}}}', 422],
    ['['.repeat(100_000) + ']'.repeat(100_000), 422],
    [`{"metadata":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`, 422],
    [`{"metadata":{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":"\\u0000"`).join()}}}`, 422],
    [`{"body":"${'x'.repeat(1_048_600)}"}`, 413],
  ];
  for (const [text, wanted] of bodies) {
    for (const path of [
      '/threads',
      `/channels/${channelId}/inbound-messages`,
      `/threads/${threadId}/messages`,
      '/stitches',
    ]) {
      const headers = { 'idempotency-key': 'rubbish' };
      const { status, body } = await key.send<Refusal>('POST', `/v1${path}`, { text, headers });
      const name = `${path} ${text.toString('latin1').slice(0, 40)}`;
      t.equal(status, wanted, name);
      t.match(body, { error: 'svc/validation/invalid_request' }, name);
    }
  }
  for (const type of [
    'text/plain',
    'application/json; charset=latin1',
    'application/x-www-form-urlencoded',
    '',
  ]) {
    const { status } = await key.send('POST', '/v1/threads', {
      text: '{}',
      headers: { 'content-type': type },
    });
    t.equal(status, 400, type);
  }
});

/** Anything that JSON can say, with a taste for texts that hurt. */
const anything = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      null,
      true,
      false,
      0,
      -0,
      1,
      -1,
      1e308,
      5e-324,
      2 ** 53,
      '',
      ' ',
      '\0',
      '\ud800',
      '__proto__',
    ),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      ...instants,
      'http://127.0.0.1:1/',
      'https://user:pass@host/',
      'thread.*',
      'stitch.test.ping',
    ),
    fc.constantFrom(...Object.values(own)),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(fc.string({ maxLength: 8 }), tie('value'), { maxKeys: 5 }),
  ),
})).value;

t.test('bodies by chance', async t => {
  const posts = tried.filter(([id, { body }]) => body !== undefined && id !== 'signUp');
  const property = fc.asyncProperty(
    fc.constantFrom(...posts),
    fc.dictionary(fc.string({ maxLength: 8 }), anything, { maxKeys: 2 }),
    fc.array(fc.tuple(fc.nat(), fc.option(anything, { nil: undefined })), { maxLength: 4 }),
    async ([id, operation], extra, changes) => {
      const request = sample(operation, ownOrNew);
      const known = fields(operation).filter(({ part }) => part === 'body');
      const body: Record<string, unknown> = { ...(request.body as object), ...extra };
      for (const [index, value] of changes) body[known[index % known.length]?.name ?? ''] = value;
      await callerOf(operation).ask(id, { ...request, body });
    },
  );
  await t.resolves(fc.assert(property, { numRuns: 2_500, seed: 20_260_101 }));
});

t.test('cursors that were edited, cut, lengthened or made for another list are 400', async t => {
  await fillLists(t);
  const lists = tried.filter(([, operation]) => fields(operation).some(({ name }) => name === 'cursor'));
  const cursors = new Map<
    OperationId,
    { readonly cursor: string; readonly operation: Operation; readonly asked: Asked }
  >();
  for (const [id, operation] of lists) {
    const asked = sample(operation, ownOrNew);
    const query = { ...asked.query, limit: 1 };
    const { body } = await callerOf(operation).ask<ListOf<unknown>>(id, { ...asked, query });
    if (body.nextCursor !== null)
      cursors.set(id, { cursor: body.nextCursor, operation, asked: { ...asked, query } });
  }
  t.ok(cursors.size >= 12, `${cursors.size} lists have a second page`);
  const faults: string[] = [];
  for (const [id, { cursor, operation, asked }] of cursors) {
    const at = cursor.length >> 1;
    const other = cursor[at] === 'A' ? 'B' : 'A';
    const edited = [
      cursor.slice(0, at) + other + cursor.slice(at + 1),
      (cursor.startsWith('A') ? 'B' : 'A') + cursor.slice(1),
      cursor.slice(0, -1),
      `${cursor}A`,
      cursor.toUpperCase() === cursor ? cursor.toLowerCase() : cursor.toUpperCase(),
      ...['A', '!', '0', 'null', '[]'],
      ...[...cursors].filter(([each]) => each !== id).map(([, foreign]) => foreign.cursor),
    ];
    const turn = (text: string): Promise<Reply<unknown>> =>
      callerOf(operation).ask(id, { ...asked, query: { ...asked.query, cursor: text } });
    await note(faults, `${id} untouched`, [200], () => turn(cursor));
    for (const text of edited) {
      await note(faults, `${id} ${text}`, [400], async () => {
        const reply = await turn(text);
        const { error } = reply.body as Refusal;
        if (error !== 'svc/runtime/invalid_request') faults.push(`${id} ${text}: ${error}`);
        return reply;
      });
    }
  }
  t.same(faults, []);
});

/** Two of everything that can be listed. */
async function fillLists(t: Test): Promise<void> {
  for (const n of [1, 2]) {
    await key.get('createChannel', { body: { projectId, environmentId, name: `List ${n}`, kind: 'custom' } });
    await newStitch(tenant, 'http://127.0.0.1:1/');
    await key.get('createMessage', { params: { threadId }, body: { projectId, body: `List ${n}` } });
    await key.get('createThread', { body: { projectId, environmentId } });
    await person.get('createApiKey', {
      body: { projectId, name: 'List', environment: 'test', scopes: ['*'] },
    });
    await person.get('createProject', { body: { workspaceId, name: `List ${n}` } });
    await person.get('createWorkspace', { body: { name: `List ${n}` } });
  }
  t.pass('there is something to list');
}

t.test('after all this the node serves, and has no fault to report', async t => {
  t.equal((await key.send('GET', '/readyz')).status, 200);
  t.same(
    node.lines.filter(({ level }) => level >= 50),
    [],
  );
  keepsSecrets(t, node.output, line);
});
