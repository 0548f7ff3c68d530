/** Requests that are rubbish as a whole: paths, bodies and cursors that none of ours would send. */
import t, { type Test } from 'tap';
import type { Operation } from '../../protocol/operation.ts';
import type { OperationId } from '../../protocol/operations/table.ts';
import type { Asked, ListOf, Refusal, Reply } from './client.ts';
import { note, startTarget, tried } from './malformed-target.ts';
import { fields } from './sample.ts';
import { newStitch } from './tenant.ts';

const { tenant, threadId, good, getCaller, assertHealthy } = await startTarget(t);
const { key, person, projectId, environmentId, workspaceId, channelId } = tenant;

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

t.test('cursors that were edited, cut, lengthened or made for another list get 400', async t => {
  await fillLists(t);
  const lists = tried.filter(([, operation]) => fields(operation).some(({ name }) => name === 'cursor'));
  const cursors = new Map<
    OperationId,
    { readonly cursor: string; readonly operation: Operation; readonly asked: Asked }
  >();
  for (const [id, operation] of lists) {
    const asked = good(operation);
    const query = { ...asked.query, limit: 1 };
    const { body } = await getCaller(operation).ask<ListOf<unknown>>(id, { ...asked, query });
    // Templates are listed by the chat provider, which this node has none of.
    if (typeof body.nextCursor === 'string')
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
      getCaller(operation).ask(id, { ...asked, query: { ...asked.query, cursor: text } });
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
    await newStitch(tenant, 'http://127.0.0.1:2/');
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

t.test('after all this the node serves, and has no fault to report', assertHealthy);
