/** What runtime/cluster/register.ts promises, as tests for every register: in memory and over JetStream. */
import type { Test } from 'tap';
import type { Change, Entry, Register } from '../../../runtime/cluster/register.ts';

/** Two nodes of one cluster, on an empty register. */
export interface RegisterHarness {
  readonly one: Register;
  readonly two: Register;
  readonly close: () => Promise<void>;
}

const byKey = (entries: readonly Entry[]): Entry[] => [...entries].sort((a, b) => (a.key < b.key ? -1 : 1));

/** Collects what a watcher hears; `heard` resolves with the first `count` changes. */
function hearing(count: number): {
  listener: (change: Change) => void;
  changes: Change[];
  heard: Promise<Change[]>;
} {
  const changes: Change[] = [];
  const { promise, resolve } = Promise.withResolvers<Change[]>();
  const listener = (change: Change): void => {
    if (changes.push(change) === count) resolve(changes);
  };
  return { listener, changes, heard: promise };
}

export function registerConformance(t: Test, makeRegisters: () => Promise<RegisterHarness>): void {
  const test = (name: string, body: (t: Test, one: Register, two: Register) => Promise<void>): void => {
    t.test(name, async t => {
      const { one, two, close } = await makeRegisters();
      t.teardown(close);
      await body(t, one, two);
    });
  };

  test('an empty register has no entries', async (t, one) => {
    t.strictSame(await one.entries(), []);
  });

  test('a key is created once, and every node sees it', async (t, one, two) => {
    const value = '{"owner":"ü😀"}';
    const revision = await one.create('shard.7', value);
    t.type(revision, 'number');
    t.equal(await two.create('shard.7', 'another'), undefined);
    t.strictSame(await two.entries(), [{ key: 'shard.7', value, revision }]);
  });

  test('of many that create a key at once one succeeds', async (t, one, two) => {
    const created = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : two).create('cluster', `${i}`)),
    );
    const winners = [...created.keys()].filter(i => created[i] !== undefined);
    t.equal(winners.length, 1);
    t.strictSame(await one.entries(), [
      { key: 'cluster', value: `${winners[0]}`, revision: created[winners[0] ?? 0] },
    ]);
  });

  test('an update names the revision that it replaces', async (t, one, two) => {
    const first = (await one.create('node.a', '1')) ?? 0;
    const second = (await two.update('node.a', '2', first)) ?? 0;
    t.ok(second > first);
    t.equal(await one.update('node.a', 'late', first), undefined);
    t.equal(await one.update('node.b', 'unknown', first), undefined);
    t.equal(await one.update('node.b', 'unknown', second + 1), undefined);
    t.strictSame(await one.entries(), [{ key: 'node.a', value: '2', revision: second }]);
  });

  test('of many that update a revision at once one succeeds', async (t, one, two) => {
    const first = (await one.create('node.a', '')) ?? 0;
    const updated = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : two).update('node.a', `${i}`, first)),
    );
    t.equal(updated.filter(revision => revision !== undefined).length, 1);
  });

  test('a removal names the revision that it removes', async (t, one, two) => {
    const first = (await one.create('node.a', '1')) ?? 0;
    const second = (await one.update('node.a', '2', first)) ?? 0;
    t.equal(await two.remove('node.a', first), false);
    t.equal(await two.remove('node.b', second), false);
    t.equal(await two.remove('node.a', second), true);
    t.strictSame(await one.entries(), []);
    t.equal(await two.remove('node.a', second), false);
    t.equal(await one.update('node.a', '3', second), undefined, 'what is gone cannot be updated');
  });

  test('a key that was removed can be created again, at a new revision', async (t, one, two) => {
    const first = (await one.create('node.a', '1')) ?? 0;
    await one.remove('node.a', first);
    const again = (await two.create('node.a', '2')) ?? 0;
    t.ok(again > first);
    t.equal(await one.create('node.a', '3'), undefined);
    t.equal(await one.update('node.a', '4', first), undefined);
    t.strictSame(await one.entries(), [{ key: 'node.a', value: '2', revision: again }]);
  });

  test('revisions grow over all keys', async (t, one, two) => {
    const revisions: number[] = [];
    for (const [i, register] of [one, two, one, two].entries()) {
      revisions.push((await register.create(`shard.${i}`, '')) ?? 0);
    }
    revisions.push((await two.update('shard.0', 'x', revisions[0] ?? 0)) ?? 0);
    t.strictSame(
      revisions,
      [...new Set(revisions)].sort((a, b) => a - b),
    );
  });

  test('entries are read whole: hundreds of them, and none that is gone', async (t, one, two) => {
    const made = await Promise.all(
      Array.from({ length: 300 }, async (_, i) => {
        const entry = { key: `shard.${i}`, value: `${i}`.repeat(100) };
        return { ...entry, revision: (await one.create(entry.key, entry.value)) ?? 0 };
      }),
    );
    const gone = made.filter((_, i) => i % 3 === 0);
    await Promise.all(gone.map(({ key, revision }) => two.remove(key, revision)));
    t.strictSame(byKey(await two.entries()), byKey(made.filter(entry => !gone.includes(entry))));
  });

  test('a watcher hears every change from then on, its own included, in order', async (t, one, two) => {
    const before = (await one.create('node.a', 'before')) ?? 0;
    const [atOne, atTwo] = [hearing(4), hearing(4)];
    await one.watch(atOne.listener);
    await two.watch(atTwo.listener);
    const updated = (await two.update('node.a', 'updated', before)) ?? 0;
    const created = (await one.create('node.b', '')) ?? 0;
    await two.remove('node.a', updated);
    const again = (await one.create('node.a', 'again')) ?? 0;
    const changes = await atOne.heard;
    t.match(changes, [
      { key: 'node.a', value: 'updated', revision: updated },
      { key: 'node.b', value: '', revision: created },
      { key: 'node.a', value: undefined },
      { key: 'node.a', value: 'again', revision: again },
    ]);
    const removed = changes[2]?.revision ?? 0;
    t.ok(created < removed && removed < again, 'a removal has a revision too');
    t.strictSame(await atTwo.heard, changes);
  });

  test('a refused write is no change', async (t, one, two) => {
    const { listener, changes, heard } = hearing(2);
    await two.watch(listener);
    const first = (await one.create('node.a', '1')) ?? 0;
    await one.create('node.a', 'refused');
    await one.update('node.a', 'refused', first + 1_000);
    await one.remove('node.a', first + 1_000);
    await one.update('node.a', '2', first);
    await heard;
    t.strictSame(
      changes.map(({ value }) => value),
      ['1', '2'],
    );
  });

  test('a watch that has ended is silent, and the others go on', async (t, one) => {
    const [ended, stays] = [hearing(1), hearing(2)];
    const end = await one.watch(ended.listener);
    await one.watch(stays.listener);
    const first = (await one.create('node.a', '1')) ?? 0;
    await ended.heard;
    end();
    end();
    await one.update('node.a', '2', first);
    await stays.heard;
    t.equal(ended.changes.length, 1);
  });
}
