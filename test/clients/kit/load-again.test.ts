/** What did not come is asked for again: at growing intervals, at a chance, and only as long as it is wanted. */
import t from 'tap';
import { LatePart, retriable } from '../../../clients/kit/load-again.ts';

/** Time and chances in the hand of the test. */
function createSurroundings() {
  const timers = new Map<() => void, number>();
  const chances = new Set<() => void>();
  return {
    /** How long it waits, in milliseconds, of all that wait. */
    waits: () => [...timers.values()],
    chances,
    port: {
      schedule(work: () => void, ms: number) {
        timers.set(work, ms);
        return () => timers.delete(work);
      },
      onChance(work: () => void) {
        chances.add(work);
        return () => chances.delete(work);
      },
    },
    runTimers() {
      for (const work of [...timers.keys()]) {
        timers.delete(work);
        work();
      }
    },
  };
}

/** A file that comes when its turn has come. */
function createFile() {
  const asked: PromiseWithResolvers<string>[] = [];
  const load = (): Promise<string> => {
    const answer = Promise.withResolvers<string>();
    asked.push(answer);
    return answer.promise;
  };
  return { asked, load };
}

const gone = new Error('gone');
/** All that follows from what was settled has happened. */
const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

t.test('loads once, and after a failure anew, then also in another way', async t => {
  const { asked, load } = createFile();
  const failures: unknown[] = [];
  let other: () => Promise<string> = () => Promise.reject(new Error('elsewhere neither'));
  const get = retriable(load, failure => {
    failures.push(failure);
    return other();
  });
  const both = [get(), get()];
  t.equal(asked.length, 1, 'whoever comes meanwhile waits for the same');
  const rejected = both.map(each => t.rejects(each, gone));
  asked[0]?.reject(gone);
  await Promise.all(rejected);
  t.strictSame(failures, [], 'the first failure is told, and nothing else is tried');

  const second = get();
  asked[1]?.reject(gone);
  await t.rejects(second, { message: 'elsewhere neither' });
  t.strictSame(failures, [gone]);
  other = () => Promise.resolve('from elsewhere');
  const third = get();
  asked[2]?.reject(gone);
  t.equal(await third, 'from elsewhere');
  t.equal(await get(), 'from elsewhere');
  t.equal(asked.length, 3, 'it stays');
});

t.test('comes from where it is, when it does', async t => {
  const { asked, load } = createFile();
  const get = retriable(load, () => t.fail('asked for elsewhere') as never);
  const first = t.rejects(get(), gone);
  asked[0]?.reject(gone);
  await first;
  const second = get();
  asked[1]?.resolve('the file');
  t.equal(await second, 'the file');
});

t.test('waits twice as long each time, a minute at most, and tells when it has come', async t => {
  const { waits, port, runTimers } = createSurroundings();
  const { asked, load } = createFile();
  const late = new LatePart(load, port);
  let told = 0;
  t.strictSame(waits(), [], 'nobody wants it yet');
  late.subscribe(() => told++);
  const waited: number[] = [];
  for (let number = 0; number < 8; number++) {
    waited.push(...waits());
    runTimers();
    t.equal(asked.length, number + 1);
    t.strictSame(waits(), [], 'one try at a time');
    asked[number]?.reject(gone);
    await settle();
  }
  t.strictSame(waited, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  t.equal(late.get(), undefined);
  runTimers();
  asked[8]?.resolve('the file');
  await settle();
  t.equal(told, 1);
  t.equal(late.get(), 'the file');
  t.strictSame(waits(), []);
});

t.test('is asked for at once where there is a chance, and not twice', async t => {
  const { waits, chances, port } = createSurroundings();
  const { asked, load } = createFile();
  const late = new LatePart(load, port);
  late.subscribe(() => undefined);
  for (const ask of [...chances]) ask();
  t.equal(asked.length, 1);
  t.equal(chances.size, 0, 'it is on its way');
  t.strictSame(waits(), []);
  asked[0]?.reject(gone);
  await settle();
  t.equal(chances.size, 1);
  t.strictSame(waits(), [2_000]);
});

t.test('rests where nobody wants it any more', async t => {
  const { waits, chances, port, runTimers } = createSurroundings();
  const { asked, load } = createFile();
  const late = new LatePart(load, port);
  const leave = late.subscribe(() => undefined);
  leave();
  t.strictSame([waits(), chances.size], [[], 0]);
  const leaveAgain = late.subscribe(() => undefined);
  runTimers();
  leaveAgain();
  asked[0]?.reject(gone);
  await settle();
  t.strictSame([waits(), chances.size], [[], 0], 'nor after a try that was out');
  late.subscribe(() => undefined);
  t.strictSame(waits(), [1_000], 'who wants it later begins anew');
});
