/** Arrays of values as PostgreSQL receives them: whatever goes in comes out. */
import fc from '../../support/fuzz.ts';
import pg from 'pg';
import t from 'tap';
import {
  binaryArray,
  toTextArrayLiteral,
  type Element,
  type ElementType,
} from '../../../storage/statements/parameters.ts';
import { startTestDatabase } from '../../support/database.ts';

/** A text without what the database cannot hold: NUL, and surrogates that stand alone. */
const text = fc
  .oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.integer({ min: 100, max: 70_000 }).map(length => 'x'.repeat(length)),
    fc.integer({ min: 100, max: 5_000 }).map(length => 'é€😀'.repeat(length)),
  )
  .map(value => value.replaceAll('\0', ''));
const json = fc.json({ noUnicodeString: false }).filter(value => !value.includes('\\u0000'));
const instant = fc
  .date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .map(date => date.toISOString());

const values: Readonly<Record<ElementType, fc.Arbitrary<string | number | Uint8Array>>> = {
  text,
  json,
  jsonb: json,
  int: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
  bigint: fc.maxSafeInteger(),
  timestamptz: instant,
  bytea: fc.uint8Array({ maxLength: 300 }),
};

/** A column as the server has read it, back in the form in which it was given. */
const shown: Readonly<Record<ElementType, string>> = {
  text: 'value',
  json: 'value::text',
  jsonb: 'value::text',
  int: 'value::text',
  bigint: 'value::text',
  timestamptz: `to_char(value at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  bytea: `encode(value, 'hex')`,
};

/** What must come back of a value that was given. */
function expected(type: ElementType, value: Element): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'jsonb') return JSON.parse(String(value)) as unknown;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return String(value);
}

t.test('a value that its type cannot hold is refused', t => {
  const refused: readonly [ElementType, Element][] = [
    ['int', 2 ** 31],
    ['int', Number.NaN],
    ['int', 1.5],
    ['bigint', 2 ** 53],
    ['bigint', 1.5],
    ['bigint', 'many'],
    ['int', ''],
    ['bigint', '7'],
    ['timestamptz', ''],
    ['timestamptz', 'yesterday'],
  ];
  for (const [type, value] of refused)
    t.throws(() => binaryArray(type, [value]), RangeError, `${type} ${String(value)}`);
  t.end();
});

t.test('arrays', async t => {
  const { url } = await startTestDatabase(t);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());

  for (const [type, value] of Object.entries(values) as [
    ElementType,
    fc.Arbitrary<string | number | Uint8Array>,
  ][]) {
    await t.test(`${type}: whatever goes in comes out, in its place`, async t => {
      const elements = fc.array(fc.option(value), { maxLength: 20 });
      await fc.assert(
        fc.asyncProperty(elements, async given => {
          const { rows } = await client.query<{ value: string | null }>(
            `select ${shown[type]} as value from unnest($1::${type}[]) with ordinality as list (value, place) order by place`,
            [binaryArray(type, given)],
          );
          const found = rows.map(({ value }) =>
            type === 'jsonb' && value !== null ? (JSON.parse(value) as unknown) : value,
          );
          const isNothing = given.every(element => element === null);
          t.same(found, isNothing ? [] : given.map(element => expected(type, element)));
        }),
        { numRuns: 60 },
      );
    });
  }

  await t.test('a literal of texts is read as those texts', async t => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 10 }), async given => {
        const { rows } = await client.query<{ list: string[] }>('select $1::text[] as list', [
          toTextArrayLiteral(given),
        ]);
        t.same(rows[0]?.list, given);
      }),
      { numRuns: 60 },
    );
  });
});
