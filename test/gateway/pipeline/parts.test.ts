/** Path, query and body of a request: what is no JSON, what fits no schema, and what nobody should have to read. */
import t from 'tap';
import { PartsReader } from '../../../gateway/pipeline/parts.ts';
import { newId } from '../../../protocol/ids.ts';
import { operations } from '../../../protocol/operations/index.ts';
import { maxDepth } from '../../../protocol/validate.ts';
import { projectId, startRest } from '../rest/rest-fixture.ts';

const note = { projectId, text: 'hello' };
const as = 'writer';

t.test('invalid JSON is 400', async t => {
  const { ask } = await startRest(t);
  for (const [name, text] of Object.entries<string | Buffer>({
    'a broken object': '{"projectId":',
    'an empty body': '',
    'two values': '{}{}',
    'a byte order mark': Buffer.from('\ufeff{}'),
    'bytes that are no UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    'a raw control character': '{"text":"a\u0000b"}',
    'a comment': '{/**/}',
    'a single quote': "{'a':1}",
    'a number that JSON has not': '{"a":NaN}',
  })) {
    const { status, json } = await ask('POST', '/v1/notes', { as, text });
    t.equal(status, 400, name);
    t.equal(json?.error, 'svc/validation/invalid_request');
  }
});

t.test('a content type other than JSON is 400', async t => {
  const { ask } = await startRest(t);
  const post = async (type: string) =>
    (await ask('POST', '/v1/notes', { as, body: note, headers: { 'Content-Type': type } })).status;
  for (const type of [
    'text/plain',
    'application/jsonp',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/json; charset="utf-16"',
  ]) {
    t.equal(await post(type), 400, type);
  }
  for (const type of [
    'application/json',
    'application/json;charset=utf-8',
    'Application/JSON; charset="UTF-8"',
    'application/json; profile=x',
  ]) {
    t.equal(await post(type), 201, type);
  }
  const { status } = await ask('POST', '/v1/notes', {
    as,
    text: Buffer.from('{}'),
    headers: { 'Content-Type': '' },
  });
  t.equal(status, 400, 'none at all');
});

t.test('a PATCH may call its body a merge patch, and nothing else may', t => {
  const body = { name: 'Support' };
  const read = (reader: PartsReader, type: string): unknown =>
    reader.read({
      method: '',
      path: '',
      query: '',
      params: [newId('workspace')],
      requestId: '',
      address: '',
      body: Buffer.from(JSON.stringify(body)),
      header: name => (name === 'content-type' ? type : ''),
    });
  const patch = new PartsReader(operations.updateWorkspace);
  for (const type of ['application/merge-patch+json', 'application/merge-patch+json; charset=utf-8'])
    t.match(read(patch, type), { body });
  t.throws(() => read(patch, 'application/json-patch+json'), { message: /Content-Type/ });
  const post = new PartsReader(operations.createWorkspace);
  t.throws(() => read(post, 'application/merge-patch+json'), { message: /Content-Type/ });
  t.end();
});

t.test('If-Match of what has no ETag is refused: the change would be made in spite of it', async t => {
  const { ask } = await startRest(t);
  const headers = { 'If-Match': '"a"' };
  const { status, json } = await ask('POST', '/v1/notes', { as, body: note, headers });
  t.equal(status, 422);
  t.match(json?.details?.issues, [{ path: '/header/if-match' }]);
  t.equal((await ask('GET', `/v1/notes?projectId=${projectId}`, { as: 'writer', headers })).status, 200);
});

t.test('a parameter that is given twice is named so', async t => {
  const { ask } = await startRest(t);
  const path = `/v1/notes?projectId=${projectId}&projectId=${projectId}`;
  const { status, json } = await ask('GET', path, { as });
  t.equal(status, 422);
  t.match(json?.details?.issues, [{ path: '/query/projectId', message: /more than once/ }]);
});

t.test('a compressed body is 415, and the answer names the header', async t => {
  const { ask } = await startRest(t);
  const post = (encoding: string) =>
    ask('POST', '/v1/notes', { as, body: note, headers: { 'Content-Encoding': encoding } });
  for (const encoding of ['gzip', 'br', 'gzip, identity', 'nonsense']) {
    const { status, json } = await post(encoding);
    t.equal(status, 415, encoding);
    t.match(json, { error: 'svc/validation/invalid_request', message: /Content-Encoding/ });
  }
  t.equal((await post('Identity')).status, 201);
});

