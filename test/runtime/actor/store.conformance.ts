/** The rules of runtime/actor/store.ts as tests, for every store: memory here, PostgreSQL in test/storage. */
import type { Test } from 'tap';
import type { ActorRef } from '../../../runtime/actor/actor.ts';
import {
  Duplicate,
  Fenced,
  type Chain,
  type Commit,
  type DeadLetter,
  type DueReminder,
  type PlacedReminder,
  type Store,
} from '../../../runtime/actor/store.ts';

export interface StoreHarness<Write> {
  readonly store: Store<Write>;
  /** A second store on the same database: another node. */
  readonly other: Store<Write>;
  /** The address of an actor of a kind that the database knows; the same name gives the same. */
  readonly actor: (name: string) => ActorRef;
  /** A state that such an actor may have, which carries the mark. */
  readonly state: (actor: ActorRef, mark: string) => unknown;
  readonly parseMark: (state: unknown) => string;
  readonly writes: {
    /** A row that must be the first with its key; the same key gives the same. */
    readonly unique: (key: string) => Write;
  };
  readonly letters: () => Promise<readonly DeadLetter[]>;
  readonly close: () => Promise<void>;
}

const unbroken = (): Chain => ({ broken: false });

class Actor<Write> {
  readonly ref: ActorRef;
  readonly #harness: StoreHarness<Write>;
  readonly #chain: Chain = unbroken();
  #version: number;

  constructor(harness: StoreHarness<Write>, name: string, version = 0) {
    this.#harness = harness;
    this.ref = harness.actor(name);
    this.#version = version;
  }

