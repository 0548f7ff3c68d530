/** What is tried of many switches: every combination of any three. */
import t from 'tap';
import { operations } from '../../protocol/operations/table.ts';
import { getSwitches, listCombinations } from './switches.ts';

t.test('of few values all combinations, each once', t => {
  const found = listCombinations([
    { name: 'a', values: [undefined, 1, 2] },
    { name: 'b', values: [undefined, true] },
  ]);
  t.strictSame(found[0], { a: undefined, b: undefined });
  t.equal(new Set(found.map(each => JSON.stringify(each))).size, 6);
  t.end();
});

t.test('of the switches of a list of threads those of any three', t => {
  const switches = getSwitches(operations.listThreads, 'query');
  const found = listCombinations(switches);
  t.ok(found.length < 300, `${found.length} combinations`);
  t.ok(
    Object.values(found[0] ?? {}).every(value => value === undefined),
    'the first has none of them',
  );
  let tried = 0;
  for (const [a, first] of switches.entries()) {
    for (const [b, second] of switches.entries()) {
      for (const third of switches.slice(b + 1)) {
        if (a >= b) continue;
        const sorts = [first, second, third];
        const seen = new Set(found.map(each => JSON.stringify(sorts.map(({ name }) => each[name] ?? null))));
        const all = sorts.reduce((product, { values }) => product * values.length, 1);
        if (seen.size !== all) t.fail(`${sorts.map(({ name }) => name).join()}: ${seen.size} of ${all}`);
        tried += all;
      }
    }
  }
  t.ok(tried > 1_000, `${tried} combinations of three`);
  t.end();
});
