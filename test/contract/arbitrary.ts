/** Fuzzed requests, generated from the schemas: values that fit, values at the limits, and values that do not fit. */
import fc, { type Arbitrary } from '../support/fuzz.ts';
import { prefixes, type Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import type { Asked } from '../node/client.ts';
import { getResource, type Part, type Schema } from '../node/sample.ts';

/** Texts that have hurt somebody. */
export const nastyTexts = [
  ...[
    '😀',
    '👩‍👩‍👧‍👦',
    'שלום',
    '\u202eabc\u202c',
    'e\u0301\u0323\u0301',
    '\u0007\u001b[31m',
    '\u200b',
    '\ufeff',
    '\u{10ffff}',
  ],
  ...[
    '\0',
    'a\0b',
    '\ud800',
    'a\udfffb',
    '\udc00\ud800',
    ' ',
    '',
    '\r\nX-Injected: 1',
    '\t',
    'null',
    'NaN',
    '-0',
  ],
  ...[
    "'; drop table users; --",
    '%',
    '\\',
    '../../etc/passwd',
    '{{7*7}}',
    '${7*7}',
    '<script>',
    '__proto__',
    'constructor',
  ],
];

/** Dates in every form, valid or not. */
export const nastyInstants = [
  ...`
    2026-11-03T12:00:00Z
    2026-11-03T12:00:00.123456789Z 2026-11-03T12:00:00+05:30 2024-02-29T23:59:59-12:00 0001-01-01T00:00:00Z 9999-12-31T23:59:59.999Z
    0001-01-01T00:00:00+23:59 1969-12-31T23:59:59.999Z 0000-01-01T00:00:00Z 9999-12-31T23:59:59.999-23:59 2016-12-31T23:59:60Z
    2023-02-29T00:00:00Z 2026-13-01T00:00:00Z 2026-11-03 20261103T120000Z 2026-W45-2 2026-307 2026-11-03T12:00Z 2026-11-03T12:00:00
    2026-11-03t12:00:00z +012026-11-03T12:00:00Z 2026-11-03T24:00:00Z 1793707200 now
  `
    .trim()
    .split(/\s+/),
  '2026-11-03 12:00:00Z',
  'Tue, 03 Nov 2026 12:00:00 GMT',
];

const nastyIntegers = [0, -1, 1, 100, 101, 1.5, 1e15, 1e20, 1e308, -1e308, 5e-324].concat(
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
);

/** Returns ids with the right prefix and any body. */
export function strangeIds(resource: Resource): string[] {
  const short = ['0', '_', '-', '', ' ', '%00', '01k9qz3s4bfm5s0m2f7v8q1x3!'];
  const long = ['z'.repeat(26), '7'.repeat(26), 'A'.repeat(128), 'a'.repeat(129)];
  return [...short, ...long].map(body => `${prefixes[resource]}_${body}`);
}

/** Anything that JSON can say. */
const anything: Arbitrary<unknown> = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, false, ...nastyIntegers, ...nastyTexts, ...nastyInstants),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string({ maxLength: 8 }), fc.constantFrom(...nastyTexts)), tie('value'), {
      maxKeys: 4,
    }),
  ),
})).value;

/** Ids that mean something, by what they name. */
export type Pool = (resource: Resource) => readonly string[];

/** Values that the schema takes, for the most part: lengths and patterns are left to chance. */
export function createValues(schema: Schema, pool: Pool): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const members = schema.anyOf ?? schema.oneOf;
  if (members !== undefined) return fc.oneof(...members.map(each => createValues(each, pool)));
  const resource = getResource(schema);
  if (resource !== undefined) {
    return fc.oneof(
      { arbitrary: fc.constantFrom(...pool(resource)), weight: 4 },
      fc.constantFrom(...strangeIds(resource)),
    );
  }
  const types = Array.isArray(schema.type) ? (schema.type as readonly string[]) : [String(schema.type)];
  return fc.oneof(...types.map(type => plain({ ...schema, type }, pool)));
}

function plain(schema: Schema, pool: Pool): Arbitrary<unknown> {
  const { minLength = 0, maxLength = 64, minimum = -10, maximum = 1_000 } = schema;
  switch (schema.type) {
    case 'object':
      return schema.properties === undefined
        ? fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 8 }), anything, { maxKeys: 3 })
        : fc.record(
            Object.fromEntries(
              Object.entries(schema.properties).map(([name, each]) => [name, createValues(each, pool)]),
            ),
            { requiredKeys: [...(schema.required ?? [])] },
          );
    case 'array':
      return fc.array(createValues(schema.items ?? {}, pool), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 3, 3),
      });
    case 'integer':
      return fc.oneof(
        fc.integer({ min: minimum, max: maximum }),
        fc.constantFrom(minimum, maximum, minimum - 1, maximum + 1),
      );
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'string':
      if (schema.format === 'date-time' || schema.format === 'date') return fc.constantFrom(...nastyInstants);
      if (schema.format === 'uri')
        return fc.constantFrom(
          'http://127.0.0.1:2/',
          'https://a.example/',
          'https://user:pass@host/',
          'http://[::1]:2/',
          'ftp://a/',
        );
      if (schema.format === 'email') return fc.emailAddress();
      return fc.oneof(
        fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, minLength + 40) }),
        fc.constantFrom(
          ...nastyTexts,
          'x'.repeat(maxLength),
          '😀'.repeat(Math.min(maxLength, 500)),
          'x'.repeat(maxLength + 1),
          'thread.*',
        ),
      );
    default:
      return anything;
  }
}

