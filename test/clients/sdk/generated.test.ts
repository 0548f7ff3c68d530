/** The generated client fits the contract. */
import t from 'tap';
import { readCalls } from '../../../clients/sdk/generator/calls.ts';
import type { OpenApiDocument } from '../../../clients/sdk/generator/document.ts';
import { formatComment, formatType } from '../../../clients/sdk/generator/type-text.ts';
import { apiVersion as ownVersion, Skein } from '../../../clients/sdk/index.ts';
import { operationNames, withoutCall } from '../../../clients/sdk/names.ts';
import { expandRows, operations as table, parseOperation } from '../../../clients/sdk/operation.ts';
import type { Operation } from '../../../protocol/operation.ts';
import { operations } from '../../../protocol/operations/index.ts';
import { apiVersion } from '../../../protocol/version.ts';

t.test('every public operation is a method of the client, except the stream', async t => {
  t.equal(ownVersion, apiVersion);
  const shown = Object.entries<Operation>(operations).flatMap(([id, { hidden }]) =>
    hidden === true ? [] : [id],
  );
  const expected = shown.filter(id => !(withoutCall as readonly string[]).includes(id));
  t.strictSame([...table.keys()].sort(), expected.sort());
  const skein = new Skein({ apiKey: 'svc_test_1' }) as unknown as Record<string, Record<string, unknown>>;
  for (const [id, name] of Object.entries(operationNames)) {
    const [resource = '', method = ''] = name.split('.');
    t.type(skein[resource]?.[method], 'function', id);
  }
});

t.test('rows of the table say what the contract says', async t => {
  for (const [id, { method, path, idempotency, success, query }] of Object.entries<Operation>(operations)) {
    const row = table.get(id);
    if (row === undefined) continue;
    t.match(row, { method, path, honoursKey: idempotency !== 'none' }, id);
    t.equal(
      row.isList,
      success.body !== null && 'nextCursor' in ((success.body as { properties?: object }).properties ?? {}),
      id,
    );
    if (query === undefined) t.not(row.input, 'query', id);
  }
  t.strictSame(expandRows('apiKeys', 'LGET list.@s=\nGET get|pPATCH update.@/looms/~=/{keyId}'), [
    'LGET list.ApiKeys/api-keys',
    'GET get.ApiKey/looms/{loomId}/api-keys/{keyId}',
    'pPATCH update.ApiKey/looms/{loomId}/api-keys/{keyId}',
  ]);
  t.match(parseOperation('auth', 'NPOST login/studio/auth/login'), {
    isRepeatable: false,
    input: 'body',
  });
  t.match(parseOperation('auth', '0RPOST refresh/studio/auth/refresh'), {
    honoursKey: false,
    isRepeatable: true,
    input: undefined,
  });
});

t.test('types of schemas', async t => {
  const id = { type: 'string' };
  for (const [schema, output, input = output] of [
    [undefined, 'unknown'],
    [{}, 'unknown'],
    [{ $ref: '#/components/schemas/Thread' }, 'Thread'],
    [{ $ref: '#/components/schemas/Event' }, 'SkeinEvent'],
    [{ const: 'a' }, "'a'"],
    [{ type: ['string', 'null'], enum: ['a', null] }, "'a' | null"],
    [{ type: ['integer', 'null'] }, 'number | null'],
    [{ anyOf: [id, { type: 'null' }] }, 'string | null'],
    [{ allOf: [{ $ref: '#/A' }, { $ref: '#/B' }] }, 'A & B'],
    [
      { type: 'array', items: { type: ['string', 'null'] } },
      '(string | null)[]',
      'readonly (string | null)[]',
    ],
    [{ type: 'object' }, 'Record<string, unknown>', 'Readonly<Record<string, unknown>>'],
    [
      { type: 'object', additionalProperties: { type: 'boolean' } },
      'Record<string, boolean>',
      'Readonly<Record<string, boolean>>',
    ],
    [
      { type: 'object', required: ['projectId', 'a'], properties: { projectId: id, a: id, 'b.c': id } },
      '{\n  projectId: string;\n  a: string;\n  "b.c"?: string;\n}',
      '{\n  /** @default the client\'s */\n  projectId?: string | undefined;\n  a: string;\n  "b.c"?: string | undefined;\n}',
    ],
  ] as const) {
    t.equal(formatType(schema, 'output'), output);
    t.equal(formatType(schema, 'input'), input);
  }
});

t.test('no sentence ends a comment', async t => {
  t.equal(formatComment(['a */ b'], ''), '/** a *\\/ b */\n');
  t.equal(formatComment(['a\nb', undefined], '  '), '  /**\n   * a\n   * b\n   */\n');
  t.equal(formatComment([undefined, ''], ''), '');
});

t.test(
  'an operation without a name, a name without an operation, and a name that is given twice',
  async t => {
    const operation = (operationId: string): object => ({
      operationId,
      summary: 'Do',
      responses: { 204: {} },
    });
    const document = {
      paths: { '/a': { get: operation('getA') }, '/b': { get: operation('getB') } },
      components: { schemas: {}, responses: {} },
    } as unknown as OpenApiDocument;
    const read = (operationNames: Record<string, string>): unknown =>
      readCalls(document, { operationNames, withoutCall: [], repeatableWithoutKey: [] });
    t.throws(() => read({ getA: 'a.get' }), { message: 'names.ts has no getB' });
    t.throws(() => read({ getA: 'a.get', getB: 'a.get' }), { message: 'two operations are called a.get' });
    t.throws(() => read({ getA: 'a.get', getB: 'b.get', getC: 'c.get' }), {
      message: 'names.ts names getC, which is no operation of the contract',
    });
  },
);
