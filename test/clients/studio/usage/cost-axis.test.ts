/** The labels of the axis of costs are told apart, whatever was spent. */
import t from 'tap';
import { createFormats } from '../../../../clients/kit/formats.ts';
import { createCostAxis } from '../../../../clients/studio/usage/cost-axis.ts';

const label = (highestMicros: number): string[] => {
  const { ticks, digits } = createCostAxis(highestMicros);
  const { cost } = createFormats('en-US');
  return ticks.map(micros => cost(micros, digits));
};

t.test('round amounts, with no more digits than they need', async t => {
  t.strictSame(label(0), ['$0.000000', '$0.000001']);
  t.strictSame(label(7), ['$0.000000', '$0.000002', '$0.000004', '$0.000006', '$0.000008']);
  t.strictSame(label(38), ['$0.00000', '$0.00001', '$0.00002', '$0.00003', '$0.00004']);
  t.strictSame(label(1_700_000), ['$0.00', '$0.50', '$1.00', '$1.50', '$2.00']);
  t.strictSame(label(1_000_000_000), ['$0', '$500', '$1,000']);
});

t.test('of any amount they are few, differ, and reach it', async t => {
  for (let micros = 1; micros < 1e12; micros = Math.ceil(micros * 1.37)) {
    const { ticks } = createCostAxis(micros);
    const labels = label(micros);
    t.equal(new Set(labels).size, ticks.length, labels.join(' '));
    t.ok(ticks.length >= 2 && ticks.length <= 5 && (ticks.at(-1) ?? 0) >= micros, `${micros}`);
  }
});
