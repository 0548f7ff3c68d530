/** Addresses in texts: what is a link, and what looks like one. */
import fc from 'fast-check';
import t from 'tap';
import { cutLinks, splitLinks, toSafeHref } from '../../../../clients/console/thread/links.ts';

const links = (text: string): string[] =>
  splitLinks(text).flatMap(part => ('href' in part ? [part.href] : []));

t.test('finds addresses without what follows them in a sentence', async t => {
  t.strictSame(links('See https://example.com/a?b=1, (http://example.org/x) or mailto:ada@example.com.'), [
    'https://example.com/a?b=1',
    'http://example.org/x',
    'mailto:ada@example.com',
  ]);
});

t.test('makes no link of what could do harm, or is not what it seems', async t => {
  for (const text of [
    'javascript:alert(1)',
    'data:text/html,x',
    'https://bank.example@evil.example/',
    'https://example.com/\u202Egpj.exe',
    'vbscript:x',
    '//example.com',
  ]) {
    t.strictSame(links(text), [], text);
    t.equal(toSafeHref(text), undefined, text);
  }
});

t.test('loses no character of a text', async () => {
  const piece = fc.constantFrom(
    'https://a.example/',
    'mailto:',
    ' ',
    '.',
    'javascript:',
    '\u202E',
    '<b>',
    'é',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string())), pieces => {
      const text = pieces.join('');
      return (
        splitLinks(text)
          .map(part => part.text)
          .join('') === text
      );
    }),
  );
});

t.test('a text that is folded ends before an address that it would cut', t => {
  const parts = splitLinks('See https://shop.example/returns?order=12345 and more');
  t.same(cutLinks(parts, 20), [{ text: 'See ' }]);
  t.same(cutLinks(parts, 46), [...parts.slice(0, 2), { text: ' a' }]);
  t.same(cutLinks(parts, 2), [{ text: 'Se' }]);
  t.same(cutLinks(parts, 1_000), parts);
  t.end();
});