t.test('a schema violation is 422 and names the field', async t => {
  const { ask } = await startRest(t);
  const getIssues = async (body: unknown) => {
    const { status, json } = await ask('POST', '/v1/notes', { as, body });
    t.equal(status, 422, JSON.stringify(body));
    t.equal(json?.error, 'svc/validation/invalid_request');
    return json?.details?.issues?.map(issue => `${issue.path} ${issue.code}`);
  };
  t.same(await getIssues({ projectId }), ['/body/text required']);
  t.same(await getIssues({ ...note, extra: 1 }), ['/body/extra additionalProperties']);
  t.same(await getIssues({ ...note, text: 'x'.repeat(21) }), ['/body/text maxLength']);
  t.same(await getIssues({ ...note, text: 'a\0b' }), ['/body/text text']);
  t.same(await getIssues({ ...note, text: '\ud800' }), ['/body/text text']);
  t.same(await getIssues({ ...note, metadata: { deep: { 'a/b': ['x\0'] } } }), [
    '/body/metadata/deep/a~1b/0 text',
  ]);
  t.same(await getIssues([]), ['/body type']);
  t.same(await getIssues(null), ['/body type']);
  t.equal((await ask('POST', '/v1/notes', { as, body: { ...note, text: '🙂'.repeat(20) } })).status, 201);
});

t.test('path and query are 422 too, all issues at once', async t => {
  const { ask } = await startRest(t);
  for (const [path, expected] of Object.entries({
    '/v1/notes/thread_1?limit=0': ['/path/noteId pattern', '/query/limit minimum'],
    '/v1/notes/note_1?limit=x': ['/query/limit type'],
    '/v1/notes/note_1?limit=': ['/query/limit type'],
    '/v1/notes/note_1?limit=1&limit=2': ['/query/limit type'],
    '/v1/notes/note_1?limit=1e1': ['/query/limit type'],
    '/v1/notes/note_%zz': ['/path/noteId encoding'],
    '/v1/notes/note_%00': ['/path/noteId pattern'],
    '/v1/notes/note_1?projectId=%ff': ['/query encoding'],
    '/v1/notes?projectId=prj_a+b': ['/query/projectId pattern'],
    [`/v1/notes?${'a=1&'.repeat(101)}`]: ['/query maxItems'],
  })) {
    const { status, json } = await ask('GET', path, { as });
    t.equal(status, 422, path.slice(0, 60));
    t.same(
      json?.details?.issues?.map(issue => `${issue.path} ${issue.code}`),
      expected,
    );
  }
});

t.test('deep nesting is refused at little cost', async t => {
  const { ask } = await startRest(t);
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
  for (const text of [
    nested(10_000),
    nested(500_000),
    objects(10_000),
    '['.repeat(1_000_000),
    `{"projectId":"${projectId}","text":"x","metadata":${objects(10_000)}}`,
    `{"projectId":"${projectId}","text":"x","metadata":{"a":${nested(400_000)}}}`,
    `{"projectId":"${projectId}","text":"\\u0041","metadata":{"a":${nested(400_000)}}}`,
  ]) {
    const { status } = await ask('POST', '/v1/notes', { as, text });
    t.ok(status === 400 || status === 422, `${text.length} characters: ${status}`);
  }
  const deepest = { ...note, metadata: JSON.parse(objects(maxDepth - 1)) as unknown };
  t.equal((await ask('POST', '/v1/notes', { as, body: deepest })).status, 201, 'a sane depth is taken');
});

t.test('a field named __proto__ is refused, wherever it stands and however it is spelled', async t => {
  const { ask } = await startRest(t);
  for (const metadata of [
    '{"__proto__":{"polluted":true}}',
    '{"a":[{"__proto__":1}]}',
    '{"\\u005f_proto__":1}',
    '{"__pr\\u006Fto__":1}',
  ]) {
    const text = `{"projectId":"${projectId}","text":"x","metadata":${metadata}}`;
    const { status, json } = await ask('POST', '/v1/notes', { as, text });
    t.equal(status, 422, metadata);
    t.equal(json?.details?.issues?.[0]?.code, 'name');
  }
  t.notOk('polluted' in {});
  const harmless = { ...note, text: 'see __proto__', metadata: { constructor: 1, toString: 'x' } };
  t.equal((await ask('POST', '/v1/notes', { as, body: harmless })).status, 201, 'as a value it is text');
});
