import t from 'tap';
import type { Effect } from '../../../runtime/actor/actor.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import { counterKind, counterRef, type Counted, type Work } from '../counter-actor.ts';
import { outcome, startTestNode } from '../node-fixture.ts';

const a = counterRef('a');
const b = counterRef('b');
const latencyMs = (): number => 5;
const perform = (payload: unknown): Effect => ({ do: 'perform', task: 'work', payload });

t.test('a tell reaches its actor after the commit of the teller', async t => {
  const { node, clock, database } = await startTestNode(t, { latencyMs });
  const effects: Effect[] = [{ do: 'tell', to: b, command: 'add', payload: { mark: 'told' } }];
  const asked = node.ask(a, 'add', { mark: 'x', effects });
  await clock.advance(19);
  t.equal(database.read(a)?.version, 1);
  t.equal(node.stats.activations, 1, 'not before the commit is known');
  await clock.until(asked);
  await clock.advance(30);
  t.match(database.read(b)?.state, { marks: ['told'] });
});

t.test('a tell that fails is counted, and only that', async t => {
  const { node, clock, metrics, log } = await startTestNode(t);
  node.tell(a, 'refuse', {});
  node.tell(a, 'add', { mark: 'x' });
  await clock.advance(10);
  t.equal((await clock.until(node.ask<Counted>(a, 'get', {}))).n, 1);
  t.equal(metrics.counters.lostTells, 1);
  t.match(log, [{ level: 'debug', message: 'a tell failed', fields: { id: 'a', command: 'refuse' } }]);
});

t.test('effects of a refused commit do not happen', async t => {
  const done: unknown[] = [];
  const work: Work = async payload => void done.push(payload);
  const { node, clock } = await startTestNode(t, { kinds: [counterKind({ work })] });
  await clock.until(node.ask(a, 'add', { mark: 'x', once: 'k', effects: [perform('first')] }));
  await clock.until(outcome(node.ask(a, 'add', { mark: 'y', once: 'k', effects: [perform('never')] })));
  await clock.advance(100);
  t.strictSame(done, ['first']);
});

t.test('effects of a repeated decision happen once', async t => {
  const done: unknown[] = [];
  const work: Work = async payload => void done.push(payload);
  const { node, clock, database } = await startTestNode(t, { kinds: [counterKind({ work })], latencyMs });
  await clock.until(node.ask(a, 'add', { mark: 'x' }));
  database.overwrite(a, state => state);
  await clock.until(node.ask(a, 'add', { mark: 'y', effects: [perform('once')] }));
  await clock.advance(100);
  t.strictSame(done, ['once']);
});

t.test('a task may ask its own actor', async t => {
  const work: Work = async (payload, { self, ask, now }) => {
    await ask(self, 'add', { mark: `done ${String(payload)} at ${now()}` });
  };
  const { node, clock, database } = await startTestNode(t, { kinds: [counterKind({ work })], latencyMs });
  await clock.until(node.ask(a, 'add', { mark: 'x', effects: [perform('it')] }));
  const at = clock.now();
  await clock.advance(100);
  t.match(database.read(a)?.state, { marks: ['x', `done it at ${at}`] });
});

t.test(
  'a failing task is retried with back-off, without limit; one that is refused is a dead letter',
  async t => {
    const tries: number[] = [];
    let error = new Error('no route');
    const work: Work = (_, { now }) => {
      tries.push(now());
      return Promise.reject(error);
    };
    const { node, clock, database, metrics, log } = await startTestNode(t, {
      kinds: [counterKind({ work })],
    });
    await clock.until(node.ask(a, 'add', { mark: 'x', effects: [perform({ n: 1 })] }));
    await clock.advance(3_600_000);
    t.ok(tries.length > 100);
    t.strictSame(database.letters, []);
    const pauses = tries.slice(1, 5).map((at, i) => at - (tries[i] ?? 0));
    const within = pauses.map((ms, i) => ms >= 375 * 2 ** i && ms <= 625 * 2 ** i);
    t.strictSame(within, [true, true, true, true], `${pauses.join(', ')} ms`);
    error = new ServiceError('svc/runtime/conflict');
    await clock.advance(600_000);
    const attempts = tries.length;
    t.match(database.letters, [
      { actor: a, name: 'perform:work', payload: { n: 1 }, error: /conflict/, attempts },
    ]);
    t.equal(metrics.counters.tasksFailed, attempts);
    t.equal(metrics.counters.deadLetters, 1);
    t.match(
      log.filter(({ level }) => level === 'error'),
      [{ fields: { task: 'work', failures: attempts } }],
    );
    await clock.until(node.ask(a, 'perform:work', { n: 2 }));
    await clock.advance(1);
    t.equal(tries.length, attempts + 1, 'its command performs it again');
    t.equal((await clock.until(node.ask<Counted>(a, 'get', {}))).n, 1, 'its actor goes on');
  },
);

