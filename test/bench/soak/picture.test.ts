/** The picture of a soak: one panel for each chart, inside of the picture, with axes that hold every value. */
import t from 'tap';
import { chooseTicks, drawPicture } from '../../../bench/soak/picture.ts';

t.test('ticks are round, begin at 0, and reach the largest value', async t => {
  t.same(chooseTicks(0), [0, 1]);
  t.same(chooseTicks(10), [0, 2, 4, 6, 8, 10]);
  t.same(chooseTicks(11), [0, 5, 10, 15]);
  t.same(chooseTicks(0.3), [0, 0.1, 0.2, 0.3]);
  t.same(chooseTicks(873), [0, 200, 400, 600, 800, 1_000]);
  for (let largest = 0.013; largest < 1e9; largest *= 1.37) {
    const ticks = chooseTicks(largest);
    const top = ticks.at(-1) ?? 0;
    if (top < largest * 0.999999 || top > largest * 2 || ticks.length < 3 || ticks.length > 7)
      t.fail(`${largest}: ${ticks.join(' ')}`);
  }
});

t.test('every value is inside of its panel, and gaps are gaps', async t => {
  const minutes = [0.5, 1, 1.5, 2];
  const svg = drawPicture({
    title: 'A < B & C',
    minutes,
    markedMinute: 0.5,
    charts: [
      { title: 'One', unit: 'MiB', series: [{ name: 'a', values: [10, 20, Number.NaN, 400] }] },
      { title: 'Two', unit: '', series: [{ name: 'b "b"', values: [0, 0, 0, 0] }] },
      { title: 'Three', unit: 'ms', series: [] },
      { title: 'Four', unit: 'ms', series: [{ name: 'c', values: [1, 2, 3, 4] }] },
    ],
  });
  t.match(svg, /viewBox="0 0 1200 508"/, 'two rows of panels');
  t.match(svg, '>A &lt; B &amp; C<');
  t.notMatch(svg, /NaN|undefined|Infinity/);
  const opened = [...svg.matchAll(/<(g|svg|text)\b/g)].length;
  t.equal([...svg.matchAll(/<\/(g|svg|text)>/g)].length, opened, 'every element is closed');
  t.equal([...svg.matchAll(/<g transform/g)].length, 4);
  const paths = [...svg.matchAll(/<path d="([^"]+)" fill="none"/g)].map(([, path = '']) => path);
  t.equal(paths.length, 3);
  t.equal(paths[0]?.match(/M/g)?.length, 2, 'a value that is not known interrupts the line');
  for (const [, x, y] of paths.join(' ').matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g)) {
    t.ok(Number(x) >= 58 && Number(x) <= 384 && Number(y) >= 46 && Number(y) <= 200, `${x} ${y}`);
  }
});
