/** Threads that are read since an event came of them: how often the server is asked, whatever it answers. */
import t from 'tap';
import { MissingThreads } from '../../../../clients/console/live/missing-threads.ts';

const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Time that passes when it is told to. */
class Clock {
  now = 0;
  readonly #works = new Set<{ readonly at: number; readonly work: () => void }>();

  readonly schedule = (work: () => void, ms: number): (() => void) => {
    const due = { at: this.now + ms, work };
    this.#works.add(due);
    return () => this.#works.delete(due);
  };

  /** In steps of 100 ms, each of which lets answers come. */
  async pass(ms: number): Promise<void> {
    for (const end = this.now + ms; this.now < end;) {
      this.now += 100;
      for (const due of [...this.#works]) if (due.at <= this.now && this.#works.delete(due)) due.work();
      await settled();
    }
  }

  get waiting(): number {
    return this.#works.size;
  }
}

const name = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}_${index}`);

t.test('where too many are missing, one read at a time is waited for, and the next has them all', async t => {
  const clock = new Clock();
  const reads: (readonly string[])[] = [];
  let answer: () => void = () => undefined;
  const missing = new MissingThreads({
    readOne: () => Promise.reject(new Error('they are too many')),
    readAll: threadIds => {
      reads.push(threadIds);
      return new Promise(resolve => (answer = resolve));
    },
    schedule: clock.schedule,
  });
  for (const each of name('first', 21)) missing.add(each);
  await clock.pass(200);
  t.equal(reads.length, 1);
  for (let round = 0; round < 10; round++) {
    for (const each of name(`round_${round}`, 21)) missing.add(each);
    await clock.pass(200);
  }
  t.equal(reads.length, 1, 'an answer that takes two seconds is not superseded');
  t.equal(missing.isBeingRead('first_0'), true);
  answer();
  await settled();
  t.equal(missing.isBeingRead('first_0'), false);
  t.equal(missing.isBeingRead('round_0_0'), true);
  await clock.pass(2_900);
  t.equal(reads.length, 1, 'nor is the server asked again at once');
  await clock.pass(200);
  t.equal(reads.length, 2);
  t.equal(reads[1]?.length, 210);
});

t.test('few are read by themselves, also while the list is read', async t => {
  const clock = new Clock();
  const ones: string[] = [];
  const missing = new MissingThreads({
    readOne: async threadId => void ones.push(threadId),
    readAll: () => new Promise(() => undefined),
    schedule: clock.schedule,
  });
  for (const each of name('many', 21)) missing.add(each);
  await clock.pass(200);
  missing.add('one');
  await clock.pass(200);
  t.strictSame(ones, ['one']);
});

t.test('what could not be read is tried again after growing waits, until it is read', async t => {
  const clock = new Clock();
  const tries: number[] = [];
  let isAway = true;
  const missing = new MissingThreads({
    readOne: async () => {
      tries.push(clock.now);
      if (isAway) throw new Error('away');
    },
    readAll: async () => undefined,
    schedule: clock.schedule,
  });
  missing.add('one');
  await clock.pass(120_000);
  t.ok(tries.length <= 8, `${tries.length} tries in two minutes`);
  const waits = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
  t.strictSame(
    waits,
    waits.toSorted((one, other) => one - other),
    'growing waits',
  );
  isAway = false;
  await clock.pass(40_000);
  const { length } = tries;
  await clock.pass(120_000);
  t.equal(tries.length, length, 'once it is read no more');
  isAway = true;
  missing.add('two');
  await clock.pass(2_500);
  t.equal(tries.length, length + 2, 'the waits begin anew');
});

t.test('when it is stopped nothing is asked for any more', async t => {
  const clock = new Clock();
  let tries = 0;
  let refuse: (error: Error) => void = () => undefined;
  const missing = new MissingThreads({
    readOne: () => {
      tries++;
      return new Promise((_, reject) => (refuse = reject));
    },
    readAll: async () => undefined,
    schedule: clock.schedule,
  });
  missing.add('one');
  await clock.pass(200);
  missing.add('two');
  missing.stop();
  t.equal(missing.isBeingRead('two'), false);
  refuse(new Error('away'));
  await clock.pass(60_000);
  t.equal(tries, 1);
  t.equal(clock.waiting, 0);
  t.equal(missing.isBeingRead('one'), false);
});
