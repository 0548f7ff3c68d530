/** Snippets are cut where the server says, and lose nothing, whatever it says. */
import fc from 'fast-check';
import t from 'tap';
import { cutSnippet } from '../../../../clients/console/search/highlights.ts';

t.test('cuts out what was found', async t => {
  t.strictSame(cutSnippet('a lost parcel', [[2, 6]]), [
    { text: 'a ', isHit: false },
    { text: 'lost', isHit: true },
    { text: ' parcel', isHit: false },
  ]);
  t.strictSame(cutSnippet('parcel', []), [{ text: 'parcel', isHit: false }]);
});

t.test('no text is lost or doubled, however wrong the places are', async () => {
  const places = fc.array(fc.array(fc.integer({ min: -5, max: 60 }), { maxLength: 3 }), { maxLength: 8 });
  fc.assert(
    fc.property(fc.string({ maxLength: 50 }), places, (snippet, highlights) => {
      const parts = cutSnippet(snippet, highlights);
      return parts.map(({ text }) => text).join('') === snippet && parts.every(({ text }) => text !== '');
    }),
  );
});
