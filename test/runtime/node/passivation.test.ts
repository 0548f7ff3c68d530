import t from 'tap';
import { counterKind, counterRef, type Counted } from '../counter-actor.ts';
import { outcome, startTestNode } from '../node-fixture.ts';

const a = counterRef('a');
const b = counterRef('b');

t.test('an idle actor leaves memory, and is loaded again as committed', async t => {
  const { node, clock, store, metrics } = await startTestNode(t, {
    kinds: [counterKind({ idleMs: 60_000 })],
  });
  await clock.until(node.ask(a, 'add', { mark: 'x' }));
  await clock.until(node.ask(a, 'live', {}));
  await clock.advance(59_000);
  t.equal(node.stats.activations, 1);
  await clock.advance(17_000);
  t.equal(node.stats.activations, 0, 'within a quarter more than its idle time');
  const back = await clock.until(node.ask<Counted>(a, 'get', {}));
  t.strictSame(back, { n: 1, marks: ['x'] }, 'what no snapshot keeps is forgotten');
  t.equal(store.loads, 2);
  t.strictSame(
    { ...metrics.kind('counter') },
    { turns: 3, refusals: 0, defects: 0, activations: 2, passivations: 1, forwarded: 0 },
  );
});

t.test('an actor that is used stays', async t => {
  const { node, clock } = await startTestNode(t, { kinds: [counterKind({ idleMs: 60_000 })] });
  for (let i = 0; i < 10; i++) {
    await clock.until(node.ask(a, 'add', { mark: `${i}` }));
    await clock.advance(50_000);
  }
  t.equal(node.stats.activations, 1);
});

t.test('an actor stays while a task of its runs', async t => {
  let finish = (): void => undefined;
  const work = (): Promise<void> => new Promise<void>(resolve => (finish = resolve));
  const { node, clock } = await startTestNode(t, { kinds: [counterKind({ work, idleMs: 60_000 })] });
  await clock.until(node.ask(a, 'live', { effects: [{ do: 'perform', task: 'work', payload: 1 }] }));
  await clock.advance(300_000);
  t.equal(node.stats.activations, 1);
  finish();
  await clock.advance(16_000);
  t.equal(node.stats.activations, 0);
});

t.test('at the limit the least recently used leaves first', async t => {
  const { node, clock, store } = await startTestNode(t, { limits: { activations: 8 } });
  const loadsBy = async (names: string): Promise<number> => {
    const before = store.loads;
    for (const name of names) {
      await clock.until(node.ask(counterRef(name), 'add', { mark: 'x' }));
      await clock.advance(1_000);
    }
    return store.loads - before;
  };
  t.equal(await loadsBy('abcdefgh'), 8);
  t.equal(await loadsBy('a'), 0);
  t.equal(await loadsBy('ijk'), 3, 'in the place of b, c and d');
  t.equal(node.stats.activations, 8);
  t.equal(await loadsBy('aefghijk'), 0);
  t.equal(await loadsBy('b'), 1);
  t.equal(node.stats.activations, 8);
});

t.test('an actor that is busy is not put out for another', async t => {
  const { node, clock } = await startTestNode(t, { latencyMs: () => 5, limits: { activations: 2 } });
  const asks = ['a', 'b', 'c', 'd'].map(name => node.ask(counterRef(name), 'add', { mark: 'x' }));
  t.equal(node.stats.activations, 4, 'there is room for those that wait');
  t.strictSame(await clock.until(Promise.all(asks)), [1, 1, 1, 1]);
  await clock.until(node.ask(counterRef('e'), 'add', { mark: 'x' }));
  t.equal(node.stats.activations, 4, 'each newcomer replaces one');
});

t.test('onActivate is the first command after a load, and after a reload', async t => {
  const { node, clock, database } = await startTestNode(t, {
    kinds: [counterKind({ onActivate: 'live', idleMs: 60_000 })],
    latencyMs: () => 5,
  });
  await clock.until(node.ask(a, 'add', { mark: 'x' }));
  t.equal(
    (await clock.until(node.ask<Counted>(a, 'get', {}))).live,
    undefined,
    'a new actor has nothing to re-drive',
  );
  await clock.advance(80_000);
  const [first] = await clock.until(Promise.all([node.ask<Counted>(a, 'get', {}), node.ask(a, 'live', {})]));
  t.equal(first.live, 1);
  database.overwrite(a, state => state);
  await clock.until(node.ask(a, 'add', { mark: 'y' }));
  t.equal((await clock.until(node.ask<Counted>(a, 'get', {}))).live, 1, 'the reload forgot, and began anew');
  t.equal(node.stats.admitted, 0);
});

t.test('onActivate must name a command', async t => {
  const kinds = [{ ...counterKind(), onActivate: 'fly' }];
  await t.rejects(startTestNode(t, { kinds }), /counter: onActivate names the unknown command fly/);
  await t.rejects(
    startTestNode(t, { kinds: [counterKind({ idleMs: 0 })] }),
    /counter: idleMs must be positive/,
  );
  await t.rejects(startTestNode(t, { kinds: [counterKind(), counterKind()] }), /two kinds are named counter/);
});

t.test('a refused onActivate does not affect other commands', async t => {
  const { node, clock } = await startTestNode(t, {
    kinds: [counterKind({ onActivate: 'refuse', idleMs: 60_000 })],
  });
  await clock.until(node.ask(b, 'add', { mark: 'x' }));
  await clock.advance(80_000);
  t.equal(await clock.until(outcome(node.ask(b, 'add', { mark: 'y' }))), 2);
});
