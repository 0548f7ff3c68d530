import t from 'tap';
import { Duplicate, StoreUnavailable, type Commit } from '../../../runtime/actor/store.ts';
import type { Fault } from '../../support/memory-store.ts';
import { counterRef, type Counted } from '../counter-actor.ts';
import { inOrder, outcome, startTestNode } from '../node-fixture.ts';

const a = counterRef('a');
const latencyMs = (): number => 5;

/** What another node would do to the counter. */
function theirs(state: unknown): Counted {
  const { n, marks } = (state ?? { n: 0, marks: [] }) as Counted;
  return { n: n + 1, marks: [...marks, 'theirs'] };
}

/** Strikes the commits with the given numbers, counted from 1. */
function striking(faults: Readonly<Record<number, Fault>>): () => Fault | undefined {
  let commits = 0;
  return () => faults[++commits];
}

t.test('when another node has written, all turns in flight are decided again on its state', async t => {
  const { node, clock, database, store, metrics } = await startTestNode(t, { latencyMs });
  await clock.until(node.ask(a, 'add', { mark: 'first' }));
  database.overwrite(a, theirs);
  const order: string[] = [];
  const asks = {
    x: node.ask(a, 'add', { mark: 'x' }),
    read: node.ask(a, 'get', {}),
    refuse: node.ask(a, 'refuse', {}),
    y: node.ask(a, 'add', { mark: 'y' }),
  };
  const [x, read, refuse, y] = await clock.until(inOrder(asks, order));
  t.strictSame([x, refuse, y], [3, 'svc/runtime/conflict', 4]);
  t.strictSame((read as Counted).marks, ['first', 'theirs', 'x'], 'and so are reads and refusals');
  t.strictSame(order, ['x', 'read', 'refuse', 'y']);
  t.strictSame(database.read(a)?.state, { n: 4, marks: ['first', 'theirs', 'x', 'y'] });
  t.equal(store.loads, 2);
  t.equal(metrics.counters.fenced, 2);
});

t.test('commands that came meanwhile are decided after those that were there before', async t => {
  const { node, clock, database } = await startTestNode(t, { latencyMs });
  await clock.until(node.ask(a, 'add', { mark: 'first' }));
  database.overwrite(a, theirs);
  const order: string[] = [];
  const x = inOrder({ x: node.ask(a, 'add', { mark: 'x' }), y: node.ask(a, 'add', { mark: 'y' }) }, order);
  await clock.advance(12);
  const z = inOrder({ z: node.ask(a, 'add', { mark: 'z' }) }, order);
  await clock.until(Promise.all([x, z]));
  t.strictSame(order, ['x', 'y', 'z']);
  t.strictSame((database.read(a)?.state as Counted).marks, ['first', 'theirs', 'x', 'y', 'z']);
});

t.test('an actor that another node writes all the time is given up, and nothing is half done', async t => {
  const { node, clock, database } = await startTestNode(t, {
    latencyMs,
    limits: { fencedTries: 3 },
    fault: ({ actor }) => {
      database.overwrite(actor, theirs);
      return undefined;
    },
  });
  t.equal(
    await clock.until(outcome(node.ask(a, 'add', { mark: 'x' }))),
    'svc/runtime/unavailable contention',
  );
  t.strictSame((database.read(a)?.state as Counted).marks, ['theirs', 'theirs', 'theirs']);
  t.equal(node.stats.admitted, 0);
});

t.test('a duplicate fails its own command, and those after it are decided again', async t => {
  const { node, clock, database } = await startTestNode(t, { latencyMs });
  await clock.until(node.ask(a, 'add', { mark: 'first', once: 'k' }));
  const order: string[] = [];
  const asks = {
    x: node.ask(a, 'add', { mark: 'x' }),
    duplicate: node.ask(a, 'add', { mark: 'never', once: 'k' }),
    y: node.ask(a, 'add', { mark: 'y' }),
    replay: node.ask(a, 'add', { mark: 'never', once: 'k', scope: 'idempotency' }),
  };
  const results = await clock.until(inOrder(asks, order));
  t.strictSame(results, [2, 'svc/runtime/conflict', 3, 4], 'another scope is another key');
  t.strictSame(order, ['x', 'duplicate', 'y', 'replay']);
  t.strictSame((database.read(a)?.state as Counted).marks, ['first', 'x', 'y', 'never']);
  const replay = node.ask(a, 'add', { mark: 'never', once: 'k', scope: 'idempotency' });
  t.equal(await clock.until(outcome(replay)), 'svc/runtime/idempotency_conflict');
});

t.test('a duplicate without a new state undoes nothing', async t => {
  const { node, clock, store } = await startTestNode(t, { latencyMs });
  await clock.until(node.ask(a, 'note', { once: 'k' }));
  const order: string[] = [];
  const asks = {
    x: node.ask(a, 'add', { mark: 'x' }),
    duplicate: node.ask(a, 'note', { once: 'k' }),
    y: node.ask(a, 'add', { mark: 'y' }),
  };
  t.strictSame(await clock.until(inOrder(asks, order)), [1, 'svc/runtime/conflict', 2]);
  t.strictSame(order, ['x', 'duplicate', 'y']);
  t.equal(store.loads, 1);
});

