import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { BatchLoader, TurnBatch } from '../../../runtime/time/batch.ts';

t.test('the items of one turn are handed over together, in their order', async t => {
  const batches: (readonly number[])[] = [];
  const batch = new TurnBatch<number>(items => batches.push(items));
  for (const item of [1, 2, 3]) batch.add(item);
  await Promise.resolve();
  t.same(batches, []);
  await turn();
  batch.add(4);
  batch.flush();
  batch.add(5);
  t.same(batch.take(), [5]);
  await turn();
  t.same(batches, [[1, 2, 3], [4]]);
});

t.test('the questions of one turn are one query, and each gets its own answer', async t => {
  const queries: (readonly string[])[] = [];
  const loader = new BatchLoader<string, string>(keys => {
    queries.push(keys);
    return Promise.resolve(keys.map(key => key.toUpperCase()));
  }, 2);
  t.same(await Promise.all(['a', 'b', 'a'].map(key => loader.load(key))), ['A', 'B', 'A']);
  t.same(queries, [['a', 'b'], ['a']]);
});

t.test('a query that fails rejects the questions of its batch alone', async t => {
  const loader = new BatchLoader<number, number>(
    keys => (keys.includes(1) ? Promise.reject(new Error('broken')) : Promise.resolve([...keys])),
    2,
  );
  const outcomes = await Promise.allSettled([0, 1, 2].map(key => loader.load(key)));
  t.same(
    outcomes.map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  );
});

t.test('an error in place of an answer rejects its question alone', async t => {
  const loader = new BatchLoader<number, number>(
    keys => Promise.resolve(keys.map(key => (key === 1 ? new Error('broken') : key))),
    3,
  );
  const outcomes = await Promise.allSettled([0, 1, 2].map(key => loader.load(key)));
  t.match(outcomes, [{ value: 0 }, { reason: new Error('broken') }, { value: 2 }]);
});
