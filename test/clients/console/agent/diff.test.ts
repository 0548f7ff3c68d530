/** What was changed in a text. */
import fc from 'fast-check';
import t from 'tap';
import { diffWords } from '../../../../clients/console/agent/diff.ts';

t.test('names the words that were changed, and no others', async t => {
  t.strictSame(diffWords('We open at nine.', 'We open at ten.'), [
    { kind: 'same', text: 'We open at ' },
    { kind: 'removed', text: 'nine.' },
    { kind: 'added', text: 'ten.' },
  ]);
});

t.test('has both texts in it', async () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '\n')).map(parts => parts.join(''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const parts = diffWords(before, after);
      const join = (without: string) =>
        parts
          .filter(({ kind }) => kind !== without)
          .map(part => part.text)
          .join('');
      return join('added') === before && join('removed') === after;
    }),
  );
});
