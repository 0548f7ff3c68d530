import t from 'tap';
import type { Effect } from '../../../runtime/actor/actor.ts';
import { counterKind, counterRef, type Counted, type Work } from '../counter-actor.ts';
import { outcome, startTestNode } from '../node-fixture.ts';

const a = counterRef('a');
const b = counterRef('b');
const latencyMs = (): number => 5;
const perform = (payload: unknown): Effect => ({ do: 'perform', task: 'work', payload });

t.test('a drain finishes what was admitted, whatever became of it meanwhile', async t => {
  for (let moment = 0; moment <= 30; moment += 3) {
    const { node, clock, database } = await startTestNode(t, { latencyMs });
    const asks = Array.from({ length: 20 }, (_, i) => node.ask(i % 2 === 0 ? a : b, 'add', { mark: `${i}` }));
    await clock.advance(moment);
    database.overwrite(a, state => state ?? { n: 0, marks: [] });
    await clock.until(node.drain());
    const replies = await Promise.all(asks);
    t.strictSame(
      replies,
      [...asks.keys()].map(i => Math.floor(i / 2) + 1),
      `after ${moment} ms`,
    );
    t.equal((database.read(b)?.state as Counted).n, 10);
    t.strictSame(
      { ...node.stats },
      {
        activations: 0,
        admitted: 0,
        deepestMailbox: 0,
        outgoing: 0,
        shards: 0,
        tasksRunning: 0,
        tasksWaiting: 0,
        reminders: 0,
      },
    );
  }
});

t.test('only a drained node refuses at once', async t => {
  const { node, clock } = await startTestNode(t);
  await clock.until(node.drain());
  const before = clock.now();
  t.equal(await clock.until(outcome(node.ask(a, 'get', {}))), 'svc/runtime/unavailable draining');
  node.tell(a, 'add', { mark: 'x' });
  t.equal(clock.now(), before);
  t.equal(clock.pending, 0, 'and nothing of it is left');
});

t.test('a drain may be asked for again and again', async t => {
  const { node, clock } = await startTestNode(t, { latencyMs });
  const asked = node.ask(a, 'add', { mark: 'x' });
  const drains = [node.drain(), node.drain()];
  t.equal(drains[0], drains[1]);
  await clock.until(Promise.all(drains));
  t.equal(await asked, 1);
  t.equal(node.drain(), drains[0]);
  await t.rejects(node.start(), /a stopped node cannot start/);
});

t.test('a drain waits for tasks, and these may still ask', async t => {
  const work: Work = async (payload, { self, ask }) => {
    await new Promise<void>(resolve => clock.after(1_000, resolve));
    await ask(self, 'add', { mark: `done ${String(payload)}` });
  };
  const { node, clock, database } = await startTestNode(t, { kinds: [counterKind({ work })], latencyMs });
  await clock.until(node.ask(a, 'add', { mark: 'x', effects: [perform(1), perform(2)] }));
  await clock.until(node.drain());
  t.strictSame((database.read(a)?.state as Counted).marks, ['x', 'done 1', 'done 2']);
});

t.test(
  'a drain does not wait for back-off: a failed task has one more try, and then is left to recovery',
  async t => {
    let tries = 0;
    const work: Work = async () => {
      tries++;
      throw new Error('no route');
    };
    const { node, clock, database } = await startTestNode(t, { kinds: [counterKind({ work })] });
    await clock.until(node.ask(a, 'add', { mark: 'x', effects: [perform(1)] }));
    await clock.advance(1);
    t.strictSame([tries, node.stats.tasksWaiting], [1, 1]);
    const before = clock.now();
    await clock.until(node.drain());
    t.equal(clock.now(), before);
    t.equal(tries, 2);
    t.strictSame(database.letters, []);
  },
);

t.test('a task that never ends does not block the drain', async t => {
  const work: Work = () => new Promise(() => undefined);
  const { node, clock, log } = await startTestNode(t, {
    kinds: [counterKind({ work })],
    limits: { drainMs: 4_000 },
  });
  await clock.until(node.ask(a, 'add', { mark: 'x', effects: [perform(1)] }));
  const before = clock.now();
  await clock.until(node.drain());
  t.equal(clock.now() - before, 4_000);
  t.match(log, [{ level: 'warn', message: 'the drain did not finish in time', fields: { tasksRunning: 1 } }]);
  t.equal(node.stats.shards, 0, 'its shards are given up all the same');
});

t.test('a drain begins no more reminders, and loses none', async t => {
  const { node, clock, database } = await startTestNode(t, { latencyMs });
  const wake = (key: string, at: number) => ({ key, at, command: 'wake', payload: { mark: key } });
  const remind = [wake('now', 0), wake('later', clock.now() + 60)];
  await clock.until(node.ask(a, 'add', { mark: 'x', remind }));
  const drained = node.drain();
  await clock.until(drained);
  await clock.advance(60_000);
  t.strictSame((database.read(a)?.state as Counted).marks, ['x', 'now'], 'what was on its way arrived');
  t.strictSame([...database.reminders.keys()], ['counter/a/later']);
});
