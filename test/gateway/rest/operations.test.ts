/** The stages of a request up to its handler, and what becomes of the handler's answer. */
import { Registry } from 'prom-client';
import t from 'tap';
import { Authority } from '../../../gateway/pipeline/authorise.ts';
import { showTraffic } from '../../../gateway/http/traffic.ts';
import { PartsReader } from '../../../gateway/pipeline/parts.ts';
import { ReadAdmission } from '../../../gateway/pipeline/read-admission.ts';
import { AnswerMetrics, RestEndpoint, serveOperations } from '../../../gateway/rest/operations.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import { systemClock } from '../../../runtime/time/clock.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import type { HttpRequest } from '../../../gateway/http/message.ts';
import { docsUrl, MemoryLog, startServer } from '../http/http-fixture.ts';
import {
  otherProjectId,
  projectId,
  sandbox,
  startRest,
  table,
  tenancy,
  type TestHandlers,
} from './rest-fixture.ts';

const note = { projectId, text: 'hello' };
const as = 'writer';

t.test('a request becomes a call: parts by their schemas, scope by the key', async t => {
  const { ask } = await startRest(t);
  const created = await ask('POST', '/v1/notes', { as, body: { ...note, metadata: { a: [1, null] } } });
  t.equal(created.status, 201, 'the status of the row');
  t.same(created.json, {
    body: { ...note, metadata: { a: [1, null] } },
    project: { projectId, environmentId: sandbox, environmentKind: 'sandbox', role: 'key' },
  });
  const read = await ask('GET', `/v1/notes/note_%61?limit=7&projectId=${projectId}`, { as });
  t.same(read.json?.params, { noteId: 'note_a' });
  t.same(read.json?.query, { limit: 7, projectId });
  t.same((await ask('GET', '/v1/notes/note_a', { as })).json?.query, { limit: 50 }, 'defaults');
});

t.test('an unknown parameter of the query is refused by name, with those that there are', async t => {
  const { ask } = await startRest(t);
  const issues = async (method: string, path: string): Promise<unknown> => {
    const body = method === 'GET' ? {} : { body: note };
    const { status, json } = await ask(method, path, { as, ...body });
    t.equal(status, 422);
    return json?.details?.['issues'];
  };
  t.match(await issues('GET', '/v1/notes/note_a?limt=7&limit=0&a%2Fb'), [
    { path: '/query/limt', message: /which takes .*limit/, code: 'additionalProperties' },
    { path: '/query/a~1b', code: 'additionalProperties' },
    { path: '/query/limit', code: 'minimum' },
  ]);
  t.match(await issues('POST', '/v1/notes?dryrun=true'), [{ path: '/query/dryrun', message: /takes none/ }]);
  const reader = new PartsReader({ ...table.getNote, ignoresUnknownQuery: true });
  const request = { query: 'more=1', params: ['note_a'] } as unknown as HttpRequest;
  t.match(reader.read(request), { params: { noteId: 'note_a' } }, 'but of another system');
});

t.test('401, then 403, before the body is read', async t => {
  const { ask } = await startRest(t);
  const text = '{broken';
  t.equal((await ask('POST', '/v1/notes', { text })).json?.error, 'svc/auth/missing_credentials');
  t.equal((await ask('POST', '/v1/notes', { as: 'forged', text })).json?.error, 'svc/auth/invalid_token');
  t.equal(
    (await ask('POST', '/v1/notes', { as: 'reader', text })).json?.error,
    'svc/auth/insufficient_scope',
  );
  t.equal((await ask('POST', '/v1/notes', { as: 'writer', text })).status, 400);
});

t.test('the answer is the handler’s: status, text, headers', async t => {
  const { ask } = await startRest(t, {
    createNote: () => ({
      status: 202,
      json: '{"n": 1}',
      body: 'not this',
      headers: { Location: '/v1/notes/1' },
    }),
    administer: () => Promise.resolve({}),
    getNote: () => ({ body: { n: 2 } }),
  });
  const created = await ask('POST', '/v1/notes', { as, body: note });
  t.equal(created.status, 202);
  t.equal(created.text, '{"n": 1}', 'to the byte');
  t.equal(created.headers.get('location'), '/v1/notes/1');
  const done = await ask('PUT', '/v1/workspaces/ws_one', { as: 'owner' });
  t.equal(done.status, 204);
  t.equal(done.text, '');
  t.same((await ask('GET', '/v1/notes/note_1', { as })).json, { n: 2 });
});

t.test(
  'a handler’s refusal is the answer, a defect is a 500 that names the operation in the log only',
  async t => {
    const log = new MemoryLog();
    const { ask } = await startRest(
      t,
      {
        createNote: () => {
          throw new ServiceError('svc/runtime/conflict', { details: { threadId: 'thread_1' } });
        },
        getNote: () => Promise.reject(new Error('secret')),
        listNotes: () => {
          throw new TypeError('secret');
        },
      },
      { log },
    );
    const conflict = await ask('POST', '/v1/notes', { as, body: note });
    t.equal(conflict.status, 409);
    t.match(conflict.json, { error: 'svc/runtime/conflict', details: { threadId: 'thread_1' } });
    t.equal(conflict.json?.requestId, conflict.headers.get('x-request-id'));
    for (const path of ['/v1/notes/note_1', `/v1/notes?projectId=${projectId}`]) {
      const { status, text } = await ask('GET', path, { as });
      t.equal(status, 500);
      t.notMatch(text, /secret/);
    }
    t.same(
      log.entries.map(entry => entry.fields.operation),
      ['getNote', 'listNotes'],
    );
  },
);

