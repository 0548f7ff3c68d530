/** What a customer may say of a tool: its headers and its inputSchema. */
import t from 'tap';
import { findHeaderIssues, findInputSchemaIssues } from '../../protocol/tool-definition.ts';

const codes = (headers: Record<string, string>): string[] =>
  findHeaderIssues(headers, '').map(({ code }) => code);
const schemaPaths = (schema: Record<string, unknown>): string[] =>
  findInputSchemaIssues(schema, '').map(({ path }) => path);

t.test('headers of a customer', async t => {
  t.same(codes({ Authorization: 'Bearer a b\tc', 'X-Api-Key': '!', accept: 'text/plain; q=0.5' }), []);
  for (const value of [
    '',
    ' ',
    ' a',
    'a ',
    'a\r\nX-Injected: 1',
    'a\nb',
    'a\0b',
    'ä',
    '😀',
    '\u007f',
    'a\u0001b',
  ]) {
    t.same(codes({ 'X-Key': value }), ['header'], JSON.stringify(value));
  }
  for (const name of ['', 'a b', 'a:', 'a\r\nb', 'ä', 'a(b)', '"a"', 'x'.repeat(129)]) {
    t.same(codes({ [name]: 'v' }), ['header'], JSON.stringify(name));
  }
  const reserved = `Host connection Keep-Alive proxy-authorization TE Trailer transfer-encoding Upgrade content-length
    Content-Type content-encoding expect Idempotency-Key Service-Signature service-event-id webhook-id x-request-id`;
  for (const name of reserved.split(/\s+/)) t.same(codes({ [name]: 'v' }), ['reserved'], name);
  t.same(codes({ 'X-Key': 'a', 'x-key': 'b' }), ['unique']);
  t.same(findHeaderIssues({ 'a/~': '' }, '/body/headers')[0]?.path, '/body/headers/a~1~0');
  t.notOk(
    JSON.stringify(findHeaderIssues({ host: 'hush', 'x y': 'hush', a: 'hush\n' }, '')).includes('hush'),
  );
});

t.test('an inputSchema that is one', async t => {
  const order = {
    type: 'object',
    required: ['orderId'],
    additionalProperties: false,
    description: 'An order.',
    properties: {
      orderId: { type: 'string', pattern: '^A-\\d+$', minLength: 3, examples: ['A-1'] },
      lines: { type: 'array', items: { $ref: '#/$defs/line' }, minItems: 1, uniqueItems: true },
      note: { type: ['string', 'null'], default: null },
      parent: { $ref: '#' },
      any: true,
      kind: { enum: ['a', 1, null], const: 'a' },
      price: { type: 'number', exclusiveMinimum: 0, multipleOf: 0.01 },
    },
    patternProperties: { '^x-': { anyOf: [{ type: 'string' }, { not: {} }] } },
    $defs: { line: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } } },
    'x-unknown': { type: 7 },
  };
  t.same(schemaPaths(order), []);
  t.same(schemaPaths({ type: 'object' }), []);
});

t.test('an inputSchema that is none', async t => {
  t.same(schemaPaths({}), ['/type']);
  t.same(schemaPaths({ type: ['object'] }), ['/type']);
  const faulty: Record<string, unknown> = {
    properties: [],
    required: ['a', 'a'],
    enum: [],
    allOf: [],
    anyOf: {},
    items: 1,
    pattern: '(',
    minLength: -1,
    maxItems: 1.5,
    multipleOf: 0,
    uniqueItems: 'yes',
    minimum: '1',
    format: 1,
    dependentRequired: { a: 'b' },
    patternProperties: { '[': {} },
    $id: 'https://a.example/',
    $dynamicRef: '#',
  };
  for (const [keyword, value] of Object.entries(faulty)) {
    const found = schemaPaths({ type: 'object', [keyword]: value });
    t.ok(found.length === 1 && found[0]?.startsWith(`/${keyword}`), keyword);
  }
  for (const $ref of ['https://a.example/s.json', 'other', '#/$defs/none', '#anchor', 1, '#/__proto__']) {
    t.same(
      schemaPaths({ type: 'object', properties: { a: { $ref } } }),
      ['/properties/a/$ref'],
      String($ref),
    );
  }
  t.same(schemaPaths({ type: 'object', properties: { a: { type: 'text' }, b: 1 } }), [
    '/properties/a/type',
    '/properties/b',
  ]);
});

t.test('an inputSchema is small, and not deep', async t => {
  let deep: Record<string, unknown> = { type: 'string' };
  for (let i = 0; i < 14; i++) deep = { type: 'array', items: deep };
  t.same(schemaPaths({ type: 'object', properties: { deep } }), []);
  t.equal(schemaPaths({ type: 'object', properties: { deep: { type: 'array', items: deep } } }).length, 1);
  const description = (length: number) => ({ type: 'object', description: 'x'.repeat(length) });
  const frame = JSON.stringify(description(0)).length;
  t.same(findInputSchemaIssues(description(32_768 - frame), ''), []);
  t.match(findInputSchemaIssues(description(32_769 - frame), ''), [{ code: 'size' }]);
});
