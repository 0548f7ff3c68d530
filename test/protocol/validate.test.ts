import fc from '../support/fuzz.ts';
import t from 'tap';
import Type from 'typebox';
import { MessageContentInput } from '../../protocol/resources/content.ts';
import { ListThreadsQuery } from '../../protocol/resources/thread.ts';
import {
  codePoints,
  coerceQuery,
  compile,
  findUnstorable,
  matchesSchema,
  fitsMaxLength,
  fitsMinLength,
  isStorableText,
  maxDepth,
} from '../../protocol/validate.ts';
import { invalid } from '../../protocol/errors.ts';
import { isEmailAddress, isHttpUrl, isInstant } from '../../protocol/formats.ts';

t.test('a schema is compiled once', async t => {
  const schema = Type.Object({ a: Type.String() });
  t.equal(compile(schema), compile(schema));
  t.ok(matchesSchema(schema, { a: '' }));
  t.notOk(matchesSchema(schema, { a: 1 }));
});

t.test('what is wrong with a member of a union is said by the member that the value names', async t => {
  const check = (value: unknown): unknown => compile(MessageContentInput)(value, '/content');
  for (const value of [
    { type: 'text' },
    { type: 'location', latitude: 90, longitude: -180 },
    { type: 'reaction', emoji: null, messageId: 'msg_1' },
  ]) {
    t.equal(check(value), undefined);
  }
  t.strictSame(check({ type: 'location', latitude: 91 }), [
    { path: '/content/longitude', message: 'is required', code: 'required' },
    { path: '/content/latitude', message: 'must be <= 90', code: 'maximum' },
  ]);
  t.match(check({ type: 'media', kind: 'image', more: 1 }), [
    { path: '/content/more', code: 'additionalProperties' },
  ]);
  t.match(check({ type: 'order' }), [{ path: '/content/type', code: 'enum' }], 'in answers only');
  t.match(check({ latitude: 1 }), [{ path: '/content/type', code: 'required' }]);
  for (const value of [null, 'text', []]) t.match(check(value), [{ path: '/content', code: 'type' }]);
});

t.test('a format that nobody defined stops the compilation', async t => {
  t.throws(
    () => compile(Type.Object({ a: Type.String({ format: 'date_time' }) })),
    /unknown format date_time/,
  );
});

t.test('issues name the field by a JSON pointer, once each, however many there are', async t => {
  const inner = Type.Object({ x: Type.Integer() }, { additionalProperties: false });
  const schema = Type.Object({ 'a/b': inner, list: Type.Array(inner) }, { additionalProperties: false });
  t.strictSame(compile(schema)({ 'a/b': { 'y~z': 1 }, list: [{ x: 'no' }] }, '/body'), [
    { path: '/body/a~1b/x', message: 'is required', code: 'required' },
    { path: '/body/a~1b/y~0z', message: 'is not a known field: there are x', code: 'additionalProperties' },
    { path: '/body/list/0/x', message: 'must be integer', code: 'type' },
  ]);
  const many = compile(schema)(
    { 'a/b': { x: 1 }, list: Array.from({ length: 50 }, () => ({ x: null })) },
    '',
  );
  t.equal(many?.length, 50);
  t.match(compile(schema)(null, '/body'), [{ path: '/body', code: 'type' }]);
});

t.test('what may stand in the place of a wrong value is said', async t => {
  const query = { projectId: 'thr_1', status: ['stau'], agentMode: [1] };
  const issues = compile(ListThreadsQuery)(query, '/query');
  t.match(issues, [
    { path: '/query/projectId', message: 'must be an id that begins with prj_' },
    { path: '/query/status', message: /^must be one of open, closed, archived/ },
  ]);
  t.match(compile(Type.Object({ archived: Type.Literal(false) }))({ archived: true }, ''), [
    { message: 'must be false' },
  ]);
  const error = invalid(issues ?? []);
  t.match(
    error.message,
    /^\/query\/projectId must be an id that begins with prj_ \(and \d more, see details.issues\)\.$/,
  );
  const long = invalid([{ path: `/body/${'x'.repeat(9_000)}`, message: 'is not a known field', code: 'x' }]);
  t.ok(long.message.length < 400, 'but what was sent is not repeated at any length');
});