/** Another value for a field, or none: undefined. */
export interface Change {
  readonly part: Part;
  readonly name: string;
  readonly value: unknown;
}

/** A request of the operation: of values that fit, in which some are replaced by anything and some are left out. */
export function createRequests(operation: Operation, pool: Pool): Arbitrary<Asked> {
  const parts = (['params', 'query', 'body'] as const).filter(part => operation[part] !== undefined);
  const whole = fc.record(
    Object.fromEntries(parts.map(part => [part, createValues(operation[part] as Schema, pool)])),
  );
  const known = parts.flatMap(part =>
    Object.keys((operation[part] as Schema).properties ?? {}).map(name => ({ part, name })),
  );
  const change = fc.record({
    place:
      known.length === 0
        ? fc.constant({ part: 'body' as const, name: 'unknown' })
        : fc.constantFrom(...known, { part: 'body' as const, name: 'unknown' }),
    value: fc.oneof(anything, fc.constant(undefined)),
  });
  const changes = fc.oneof(
    { arbitrary: fc.constant([]), weight: 2 },
    fc.array(change, { minLength: 1, maxLength: 3 }),
  );
  return fc
    .tuple(whole, changes, fc.option(fc.constantFrom('k', 'two words', 'x'.repeat(256)), { nil: undefined }))
    .map(([request, changed, key]) => {
      const list: Change[] = changed.map(({ place, value }) => ({ ...place, value }));
      return asked(operation, request as Partial<Record<Part, Record<string, unknown>>>, list, key);
    });
}

/** Changes of a request that is good: of a field or two, to what fits it for the most part. */
export function createChanges(operation: Operation, pool: Pool): Arbitrary<readonly Change[]> {
  const parts = (['params', 'query', 'body'] as const).filter(part => operation[part] !== undefined);
  const each = parts.flatMap(part =>
    Object.entries((operation[part] as Schema).properties ?? {}).map(([name, schema]) =>
      fc.record({
        part: fc.constant(part),
        name: fc.constant(name),
        value: fc.oneof(
          { arbitrary: createValues(schema, pool), weight: 3 },
          anything,
          fc.constant(undefined),
        ),
      }),
    ),
  );
  return each.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...each), { maxLength: 2 });
}

/** The request with these changes. */
export function changed(operation: Operation, good: Asked, changes: readonly Change[]): Asked {
  const { params, query, body, key, ...rest } = good;
  const parts = { params: { ...params }, query: { ...query }, body: { ...(body as object | undefined) } };
  // Another system's own bytes are signed as they are.
  const raw = operation.rawBody === undefined ? {} : { body };
  return { ...rest, ...raw, ...asked(operation, parts, changes, key ?? undefined) };
}

/** What a browser sends along, or somebody who is none: a refresh cookie that was given, an edited one, anything; and from where. */
export function createCookies(given: readonly string[]): Arbitrary<Readonly<Record<string, string>>> {
  const one = fc.constantFrom(...given);
  const printable = fc.string({ unit: 'grapheme-ascii', maxLength: 120 });
  const edited = fc
    .tuple(one, fc.nat(), printable)
    .map(
      ([cookie, at, text]) => cookie.slice(0, at % cookie.length) + text + cookie.slice(at % cookie.length),
    );
  const header = fc.oneof(
    one,
    edited,
    printable.map(text => `svc_refresh=${text}`),
    fc.array(fc.oneof(one, printable), { maxLength: 4 }).map(cookies => cookies.join('; ')),
  );
  return fc
    .record(
      {
        cookie: header.map(text => text.trim()),
        'sec-fetch-site': fc.constantFrom('same-origin', 'none', 'cross-site', 'sideways'),
        origin: fc.constantFrom('https://elsewhere.example', 'null', 'nonsense'),
      },
      { requiredKeys: [] },
    )
    .map(headers => ({ ...headers }));
}

function asked(
  operation: Operation,
  request: Partial<Record<Part, Record<string, unknown>>>,
  changes: readonly Change[],
  key: string | undefined,
): Asked {
  const parts = { params: { ...request.params }, query: { ...request.query }, body: { ...request.body } };
  for (const { part, name, value } of changes) {
    if (value === undefined && part !== 'params') delete parts[part][name];
    else parts[part][name] = value;
  }
  const texts = (values: Record<string, unknown>): [string, string][] =>
    Object.entries(values).map(([name, value]) => [name, toText(value)]);
  return {
    params: Object.fromEntries(texts(parts.params).map(([name, text]) => [name, toSegment(text)])),
    query: Object.fromEntries(texts(parts.query).map(([name, text]) => [name, shortened(text, 400)])),
    ...(operation.body === undefined ? {} : { body: parts.body }),
    ...(key === undefined || operation.idempotency === 'none' ? {} : { key }),
  };
}

/** As a segment of a path, which is never empty: that would be another path. */
function toSegment(text: string): string {
  return encodeURIComponent(shortened(text === '' ? ' ' : text, 600));
}

/** So many bytes at most: a server takes only so much of a head, and says so before any operation has a say. */
function shortened(text: string, bytes: number): string {
  let short = '';
  let size = 0;
  for (const character of text) {
    size += encodeURIComponent(character).length;
    if (size > bytes) break;
    short += character;
  }
  return short;
}

/** As it can be said in an address: half a surrogate pair cannot. */
function toText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
  return text.toWellFormed();
}