  /** A commit on top of the last one, moving the state to `mark` if there is one. */
  next(mark: string | undefined, more: Partial<Commit<Write>> = {}): Commit<Write> {
    const base = this.#version;
    const version = mark === undefined ? base : ++this.#version;
    const snapshot = mark === undefined ? undefined : { version, state: this.#harness.state(this.ref, mark) };
    const nothing = { writes: [], remind: [], forget: [] };
    return { actor: this.ref, base, chain: this.#chain, snapshot, ...nothing, ...more };
  }

  reminder(key: string, at: number, payload: unknown = { key }): DueReminder {
    return { key, at, to: this.ref, command: 'wake', payload, attempts: 0 };
  }

  placed(key: string, at: number, shard = 3): PlacedReminder {
    return { ...this.reminder(key, at), shard };
  }
}

function outcomes(promises: readonly Promise<void>[]): Promise<string[]> {
  return Promise.all(
    promises.map(promise =>
      promise.then(
        () => 'committed',
        (error: unknown) => (error instanceof Error ? error.name : String(error)),
      ),
    ),
  );
}

export function storeConformance<Write>(t: Test, makeStore: () => Promise<StoreHarness<Write>>): void {
  const rule = (name: string, body: (t: Test, harness: StoreHarness<Write>) => Promise<void>): void => {
    t.test(name, async t => {
      const harness = await makeStore();
      t.teardown(() => harness.close());
      await body(t, harness);
    });
  };
  const mark = async ({ store, parseMark }: StoreHarness<Write>, ref: ActorRef): Promise<unknown> => {
    const loaded = await store.load(ref);
    return loaded && { version: loaded.version, mark: parseMark(loaded.state) };
  };

  rule('an actor without a snapshot loads as undefined', async (t, { store, actor }) => {
    t.equal(await store.load(actor('nobody')), undefined);
  });

  rule('what was committed is loaded, by every node', async (t, harness) => {
    const a = new Actor(harness, 'a');
    await harness.store.commit(a.next('first'));
    t.strictSame(await mark(harness, a.ref), { version: 1, mark: 'first' });
    t.strictSame(await mark({ ...harness, store: harness.other }, a.ref), { version: 1, mark: 'first' });
  });

  rule('loads at once do not mix', async (t, harness) => {
    const names = ['a', 'b', 'c', 'd'];
    await Promise.all(names.map(name => harness.store.commit(new Actor(harness, name).next(name))));
    const loaded = await Promise.all(
      [...names, 'nobody', 'a'].map(name => mark(harness, harness.actor(name))),
    );
    t.strictSame(loaded, [
      ...names.map(name => ({ version: 1, mark: name })),
      undefined,
      { version: 1, mark: 'a' },
    ]);
  });

  rule('commits of one actor apply in the order of the calls', async (t, harness) => {
    const a = new Actor(harness, 'a');
    const marks = Array.from({ length: 50 }, (_, i) => `mark ${i}`);
    await Promise.all(marks.map(text => harness.store.commit(a.next(text))));
    t.strictSame(await mark(harness, a.ref), { version: 50, mark: 'mark 49' });
  });

  rule('of two nodes that create an actor, one is fenced', async (t, harness) => {
    const commits = [new Actor(harness, 'a').next('here'), new Actor(harness, 'a').next('there')];
    const settled = await outcomes([
      harness.store.commit(commits[0] as Commit<Write>),
      harness.other.commit(commits[1] as Commit<Write>),
    ]);
    t.strictSame(settled.sort(), ['Fenced', 'committed']);
  });

  rule('a commit on an old version is fenced, and nothing of it applies', async (t, harness) => {
    const { store, other, writes } = harness;
    const a = new Actor(harness, 'a');
    await store.commit(a.next('ours'));
    await other.commit(new Actor(harness, 'a', 1).next('theirs'));
    const late = a.next('late', { writes: [writes.unique('k')], remind: [a.placed('r', 1)] });
    await t.rejects(store.commit(late), Fenced);
    t.strictSame(await mark(harness, a.ref), { version: 2, mark: 'theirs' });
    t.strictSame((await store.dueReminders(10, 10)).reminders, []);
    await store.commit(new Actor(harness, 'b').next('b', { writes: [writes.unique('k')] }));
  });

  rule('what stands on a fenced commit is fenced, even when its version would fit', async (t, harness) => {
    const { store, other } = harness;
    const a = new Actor(harness, 'a');
    await store.commit(a.next('1'));
    await other.commit(new Actor(harness, 'a', 1).next('theirs'));
    const refused = a.next('2');
    const onTop = a.next('3');
    await t.rejects(store.commit(refused), Fenced);
    t.equal(refused.chain.broken, true);
    t.equal(onTop.base, 2, 'the version of the row');
    await t.rejects(store.commit(onTop), Fenced);
    t.strictSame(await mark(harness, a.ref), { version: 2, mark: 'theirs' });
  });

  rule(
    'what stands on a fenced commit is fenced in the same batch, and others are not',
    async (t, harness) => {
      const { store, other } = harness;
      await other.commit(new Actor(harness, 'a').next('theirs'));
      const a = new Actor(harness, 'a');
      const b = new Actor(harness, 'b');
      const settled = await outcomes([
        store.commit(b.next('b1')),
        store.commit(a.next('a1')),
        store.commit(b.next('b2')),
        store.commit(a.next('a2')),
        store.commit(b.next('b3')),
      ]);
      t.strictSame(settled, ['committed', 'Fenced', 'committed', 'Fenced', 'committed']);
      t.strictSame(await mark(harness, b.ref), { version: 3, mark: 'b3' });
      t.strictSame(await mark(harness, a.ref), { version: 1, mark: 'theirs' });
    },
  );

  rule('a commit without a snapshot is fenced too, and leaves the version alone', async (t, harness) => {
    const { store, other, writes } = harness;
    const a = new Actor(harness, 'a');
    const settled = await outcomes([
      store.commit(a.next(undefined, { writes: [writes.unique('before')] })),
      store.commit(a.next('1')),
      store.commit(a.next(undefined, { writes: [writes.unique('between')] })),
      store.commit(a.next('2')),
    ]);
    t.strictSame(settled, ['committed', 'committed', 'committed', 'committed']);
    t.strictSame(await mark(harness, a.ref), { version: 2, mark: '2' });
    await other.commit(new Actor(harness, 'a', 2).next('theirs'));
    await t.rejects(store.commit(a.next(undefined, { writes: [writes.unique('late')] })), Fenced);
    await t.rejects(store.commit(new Actor(harness, 'a', 0).next(undefined)), Fenced, 'there is a row');
    await t.rejects(store.commit(new Actor(harness, 'b', 3).next(undefined)), Fenced, 'there is none');
    await store.commit(new Actor(harness, 'c').next('c', { writes: [writes.unique('late')] }));
  });

  rule('a duplicate fails alone', async (t, harness) => {
    const { store, writes } = harness;
    const [a, b, c] = ['a', 'b', 'c'].map(name => new Actor(harness, name)) as [
      Actor<Write>,
      Actor<Write>,
      Actor<Write>,
    ];
    const first = store.commit(a.next('a1', { writes: [writes.unique('k')] }));
    const second = store.commit(b.next('b1', { writes: [writes.unique('k')] }));
    const onTop = store.commit(b.next('b2'));
    const unrelated = store.commit(c.next('c1', { writes: [writes.unique('l')] }));
    t.strictSame(await outcomes([first, second, onTop, unrelated]), [
      'committed',
      'Duplicate',
      'Fenced',
      'committed',
    ]);
    t.equal(await mark(harness, b.ref), undefined);
    const again = store.commit(new Actor(harness, 'b').next('b1', { writes: [writes.unique('k')] }));
    await t.rejects(again, Duplicate, 'also of what was committed long ago');
  });

  rule('a duplicate without a snapshot harms nothing that came after', async (t, harness) => {
    const { store, writes } = harness;
    const a = new Actor(harness, 'a');
    const settled = await outcomes([
      store.commit(a.next('1', { writes: [writes.unique('k')] })),
      store.commit(a.next(undefined, { writes: [writes.unique('k')] })),
      store.commit(a.next('2')),
    ]);
    t.strictSame(settled, ['committed', 'Duplicate', 'committed']);
    t.strictSame(await mark(harness, a.ref), { version: 2, mark: '2' });
  });

  rule('reminders are due in their order, within their limit, on their shards', async (t, harness) => {
    const { store } = harness;
    const a = new Actor(harness, 'a');
    const b = new Actor(harness, 'b');
    await store.commit(a.next('1', { remind: [a.placed('late', 300), a.placed('early', 100)] }));
    await store.commit(a.next(undefined, { remind: [b.placed('other', 200, 7)] }));
    t.strictSame(await store.dueReminders(50, 10), { reminders: [], nextAt: 100 });
    const all = await store.dueReminders(250, 10);
    t.strictSame(all.reminders, [a.reminder('early', 100), b.reminder('other', 200)]);
    t.equal(all.nextAt, 300);
    t.strictSame((await store.dueReminders(250, 1)).reminders, [a.reminder('early', 100)]);
    t.strictSame((await store.dueReminders(999, 10, [7])).reminders, [b.reminder('other', 200)]);
    t.strictSame(await store.dueReminders(999, 10, []), { reminders: [], nextAt: undefined });
  });

  rule('a reminder set again replaces, and one forgotten is gone', async (t, harness) => {
    const { store } = harness;
    const a = new Actor(harness, 'a');
    const dueKeys = async (): Promise<string[]> =>
      (await store.dueReminders(999, 10)).reminders.map(({ key, at }) => `${key}@${at}`);
    await Promise.all([
      store.commit(a.next('1', { remind: [a.placed('x', 100), a.placed('y', 110)] })),
      store.commit(a.next('2', { remind: [a.placed('x', 200)] })),
      store.commit(a.next('3', { forget: [{ key: 'y' }] })),
      store.commit(a.next('4', { remind: [a.placed('z', 300)] })),
    ]);
    t.strictSame(await dueKeys(), ['x@200', 'z@300']);
    await store.commit(a.next('5', { forget: [{ key: 'x', at: 100 }] }));
    t.strictSame(await dueKeys(), ['x@200', 'z@300'], 'another instant is another reminder');
    await store.commit(a.next(undefined, { forget: [{ key: 'x', at: 200 }] }));
    t.strictSame(await dueKeys(), ['z@300']);
    await store.commit(a.next('6', { forget: [{ key: 'z', at: 300 }], remind: [a.placed('z', 300)] }));
    t.strictSame(await dueKeys(), ['z@300'], 'a handled reminder may set its own key again');
  });

  rule(
    'in one batch, a reminder that was set anew outlives the handling of the old one',
    async (t, harness) => {
      const { store } = harness;
      const a = new Actor(harness, 'a');
      await store.commit(a.next('1', { remind: [a.placed('x', 100)] }));
      await Promise.all([
        store.commit(a.next('2', { remind: [a.placed('x', 200)] })),
        store.commit(a.next('3', { forget: [{ key: 'x', at: 100 }] })),
      ]);
      t.strictSame((await store.dueReminders(999, 10)).reminders, [a.reminder('x', 200)]);
    },
  );

  rule('a postponed reminder comes later and remembers its tries', async (t, harness) => {
    const { store } = harness;
    const a = new Actor(harness, 'a');
    const old = a.reminder('x', 100);
    await store.commit(a.next('1', { remind: [{ ...old, shard: 3 }] }));
    await store.postponeReminder(old, 500, 'it failed');
    t.strictSame(await store.dueReminders(499, 10), { reminders: [], nextAt: 500 });
    t.strictSame((await store.dueReminders(500, 10)).reminders, [{ ...old, at: 500, attempts: 1 }]);
    await store.postponeReminder(old, 900, 'it failed long ago');
    t.strictSame(
      (await store.dueReminders(500, 10)).reminders,
      [{ ...old, at: 500, attempts: 1 }],
      'set anew meanwhile',
    );
  });

  rule('a reminder that failed for good is a dead letter', async (t, harness) => {
    const { store } = harness;
    const a = new Actor(harness, 'a');
    const old = a.reminder('x', 100, { n: 1 });
    const letter = { actor: a.ref, name: 'wake', payload: { n: 1 }, error: 'no', attempts: 12 };
    await store.commit(a.next('1', { remind: [{ ...old, shard: 3 }, a.placed('y', 200)] }));
    await store.addDeadLetter(letter, old);
    t.strictSame((await store.dueReminders(999, 10)).reminders, [a.reminder('y', 200)]);
    t.strictSame(await harness.letters(), [letter]);
    await store.addDeadLetter({ ...letter, name: 'task' });
    t.equal((await harness.letters()).length, 2, 'a task leaves no reminder behind');
    await store.addDeadLetter(letter, a.reminder('y', 150));
    t.strictSame(
      (await store.dueReminders(999, 10)).reminders,
      [a.reminder('y', 200)],
      'set anew meanwhile, it stays',
    );
  });
}
