/** A list of several pages whose first one is read again. */
import t from 'tap';
import { type Pages, renewPages } from '../../../../clients/studio/parts/renew-pages.ts';

const page = (rows: string, hasMore = true) => ({
  data: [...rows],
  hasMore,
  nextCursor: hasMore ? rows : null,
});
const list = (...pages: readonly string[]): Pages<string> => ({
  pages: pages.map((rows, index) => page(rows, index < pages.length - 1)),
  pageParams: pages.map((_, index) => pages[index - 1]),
});
const renew = (before: Pages<string>, fresh: string, hasMore = true): string[] =>
  renewPages(before, page(fresh, hasMore), row => row).pages.map(({ data }) => data.join(''));

t.test('what is new comes above, and nothing is lost or twice', async t => {
  t.strictSame(renew(list('fed', 'cba'), 'fed'), ['fed', 'cba'], 'nothing is new');
  t.strictSame(renew(list('fed', 'cba'), 'hgf'), ['hgfed', 'cba']);
  t.strictSame(renew(list('hgfed', 'cba'), 'ihg'), ['ihgfed', 'cba'], 'and again');
});

t.test('what is gone goes', async t => {
  t.strictSame(renew(list('fed', 'cba'), 'fdc'), ['fdc', 'ba'], 'of the first page');
  t.strictSame(renew(list('fed', 'cb', 'a'), 'edc'), ['edc', 'b', 'a']);
  t.strictSame(renew(list('fed', 'cba'), 'ba', false), ['ba'], 'what is there is all that there is');
  t.strictSame(renew(list('fed', 'cba'), '', false), ['']);
});

t.test('more than a page has come: the list begins again', async t => {
  t.strictSame(renew(list('fed', 'cba'), 'zyx'), ['zyx']);
  t.strictSame(renewPages(list('fed', 'cba'), page('zyx'), row => row).pageParams, [undefined]);
});

t.test('a single page is replaced, and an empty one of a filtered list leaves what is below it', async t => {
  t.strictSame(renew(list('fed'), 'gfe'), ['gfe']);
  t.strictSame(renew(list('', 'cba'), ''), ['', 'cba']);
});

t.test('a row in another order, which has come into the list, is where the server has it', async t => {
  t.strictSame(renew(list('fed', 'ba'), 'edc'), ['edc', 'ba']);
});

t.test('the next page goes on where the last one ended', async t => {
  const { pages, pageParams } = renewPages(list('fed', 'cba'), page('hgf'), row => row);
  t.strictSame(pages.at(-1)?.nextCursor, null);
  t.strictSame(pageParams, [undefined, 'fed']);
});
