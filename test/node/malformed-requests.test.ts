/** Malformed paths, bodies and cursors: the node refuses each with a status of the contract, and logs no fault. */
import t from 'tap';
import { newId, type Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Message } from '../../protocol/resources/message.ts';
import { shareSkein } from '../support/skein.ts';
import type { Asked, Client, ListOf, Refusal, Reply } from './client.ts';
import { fields, sample } from './sample.ts';
import { newStitch } from './tenant.ts';

const skein = await shareSkein(t);
const logged = skein.log.lines.length;
const tenant = await skein.tenant();
const { key, person, projectId, environmentId, workspaceId, channelId } = tenant;
const { threadId } = await key.get<Message>('createInboundMessage', {
  params: { channelId },
  body: { projectId, externalParticipantRef: 'ada', body: 'hello' },
});

t.test('malformed paths get 404 or 422, never 5xx', async t => {
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

t.test('malformed, huge and deeply nested bodies get 400, 413 or 422', async t => {
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

/** Makes two of everything that a list shows. Returns the ids that lists ask for. */
async function fillLists(): Promise<Partial<Record<Resource, string>>> {
  const ids: Partial<Record<Resource, string>> = {
    project: projectId,
    environment: environmentId,
    workspace: workspaceId,
    user: tenant.userId,
    channel: channelId,
    thread: threadId,
  };
  for (const n of [1, 2]) {
    await key.get('createChannel', { body: { projectId, environmentId, name: `List ${n}`, kind: 'custom' } });
    ids.stitch = (await newStitch(tenant, 'http://127.0.0.1:2/')).stitchId;
    await key.get('createMessage', { params: { threadId }, body: { projectId, body: `List ${n}` } });
    await key.get('createThread', { body: { projectId, environmentId } });
    await person.get('createApiKey', {
      body: { projectId, name: 'List', environment: 'test', scopes: ['*'] },
    });
    await person.get('createProject', { body: { workspaceId, name: `List ${n}` } });
    await person.get('createWorkspace', { body: { name: `List ${n}` } });
  }
  return ids;
}

t.test('cursors that were edited, cut, lengthened or made for another list get 400', async t => {
  const ids = await fillLists();
  const ask = ({ access }: Operation, id: OperationId, asked: Asked): Promise<Reply<unknown>> => {
    const by: Client = access === undefined || access.scopes === null ? person : key;
    return by.ask(id, asked);
  };
  const lists = (Object.entries(operations) as [OperationId, Operation][]).filter(([, operation]) =>
    fields(operation).some(({ name }) => name === 'cursor'),
  );
  const cursors = new Map<
    OperationId,
    { readonly cursor: string; turn(cursor: string): Promise<Reply<unknown>> }
  >();
  for (const [id, operation] of lists) {
    const asked = sample(operation, resource => ids[resource] ?? newId(resource));
    const query = { ...asked.query, limit: 1 };
    const { body } = await ask(operation, id, { ...asked, query });
    const cursor = (body as ListOf<unknown>).nextCursor;
    if (typeof cursor !== 'string') continue;
    cursors.set(id, {
      cursor,
      turn: other => ask(operation, id, { ...asked, query: { ...query, cursor: other } }),
    });
  }
  t.ok(cursors.size >= 12, `${cursors.size} lists have a second page`);
  for (const [id, { cursor, turn }] of cursors) {
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
    t.equal((await turn(cursor)).status, 200, id);
    for (const text of edited) {
      const { status, body } = await turn(text);
      const { error } = body as Refusal;
      if (status !== 400 || error !== 'svc/runtime/invalid_request')
        t.fail(`${id} ${text}: ${status} ${error}`);
    }
  }
});

t.test('the node still serves, and has logged no error', async t => {
  t.equal((await key.send('GET', '/readyz')).status, 200);
  t.same(
    skein.log.lines.slice(logged).filter(({ level }) => level >= 50),
    [],
  );
});