t.test('call gives headers, cookies and the instant', async t => {
  let seen: unknown;
  const { ask } = await startRest(t, {
    publicNote: call => {
      seen = [call.cookie('a'), call.cookie('b'), call.cookie('none'), call.header('x-one'), call.address];
      t.ok(Math.abs(call.now - Date.now()) < 60_000);
      t.equal(call.caller, undefined);
      return {};
    },
  });
  await ask('GET', '/v1/public', { headers: { Cookie: 'a=1; b=x=y;c', 'X-One': 'one' } });
  t.same(seen, ['1', 'x=y', undefined, 'one', '127.0.0.1']);
});

t.test('rows of the root are served there and under /v1; streams are not served at all', async t => {
  const { ask } = await startRest(t);
  t.equal((await ask('GET', '/public')).status, 200);
  t.equal((await ask('GET', '/v1/public')).status, 200);
  t.equal((await ask('GET', '/v1/stream')).status, 404);
  t.equal((await ask('GET', '/notes', { as })).status, 404);
});

t.test('every answer is counted', async t => {
  const registry = new Registry();
  const { server } = await startServer(t, () => undefined);
  showTraffic(registry, server);
  const { ask } = await startRest(t, {}, { metrics: new AnswerMetrics(registry) });
  await ask('POST', '/v1/notes', { as, body: note });
  await ask('POST', '/v1/notes', { as, body: note });
  await ask('POST', '/v1/notes', { as, body: {} });
  const text = await registry.metrics();
  t.match(text, 'skein_rest_answers_total{operation="createNote",status="201"} 2');
  t.match(text, 'skein_rest_answers_total{operation="createNote",status="422"} 1');
  t.match(text, 'skein_rest_milliseconds_count 3');
  t.match(text, 'skein_http_in_flight 0');
});

t.test('with a known caller a request runs in one go up to its handler', t => {
  const { listNotes } = table;
  let asked = 0;
  const endpoint = new RestEndpoint(
    'listNotes',
    listNotes,
    () => {
      asked++;
      return { json: '{}' };
    },
    {
      authenticator: {
        authenticate: () => ({
          type: 'key',
          apiKeyId: 'key_1',
          firstKeyId: 'key_1',
          projectId,
          environmentId: sandbox,
          environmentKind: 'sandbox',
          scopes: new Set(['*'] as const),
          createdByUserId: 'usr_1',
        }),
      },
      tenancy,
      idempotency: undefined as never,
      clock: systemClock,
      log: new MemoryLog(),
      docsUrl,
    },
  );
  const answer = endpoint.serve({
    method: 'GET',
    path: '/v1/notes',
    query: `projectId=${projectId}`,
    params: [],
    requestId: 'req_1',
    address: '',
    body: Buffer.alloc(0),
    header: () => '',
  });
  t.notOk(answer instanceof Promise, 'no promise was made');
  t.equal(asked, 1);
  t.end();
});

t.test('a table that cannot be served does not start', async t => {
  await startServer(t, server => {
    t.throws(
      () => serveOperations(server, table, {} as TestHandlers, undefined as never),
      /createNote has no handler/,
    );
  });
  t.throws(() => new PartsReader({ ...table.getNote, path: '/notes' }), /parameter schema/);
  t.ok(new Authority(table.getNote, tenancy).inProject);
});

t.test(
  'a project whose reads do not end holds up no other, nor its own writes, and then gets a 503',
  async t => {
    const clock = new VirtualClock();
    let begun = 0;
    let finish = (): void => undefined;
    const finished = new Promise<void>(resolve => (finish = resolve));
    const { ask } = await startRest(
      t,
      {
        listNotes: async call => {
          if (call.query.projectId === projectId) {
            begun++;
            await finished;
          }
          return { body: { projectId, text: 'read' } };
        },
      },
      { reads: new ReadAdmission(clock) },
    );
    const list = (id: string) => ask('GET', `/v1/notes?projectId=${id}`, { as: 'owner' });
    const reads = Array.from({ length: 205 }, () => list(projectId));
    const refused = await Promise.race(reads);
    t.equal(refused.status, 503);
    t.match(refused.json?.details, { reason: 'overloaded' });
    t.equal((await list(otherProjectId)).status, 200);
    t.equal((await ask('POST', '/v1/notes', { as: 'owner', body: note })).status, 201);
    t.equal(begun, 4, 'half of the reads that there may be at once');
    finish();
    const statuses = (await Promise.all(reads)).map(({ status }) => status);
    t.equal(statuses.filter(status => status === 200).length, 204, 'those that waited get their turn');
  },
);

t.test(
  'a request that stores something is charged for its body, also where that comes in chunks',
  async t => {
    const charged: number[] = [];
    const { ask, url } = await startRest(
      t,
      {},
      {
        room: {
          disk: { isFull: false },
          full: new Map(),
          known: { has: () => true },
          learn: () => Promise.resolve(),
          refuse: () => undefined,
          charge: (_, bytes) => charged.push(bytes),
        },
      },
    );
    const text = JSON.stringify(note) + ' '.repeat(10_000);
    t.equal((await ask('POST', '/v1/notes', { as, text })).status, 201);
    const { status } = await fetch(`${url}/v1/notes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${as}`, 'Content-Type': 'application/json' },
      body: new Blob([text]).stream(),
      duplex: 'half',
    });
    t.equal(status, 201);
    t.same(charged, [text.length + 1_024, text.length + 1_024]);
  },
);