t.test('many bad commands do not undo the turns after them again and again', async t => {
  const { node, clock, metrics } = await startTestNode(t, { latencyMs });
  await clock.until(node.ask(a, 'add', { mark: 'first', once: 'k' }));
  const bad = Array.from({ length: 50 }, () => outcome(node.ask(a, 'add', { mark: 'never', once: 'k' })));
  const good = Array.from({ length: 50 }, (_, i) => outcome(node.ask(a, 'add', { mark: `${i}` })));
  t.strictSame(await clock.until(Promise.all(bad)), Array(50).fill('svc/runtime/conflict'));
  t.strictSame(
    await clock.until(Promise.all(good)),
    [...Array(50).keys()].map(i => i + 2),
  );
  t.ok(metrics.kind('counter').turns < 300, 'each was undone once or twice');
});

t.test('commits that are refused for a while are answered 503, and the actor stays usable', async t => {
  const { node, clock, database } = await startTestNode(t, {
    latencyMs,
    fault: striking({ 2: 'unavailable' }),
  });
  const asks = ['x', 'y', 'z'].map(mark => outcome(node.ask(a, 'add', { mark })));
  t.strictSame(await clock.until(Promise.all(asks)), [1, 'svc/runtime/unavailable store', 2]);
  t.strictSame((database.read(a)?.state as Counted).marks, ['x', 'z']);
});

t.test('a doubtful commit is answered by what it turned out to be', async t => {
  const { node, clock, database } = await startTestNode(t, {
    latencyMs,
    fault: striking({ 2: 'doubtful', 4: 'lost' }),
  });
  const asks = ['w', 'x', 'y', 'z'].map(mark => outcome(node.ask(a, 'add', { mark })));
  t.strictSame(await clock.until(Promise.all(asks)), [1, 2, 3, 'svc/runtime/unavailable store']);
  t.strictSame((database.read(a)?.state as Counted).marks, ['w', 'x', 'y']);
});

t.test('a commit that fails by mistake is an internal error, logged with its cause', async t => {
  const { node, clock, log } = await startTestNode(t, {
    fault: striking({ 1: new RangeError('check failed') }),
  });
  const asks = ['x', 'y'].map(mark => outcome(node.ask(a, 'add', { mark }, { requestId: `req_${mark}` })));
  t.strictSame(await clock.until(Promise.all(asks)), ['svc/runtime/internal_error', 1]);
  const errors = log.filter(({ level }) => level === 'error');
  t.equal(errors.length, 1);
  t.match(errors[0]?.fields, { requestId: 'req_x', err: new RangeError('check failed') });
});

t.test('when the snapshot cannot be read, waiting commands fail, and the next one loads again', async t => {
  let failures = 1;
  const { node, clock, metrics } = await startTestNode(t, {
    latencyMs,
    loadFault: () => (failures-- > 0 ? new StoreUnavailable('down') : undefined),
  });
  const asks = ['x', 'y'].map(mark => outcome(node.ask(a, 'add', { mark })));
  t.strictSame(await clock.until(Promise.all(asks)), Array(2).fill('svc/runtime/unavailable store'));
  t.equal(node.stats.activations, 0);
  t.equal(node.stats.admitted, 0);
  t.equal(await clock.until(node.ask(a, 'add', { mark: 'z' })), 1);
  t.equal(metrics.kind('counter').activations, 2);
});

t.test('when the reload fails, the undone turns fail, too', async t => {
  let loads = 0;
  const { node, clock, database } = await startTestNode(t, {
    latencyMs,
    loadFault: () => (++loads === 2 ? new StoreUnavailable('down') : undefined),
    fault: striking({ 2: new Duplicate('once', 'k') }),
  });
  const asks = ['x', 'y', 'z'].map(mark => outcome(node.ask(a, 'add', { mark })));
  const results = await clock.until(Promise.all(asks));
  t.strictSame(results, [1, 'svc/runtime/conflict', 'svc/runtime/unavailable store']);
  t.strictSame((database.read(a)?.state as Counted).marks, ['x']);
});

t.test('commits of one actor form a chain that a reload ends', async t => {
  const commits: Commit[] = [];
  const { node, clock, database } = await startTestNode(t, {
    fault: commit => {
      commits.push(commit);
      return undefined;
    },
  });
  await clock.until(Promise.all(['x', 'y'].map(mark => node.ask(a, 'add', { mark }))));
  database.overwrite(a, theirs);
  await clock.until(node.ask(a, 'add', { mark: 'z' }));
  t.strictSame(
    commits.map(({ base, snapshot, chain }) => [base, snapshot?.version, chain.broken]),
    [
      [0, 1, true],
      [1, 2, true],
      [2, 3, true],
      [3, 4, false],
    ],
  );
  t.equal(new Set(commits.map(({ chain }) => chain)).size, 2);
});