t.test('a text that is too short or too long is told its limit', async t => {
  const validate = compile(
    Type.Object({ a: Type.String({ minLength: 1 }), b: Type.String({ maxLength: 2 }) }),
  );
  t.strictSame(validate({ a: '', b: 'abc' }, '/body'), [
    { path: '/body/a', message: 'must be 1 character or longer', code: 'minLength' },
    { path: '/body/b', message: 'must be 2 characters or shorter', code: 'maxLength' },
  ]);
});

t.test('a body of nothing but mistakes gets a hundred issues and no more', async t => {
  const closed = compile(Type.Object({}, { additionalProperties: false }));
  const mistakes = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`m${i}`, '\0']));
  t.equal(closed(mistakes, '')?.length, 100, 'unknown fields');
  t.equal(findUnstorable(mistakes)?.length, 100, 'bad text');
  t.equal(compile(Type.Array(Type.String()))(new Array(20_000).fill(1), '')?.length, 100, 'wrong types');
});

t.test('code points are counted, not UTF-16 units and not clusters', async () => {
  const text = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(text, fc.nat(20), (value, limit) => {
      const count = [...value].length;
      return (
        codePoints(value) === count &&
        fitsMaxLength(value, limit) === count <= limit &&
        fitsMinLength(value, limit) === count >= limit
      );
    }),
  );
  // Lone surrogates are no pair, whatever stands beside them.
  fc.assert(
    fc.property(fc.array(fc.constantFrom('\ud83d', '\ude00', 'a')), units => {
      const value = units.join('');
      return codePoints(value) === [...value].length;
    }),
  );
});

t.test('text that PostgreSQL cannot hold is refused wherever it stands', async t => {
  t.ok(isStorableText('a\n\u{1F600}\u0301'));
  for (const bad of ['\0', 'a\0b', '\ud800', 'a\udc00', '\udc00\ud800']) {
    t.notOk(isStorableText(bad));
    const schema = Type.Object({ name: Type.String(), metadata: Type.Unknown() });
    const issues = (value: object) =>
      compile(schema)(value, '/body')?.map(({ path, code }) => `${code} ${path}`);
    t.strictSame(issues({ name: bad, metadata: null }), ['text /body/name']);
    t.strictSame(issues({ name: '', metadata: { deep: [{ 'a/b': bad }] } }), [
      'text /body/metadata/deep/0/a~1b',
    ]);
    t.strictSame(issues({ name: '', metadata: { [bad]: 1 } }), ['text /body/metadata']);
  }
});

t.test('what JSON cannot give back is refused, and so is what nests too deep', async t => {
  t.match(findUnstorable(JSON.parse('{"a":[1e999]}'), ''), [{ path: '/a/0', code: 'number' }]);
  const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
  t.equal(findUnstorable(nested(maxDepth)), undefined);
  t.match(findUnstorable(nested(maxDepth + 1)), [{ code: 'depth' }]);
  t.match(findUnstorable(nested(200_000)), [{ code: 'depth' }], 'and cannot overflow the stack');
});

t.test('any JSON value of ordinary text is let through', async () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), value => {
      const text = JSON.stringify(value);
      return !/\\u0000/.test(text)
        ? findUnstorable(value) === undefined
        : findUnstorable(value) !== undefined;
    }),
  );
});

t.test('date-times are strict RFC 3339', async t => {
  for (const good of [
    '2026-11-03T12:00:00Z',
    '2026-11-03T12:00:00.123456789Z',
    '2026-11-03t12:00:00z',
    '2024-02-29T23:59:59+15:59',
    '2000-02-29T00:00:00-00:00',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999Z',
  ]) {
    t.ok(isInstant(good), good);
    t.notOk(Number.isNaN(Date.parse(good)));
  }
  for (const bad of [
    '',
    '2026-11-03',
    '2026-11-03T12:00Z',
    '2026-11-03T12:00:00',
    '2026-11-03 12:00:00Z',
    '2026-11-03T12:00:00.Z',
    '2026-11-03T12:00:00+0100',
    '2026-11-03T12:00:00[Europe/Lisbon]',
    '2026-11-03T12:00:00Z\n',
    '2026-02-30T12:00:00Z',
    '2023-02-29T12:00:00Z',
    '1900-02-29T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-00-01T12:00:00Z',
    '2026-01-00T12:00:00Z',
    '2026-11-03T24:00:00Z',
    '2026-11-03T12:60:00Z',
    '2026-12-31T23:59:60Z',
    '2026-11-03T12:00:00+16:00',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+02026-11-03T12:00:00Z',
  ]) {
    t.notOk(isInstant(bad), bad);
  }
  fc.assert(
    fc.property(fc.date({ min: new Date(0), noInvalidDate: true, max: new Date(4e12) }), date =>
      isInstant(date.toISOString()),
    ),
  );
});

