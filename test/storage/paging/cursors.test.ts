import t from 'tap';
import fc from '../../support/fuzz.ts';
import { randomBytes } from 'node:crypto';
import { Cursors, InvalidCursor, toPage } from '../../../storage/paging/cursors.ts';
import { cutPage, maxPageBytes, stripCounts } from '../../../storage/paging/page-rows.ts';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';

const newCursors = () => new Cursors(new KeyRing(`k:${randomBytes(32).toString('base64')}`));
const cursors = newCursors();
const keys = fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer()), {
  minLength: 1,
  maxLength: 4,
});

function refuses(decode: () => unknown): boolean {
  try {
    decode();
    return false;
  } catch (error) {
    return error instanceof InvalidCursor;
  }
}

t.test('a cursor gives back its key, to its own list only', async t => {
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(keys, fc.string(), fc.string(), (key, scope, foreign) => {
        const text = cursors.encode(scope, key);
        if (JSON.stringify(cursors.decode(scope, text)) !== JSON.stringify(key)) return false;
        return scope === foreign || refuses(() => cursors.decode(foreign, text));
      }),
    ),
  );
});

t.test('an edited, cut or lengthened cursor is refused', async t => {
  const text = cursors.encode('threads/prj_1/env_1', [1_700_000_000_000, 'thread_01h']);
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(...'AQgwZ09-_=. +/'), (at, letter) => {
        const edited = text.slice(0, at) + letter + text.slice(at + 1);
        return edited === text || refuses(() => cursors.decode('threads/prj_1/env_1', edited));
      }),
    ),
  );
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.string({ minLength: 1 }), (at, tail) =>
        [text.slice(0, at), text + tail].every(other =>
          refuses(() => cursors.decode('threads/prj_1/env_1', other)),
        ),
      ),
    ),
  );
});

t.test('no other text is a cursor', async t => {
  t.doesNotThrow(() => fc.assert(fc.property(fc.string(), text => refuses(() => cursors.decode('x', text)))));
  t.ok(
    refuses(() => cursors.decode('x', newCursors().encode('x', ['a']))),
    'nor one of another installation',
  );
  t.ok(
    refuses(() => cursors.decode('x', cursors.encode('x', ['a'.repeat(3_000)]))),
    'nor a huge one',
  );
});

t.test('a page shows limit rows, and the one too many says that there is more', async t => {
  const last = (row: number) => `after ${row}`;
  t.strictSame(toPage(cutPage([1, 2, 3], 2), last), { data: [1, 2], hasMore: true, nextCursor: 'after 2' });
  t.strictSame(toPage(cutPage([1, 2], 2), last), { data: [1, 2], hasMore: false, nextCursor: null });
  t.strictSame(toPage(cutPage([], 2), last), { data: [], hasMore: false, nextCursor: null });
});

t.test('the count of the server proves that rows fit only if they do, whatever they hold', t => {
  const value = fc.oneof(
    fc.constantFrom(null, true, false, '', '\u0001'.repeat(200_000), 'x'.repeat(100_000)),
    fc.string(),
    fc.integer(),
  );
  const row = fc.record({ id: fc.string(), body: value, other: value });
  // As PostgreSQL shows a row, at least: without its quotes.
  const toText = (each: object): string =>
    `(${Object.values(each)
      .map(field => (field === null ? '' : typeof field === 'boolean' ? 't' : String(field)))
      .join(',')})`;
  const outcomes = new Set<boolean>();
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), rows => {
      let ahead = 0;
      const counted = rows.map(each => {
        const own = { ...each, found: rows.length, ahead };
        ahead += Buffer.byteLength(toText(each));
        return own;
      });
      const { allFit, ...rest } = stripCounts(counted);
      outcomes.add(allFit);
      const bytes = rows.reduce((sum, each) => sum + Buffer.byteLength(JSON.stringify(each)), 0);
      return (!allFit || bytes <= maxPageBytes) && rest.found === rows.length;
    }),
  );
  t.same([...outcomes].sort(), [false, true]);
  t.end();
});
