import t from 'tap';
import type { Clock } from '../../../runtime/time/clock.ts';
import { TtlCache } from '../../../storage/database/ttl-cache.ts';

/** Look-ups whose answers and time are the test's to give. */
function bench(options: { maxEntries?: number; absentMs?: number } = {}) {
  const time = { now: 0 };
  const clock: Clock = {
    now: () => time.now,
    monotonic: () => time.now,
    after: () => ({ cancel: () => undefined }),
  };
  const asked: { question: string; answer(value: string | undefined): void; fail(error: Error): void }[] = [];
  const cache = new TtlCache<string, string>({
    clock,
    load: question => {
      const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
      asked.push({ question, answer: resolve, fail: reject });
      return promise;
    },
    ...options,
  });
  const turn = () => new Promise(resolve => setImmediate(resolve));
  /** Asks and answers at once. */
  async function seed(key: string, value: string) {
    const got = cache.get(key, key);
    asked.at(-1)?.answer(value);
    await got;
  }
  return { time, asked, cache, turn, seed };
}

t.test('callers of one key share a query, and later answers are synchronous', async t => {
  const { asked, cache } = bench();
  const callers = [cache.get('k', 'q'), cache.get('k', 'q'), cache.get('other', 'r')];
  t.same(
    asked.map(each => each.question),
    ['q', 'r'],
  );
  asked[0]?.answer('v');
  asked[1]?.answer('w');
  t.same(await Promise.all(callers.map(async caller => caller)), ['v', 'v', 'w']);
  t.equal(cache.get('k', 'q'), 'v');
  t.equal(asked.length, 2);
});

t.test('in the second half of its life an answer is used and asked again, once', async t => {
  const { time, asked, cache, seed, turn } = bench();
  await seed('k', 'old');
  time.now = 499;
  t.equal(cache.get('k', 'k'), 'old');
  t.equal(asked.length, 1);
  time.now = 500;
  t.equal(cache.get('k', 'k'), 'old');
  t.equal(cache.get('k', 'k'), 'old');
  t.equal(asked.length, 2);
  asked[1]?.answer('new');
  await turn();
  t.equal(cache.get('k', 'k'), 'new');
});

t.test('after its life the caller waits, and age counts from the asking', async t => {
  const { time, asked, cache } = bench();
  const slow = cache.get('k', 'k');
  time.now = 900;
  asked[0]?.answer('old');
  t.equal(await slow, 'old');
  t.equal(cache.get('k', 'k'), 'old');
  time.now = 1000;
  const waiting = cache.get('k', 'k');
  t.type(waiting, Promise);
  asked[1]?.answer('new');
  t.equal(await waiting, 'new');
});

t.test('an invalidated key is loaded again, even while a query is in flight', async t => {
  const { asked, cache, seed } = bench();
  await seed('k', 'old');
  cache.invalidate('k');
  const before = cache.get('k', 'k');
  cache.invalidate('k');
  const after = cache.get('k', 'k');
  t.equal(asked.length, 3, 'the query from before the change is not shared');
  asked[2]?.answer('new');
  t.equal(await after, 'new');
  asked[1]?.answer('stale');
  t.equal(await before, 'stale');
  t.equal(cache.get('k', 'k'), 'new', 'and its late answer is not kept');
});

t.test('invalidateWhere drops what fits, and every query in flight', async t => {
  const { time, asked, cache, seed } = bench();
  await seed('a', 'red');
  await seed('b', 'blue');
  const pending = cache.get('c', 'c');
  cache.invalidateWhere(value => value === 'red');
  t.equal(cache.get('b', 'b'), 'blue');
  t.equal(cache.size, 1);
  asked.at(-1)?.answer('green');
  t.equal(await pending, 'green');
  t.equal(cache.size, 1);
  time.now = 500;
  t.equal(cache.get('b', 'b'), 'blue', 'asked again behind the scenes');
  cache.invalidateWhere(() => false);
  t.equal(cache.size, 0);
});

t.test('an absent key is not remembered', async t => {
  const { asked, cache } = bench();
  const first = cache.get('k', 'k');
  asked[0]?.answer(undefined);
  t.equal(await first, undefined);
  t.equal(cache.size, 0);
  const second = cache.get('k', 'k');
  asked[1]?.answer('now it is');
  t.equal(await second, 'now it is');
});

t.test('a failure reaches only the callers that wait for it', async t => {
  const { time, asked, cache, seed, turn } = bench();
  const first = cache.get('k', 'k');
  asked[0]?.fail(new Error('away'));
  await t.rejects(Promise.resolve(first), { message: 'away' });
  t.equal(cache.size, 0);

  await seed('k', 'v');
  time.now = 700;
  t.equal(cache.get('k', 'k'), 'v');
  asked[2]?.fail(new Error('away again'));
  await turn();
  t.equal(cache.get('k', 'k'), 'v', 'the answer lives out its second');
  time.now = 1000;
  const waiting = cache.get('k', 'k');
  asked.at(-1)?.fail(new Error('still away'));
  await t.rejects(Promise.resolve(waiting), { message: 'still away' });
});

t.test('the answer asked longest ago makes room', async t => {
  const { asked, cache, seed } = bench({ maxEntries: 2 });
  await seed('a', '1');
  await seed('b', '2');
  await seed('c', '3');
  t.equal(cache.size, 2);
  t.equal(cache.get('b', 'b'), '2');
  t.equal(cache.get('c', 'c'), '3');
  t.type(cache.get('a', 'a'), Promise);
  t.equal(asked.length, 4);
});

t.test('look-ups of unknown keys do not evict answers', async t => {
  const { asked, cache, seed } = bench({ maxEntries: 2 });
  await seed('a', '1');
  const unanswered = ['x', 'y', 'z'].map(async key => cache.get(key, key));
  t.equal(cache.size, 3, 'questions are bounded like answers');
  for (const { answer } of asked.slice(1)) answer(undefined);
  await Promise.all(unanswered);
  t.equal(cache.get('a', 'a'), '1');
});

t.test('a key that will never be there is not asked for again for a while', async t => {
  const { time, asked, cache, turn } = bench({ absentMs: 10_000 });
  t.notOk(cache.has('k'));
  const first = cache.get('k', 'k');
  t.ok(cache.has('k'), 'somebody asks');
  asked[0]?.answer(undefined);
  t.equal(await first, undefined);
  t.equal(await cache.get('k', 'k'), undefined);
  t.ok(cache.has('k'));
  time.now = 10_000;
  t.notOk(cache.has('k'));
  void cache.get('k', 'k');
  t.equal(asked.length, 2);
  asked[1]?.answer(undefined);
  await turn();
  cache.invalidateWhere(() => false);
  t.notOk(cache.has('k'), 'forgotten with the rest');
});

t.test('absent keys are remembered up to a limit', async t => {
  const { asked, cache } = bench({ absentMs: 10_000 });
  for (let i = 0; i <= 1_000; i++) {
    const got = cache.get(`k${i}`, 'q');
    asked.at(-1)?.answer(undefined);
    await got;
  }
  t.notOk(cache.has('k0'));
  t.ok(cache.has('k1'));
});