t.test('addresses of webhooks are http or https, absolute, without userinfo', async t => {
  for (const good of [
    'https://a.example',
    'http://localhost:8080/hook?x=1#f',
    'HTTPS://A.EXAMPLE/%20',
    'https://[::1]/',
    'https://a.example/@path',
    'https://a.example/?q=x@y',
  ]) {
    t.ok(isHttpUrl(good), good);
  }
  for (const bad of [
    '',
    '/hook',
    '//a.example',
    'a.example',
    'https:',
    'https://',
    'https:a.example',
    'javascript:alert(1)',
    'data:text/plain,x',
    'ftp://a.example/',
    'file:///etc/passwd',
    'https://user@a.example/',
    'https://user:pass@a.example/',
    'https://:@a.example/',
    'https://@a.example/',
    'https://a.example\\@b.example/',
    'https://a b.example/',
    ' https://a.example/',
    'https://a.example/\n',
    'https://a.example:99999/',
    'https://\u00e9.example/',
  ]) {
    t.notOk(isHttpUrl(bad), bad);
  }
});

t.test('e-mail addresses are ASCII, and have a domain with a dot', async t => {
  for (const good of ['a@b.example', "o'neil+tag@mail.b-c.example", 'A@B.EXAMPLE'])
    t.ok(isEmailAddress(good), good);
  for (const bad of [
    '',
    'a',
    'a@b',
    '@b.example',
    'a@',
    'a@.example',
    'a@b.',
    'a@b..example',
    'a b@c.example',
    '"a b"@c.example',
    'a@[127.0.0.1]',
    'a@b@c.example',
    'a@b.example\n',
    'a@b.example,c@d.example',
    '\u00c4@b.example',
    '\u212a@b.example',
    'a@\u00fc.example',
  ]) {
    t.notOk(isEmailAddress(bad), bad);
  }
});

t.test('a query becomes what its schema speaks of', async t => {
  const schema = Type.Object({
    n: Type.Optional(Type.Integer()),
    f: Type.Optional(Type.Number()),
    b: Type.Optional(Type.Boolean()),
    s: Type.Optional(Type.String()),
    list: Type.Optional(Type.Array(Type.Integer())),
    d: Type.Optional(Type.Integer({ default: 7 })),
  });
  const read = (query: string) => coerceQuery(schema, new URLSearchParams(query));
  t.strictSame(read('n=10&f=-1.5&b=true&s=1&list=1&list=2'), {
    n: 10,
    f: -1.5,
    b: true,
    s: '1',
    list: [1, 2],
    d: 7,
  });
  t.strictSame(read('b=false&list=3&d=1'), { b: false, list: [3], d: 1 });
  t.strictSame(read('other=1&__proto__=2&constructor=3'), { d: 7 }, 'unknown names are left out');
  for (const value of ['', ' 1', '1e1', '0x10', '01', '+1', '1.0', 'NaN', 'Infinity', '9007199254740993']) {
    const query = read(`n=${encodeURIComponent(value)}`);
    t.equal(query.n, value, `"${value}" is no integer`);
    t.match(compile(schema)(query, '/query'), [{ path: '/query/n', code: 'type' }]);
  }
  for (const value of ['', '1', '0', 'TRUE', 'yes']) {
    t.match(compile(schema)(read(`b=${value}`), '/query'), [{ path: '/query/b', code: 'type' }]);
  }
  t.match(compile(schema)(read('n=1&n=1'), '/query'), [{ path: '/query/n' }], 'one value said twice');
  t.match(compile(schema)(read('s=a&s=b&s=c'), '/query'), [{ path: '/query/s' }]);
});

t.test('the defaults of a list', async t => {
  const query = coerceQuery(ListThreadsQuery, new URLSearchParams('projectId=prj_1'));
  t.strictSame(query, { projectId: 'prj_1', sort: 'lastMessageAt', order: 'desc', limit: 50 });
  t.equal(compile(ListThreadsQuery)(query, '/query'), undefined);
});