const refused = new ServiceError('svc/runtime/conflict');

t.test('a task that throws before its first await fails like any other', async t => {
  const work: Work = () => {
    throw refused;
  };
  const { node, clock, database } = await startTestNode(t, {
    kinds: [counterKind({ work })],
    limits: { taskRefusals: 1 },
  });
  await clock.until(node.ask(a, 'live', { effects: [perform(1)] }));
  await clock.advance(1);
  t.match(database.letters, [{ error: /conflict/, attempts: 1 }]);
});

t.test('a dead letter that cannot be stored is tried again', async t => {
  const work: Work = () => Promise.reject(refused);
  const kinds = [counterKind({ work })];
  const { node, clock, store, database } = await startTestNode(t, { kinds, limits: { taskRefusals: 1 } });
  await clock.until(node.ask(a, 'live', { effects: [perform(1)] }));
  store.offline = true;
  await clock.advance(800);
  store.offline = false;
  await clock.advance(5_000);
  t.equal(database.letters.length, 1);
});

t.test('a dead letter that cannot be stored at all is logged without what it carries', async t => {
  let isDown = (): void => undefined;
  const work: Work = () => {
    isDown();
    return Promise.reject(refused);
  };
  const { node, clock, store, log } = await startTestNode(t, {
    kinds: [counterKind({ work })],
    limits: { taskRefusals: 1 },
  });
  isDown = () => {
    store.offline = true;
  };
  await clock.until(node.ask(a, 'live', { effects: [perform({ said: 'in confidence' })] }));
  await clock.advance(120_000);
  t.ok(log.some(({ message }) => message === 'a dead letter could not be stored'));
  t.notMatch(JSON.stringify(log), /in confidence/);
  store.offline = false;
});

t.test('an unknown task is a dead letter', async t => {
  const { node, clock, database } = await startTestNode(t);
  await clock.until(node.ask(a, 'add', { mark: 'x', effects: [{ do: 'perform', task: 'fly', payload: 1 }] }));
  await clock.advance(1);
  t.match(database.letters, [{ name: 'perform:fly', error: 'Error: no task fly', attempts: 0 }]);
});

t.test('only so many tasks of a kind run at once, and only so many wait', async t => {
  const finish: (() => void)[] = [];
  let most = 0;
  let running = 0;
  const order: unknown[] = [];
  const work: Work = async payload => {
    order.push(payload);
    most = Math.max(most, ++running);
    await new Promise<void>(resolve => finish.push(resolve));
    running--;
  };
  const kinds = [counterKind({ work, tasksAtOnce: 2 })];
  const { node, clock, database } = await startTestNode(t, { kinds, limits: { tasksQueued: 3 } });
  await clock.until(node.ask(a, 'live', { effects: [1, 2, 3, 4, 5, 6].map(perform) }));
  t.strictSame([node.stats.tasksRunning, node.stats.tasksWaiting], [2, 3]);
  t.match(database.letters, [{ payload: 6, error: 'Error: too many tasks wait' }]);
  for (let done = 0; done < 5; done++) {
    finish[done]?.();
    await clock.flush();
  }
  t.strictSame(order, [1, 2, 3, 4, 5]);
  t.equal(most, 2);
  t.strictSame([node.stats.tasksRunning, node.stats.tasksWaiting], [0, 0]);
});
