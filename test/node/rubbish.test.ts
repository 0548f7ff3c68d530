/** Rubbish in the fields of every operation of the table: it is refused by its name, and never a fault of ours. */
import fc from 'fast-check';
import t from 'tap';
import { prefixes } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import type { OperationId } from '../../protocol/operations/table.ts';
import { ContractBroken } from './client.ts';
import { note, startTarget, tried } from './rubbish-target.ts';
import { fields, type Field, type Part } from './sample.ts';

t.setTimeout(90_000);

const { own, good, put, callerOf, unharmed } = await startTarget(t);

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
      const request = good(operation);
      const known = fields(operation).filter(({ part }) => part === 'body');
      const body: Record<string, unknown> = { ...(request.body as object), ...extra };
      for (const [index, value] of changes) body[known[index % known.length]?.name ?? ''] = value;
      await callerOf(operation).ask(id, { ...request, body });
    },
  );
  await t.resolves(fc.assert(property, { numRuns: 2_500, seed: 20_260_101 }));
});

t.test('after all this the node serves, and has no fault to report', unharmed);
