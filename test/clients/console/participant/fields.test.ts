/** Custom fields as an operator writes them. */
import fc from 'fast-check';
import t from 'tap';
import { getKind, listFields, parseValue } from '../../../../clients/console/participant/fields.ts';

t.test('a value that is edited without a change stays what it was', async t => {
  const value = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
  );
  fc.assert(
    fc.property(value, each => {
      const parsed = parseValue(getKind(each), String(each));
      // -0 is written as 0.
      t.ok(parsed === each, `${typeof each} ${String(each)}`);
    }),
  );
});

t.test('what is no value of its kind is none', async t => {
  for (const text of ['', ' ', 'twelve', '1e999', 'NaN', '1,5'])
    t.equal(parseValue('number', text), undefined, text);
  t.equal(parseValue('text', ''), undefined);
  t.equal(parseValue('boolean', 'maybe'), undefined);
});

t.test('fields stand by name, and one without a value is none', async t => {
  t.strictSame(listFields({ plan: 'gold', age: 0, gone: null }), [
    { name: 'age', value: 0 },
    { name: 'plan', value: 'gold' },
  ]);
});
