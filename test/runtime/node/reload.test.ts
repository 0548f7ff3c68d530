/** The store goes back: what actors know of it is dropped, whatever they are doing. */
import t from 'tap';
import type { MemoryDatabase } from '../../support/memory-store.ts';
import { counterKind, counterRef, type Counted } from '../counter-actor.ts';
import { startTestNode } from '../node-fixture.ts';

const a = counterRef('a');

/** The same version as before, with another state: as if others had written since the store went back. */
function replace(database: MemoryDatabase, mark: string): void {
  const row = database.rows.get('counter/a');
  const state: Counted = { n: 1, marks: [mark] };
  database.rows.set('counter/a', { version: row?.version ?? 1, text: JSON.stringify(state) });
}

t.test('an actor at rest reads its row again', async t => {
  const { node, clock, database, store } = await startTestNode(t);
  await clock.until(node.ask(a, 'add', { mark: 'lost' }));
  replace(database, 'theirs');
  node.reload();
  t.same(((await clock.until(node.ask(a, 'get', {}))) as Counted).marks, ['theirs']);
  t.equal(store.loads, 2);
});

t.test('an actor at work reads it when its commits have settled, before the next turn', async t => {
  const { node, clock, database } = await startTestNode(t, { latencyMs: () => 5 });
  await clock.until(node.ask(a, 'add', { mark: 'first' }));
  const x = node.ask(a, 'add', { mark: 'x' });
  await clock.advance(7);
  node.reload();
  const y = node.ask(a, 'add', { mark: 'y' });
  replace(database, 'theirs');
  t.equal(await clock.until(x), 2, 'x was committed before');
  t.equal(await clock.until(y), 2, 'y is decided on what is there now');
  t.same((database.read(a)?.state as Counted).marks, ['theirs', 'y']);
});

t.test('what was being read is read again', async t => {
  const { node, clock, database, store } = await startTestNode(t, { latencyMs: () => 5 });
  await clock.until(node.ask(a, 'add', { mark: 'lost' }));
  node.reload();
  const read = node.ask(a, 'get', {});
  await clock.advance(7);
  replace(database, 'theirs');
  node.reload();
  t.same(((await clock.until(read)) as Counted).marks, ['theirs']);
  t.equal(store.loads, 3);
});

t.test('a task that has not succeeded is not tried again: its row may be gone', async t => {
  const tries: unknown[] = [];
  const work = (payload: unknown): Promise<void> => {
    tries.push(payload);
    return Promise.reject(new Error('not now'));
  };
  const { node, clock, metrics } = await startTestNode(t, { kinds: [counterKind({ work, tasksAtOnce: 1 })] });
  const effects = ['first', 'second'].map(payload => ({ do: 'perform' as const, task: 'work', payload }));
  await clock.until(node.ask(a, 'add', { mark: 'lost', effects }));
  await clock.advance(0);
  node.reload();
  await clock.advance(60_000);
  t.same(tries, ['first', 'second'], 'each once, and what had failed is dropped');
  t.equal(node.stats.tasksWaiting, 0);
  t.equal(metrics.counters.deadLetters, 0);
});
