/** No environment gets all permits, waiting is limited, and an aborted step leaves the queue. */
import t from 'tap';
import { FairSemaphore } from '../../../runtime/admission/fair-semaphore.ts';

class Fixture {
  readonly semaphore: FairSemaphore;
  /** Who is at work, by the order in which they came to it, and how each ends. */
  readonly atWork: { readonly owner: string; readonly end: () => void }[] = [];
  readonly refused: string[] = [];

  constructor(count: number, room: number) {
    this.semaphore = new FairSemaphore(count, room);
  }

  come(owner: string, signal = new AbortController().signal): Promise<void> {
    let worked = false;
    const work = (): Promise<void> =>
      new Promise(resolve => {
        worked = true;
        this.atWork.push({ owner, end: resolve });
      });
    return this.semaphore.runOrSkip(owner, signal, work).then(() => {
      if (!worked) this.refused.push(owner);
    });
  }

  async end(index: number): Promise<void> {
    this.atWork.splice(index, 1)[0]?.end();
    await new Promise(setImmediate);
  }

  get owners(): string {
    return this.atWork.map(({ owner }) => owner).join('');
  }
}

t.test('one owner holds at most half of the permits and of the queue', async t => {
  const fixture = new Fixture(8, 8);
  for (let i = 0; i < 20; i++) void fixture.come('a');
  await new Promise(setImmediate);
  t.equal(fixture.owners, 'aaaa');
  t.equal(fixture.refused.length, 12, 'four wait, and the others are to come again');
  t.equal(fixture.semaphore.waiting, 4);
  for (const owner of ['b', 'b', 'b', 'c']) void fixture.come(owner);
  t.equal(fixture.owners, 'aaaabbc');
  await fixture.end(0);
  t.equal(fixture.owners, 'aaabbc', 'what is free is kept for those who have less');
  await fixture.end(0);
  t.equal(fixture.owners, 'aabbca');
  await fixture.end(2);
  t.equal(fixture.owners, 'aabcab', 'in turn');
  while (fixture.atWork.length > 0) await fixture.end(0);
  for (let i = 0; i < 20; i++) void fixture.come('a');
  t.equal(fixture.owners, 'aaaa', 'every permit was given back');
});

t.test('the last permit goes to the owner with the fewest, and cancelled work leaves the queue', async t => {
  const fixture = new Fixture(4, 100);
  const stopped = new AbortController();
  for (const owner of ['a', 'a', 'a', 'b', 'b', 'c']) void fixture.come(owner);
  const left = t.rejects(fixture.come('c', stopped.signal), /enough/);
  void fixture.come('d');
  t.equal(fixture.owners, 'aabc');
  stopped.abort(new Error('enough'));
  await left;
  await fixture.end(3);
  t.equal(fixture.owners, 'aabd');
});

t.test('run() waits for a permit, however many wait', async t => {
  const semaphore = new FairSemaphore(2, 0);
  const { signal } = new AbortController();
  const first = Promise.withResolvers<void>();
  const order: number[] = [];
  const works = [1, 2, 3].map(number =>
    semaphore.run('a', signal, async () => {
      order.push(number);
      await first.promise;
      return number * 10;
    }),
  );
  await semaphore.runOrSkip('a', signal, async () => void t.fail('there is no room'));
  t.same(order, [1]);
  first.resolve();
  t.same(await Promise.all(works), [10, 20, 30]);
  t.same(order, [1, 2, 3]);
  const failing = semaphore.run('a', signal, () => Promise.reject(new Error('no')));
  await t.rejects(failing, { message: 'no' });
  t.equal(await semaphore.run('a', signal, () => Promise.resolve('free')), 'free');
});
