import t from 'tap';
import { counterRef, type Counted } from '../counter-actor.ts';
import { inOrder, outcome, startTestNode } from '../node-fixture.ts';

const a = counterRef('a');
const slow = { latencyMs: () => 5 };

t.test('a reply comes only after its commit', async t => {
  const { node, clock, database } = await startTestNode(t, slow);
  let replied = false;
  const asked = node.ask<number>(a, 'add', { mark: 'x' }).then(reply => {
    replied = true;
    return reply;
  });
  // To the database and back to load, there to commit.
  await clock.advance(19);
  t.equal(database.read(a)?.version, 1, 'it is committed');
  t.equal(replied, false, 'but the node does not know yet');
  await clock.advance(1);
  t.equal(await asked, 1);
});

t.test('turns do not wait for commits', async t => {
  const { node, clock, metrics } = await startTestNode(t, slow);
  await clock.until(node.ask(a, 'get', {}));
  const asks = Array.from({ length: 100 }, (_, i) => node.ask<number>(a, 'add', { mark: `${i}` }));
  t.equal(metrics.kind('counter').turns, 101, 'all are decided');
  t.equal(metrics.counters.commits, 0, 'none is committed');
  t.equal(node.stats.admitted, 100);
  t.strictSame(
    await clock.until(Promise.all(asks)),
    [...Array(100).keys()].map(i => i + 1),
  );
  t.equal(clock.monotonic(), 20, 'in one flush');
  t.equal(node.stats.admitted, 0);
});

t.test('a read waits for the commits that it may rest on', async t => {
  const { node, clock } = await startTestNode(t, slow);
  const order: string[] = [];
  const asks = {
    first: node.ask(a, 'add', { mark: 'x' }),
    read: node.ask(a, 'get', {}),
    second: node.ask(a, 'add', { mark: 'y' }),
  };
  const [, read] = await clock.until(inOrder(asks, order));
  t.equal((read as Counted).n, 1);
  t.strictSame(order, ['first', 'read', 'second']);
});

t.test('a read of a settled state answers without the store', async t => {
  const { node, clock } = await startTestNode(t, slow);
  await clock.until(node.ask(a, 'add', { mark: 'x' }));
  const before = clock.now();
  t.equal((await clock.until(node.ask<Counted>(a, 'get', {}))).n, 1);
  t.equal(clock.now(), before);
});

t.test('a refusal is answered in order, with its details, and changes nothing', async t => {
  const { node, clock, metrics, log } = await startTestNode(t, slow);
  const order: string[] = [];
  const refused = node.ask(a, 'refuse', {});
  const asks = {
    first: node.ask(a, 'add', { mark: 'x' }),
    refused,
    again: node.ask(a, 'refuse', {}),
  };
  t.strictSame(await clock.until(inOrder(asks, order)), [1, 'svc/runtime/conflict', 'svc/runtime/conflict']);
  t.strictSame(order, ['refused', 'first', 'again'], 'the refused one came before all commits');
  const [early, late] = await Promise.allSettled([refused, asks.again]);
  t.match(early, { reason: { http: 409, details: { n: 0 } } });
  t.match(late, { reason: { http: 409, details: { n: 1 } } });
  t.equal(metrics.kind('counter').refusals, 2);
  t.strictSame(
    log.filter(({ level }) => level === 'error'),
    [],
  );
});

t.test('a decision that throws by mistake fails its own command alone', async t => {
  const { node, clock, log, metrics } = await startTestNode(t);
  const asks = [
    node.ask(a, 'add', { mark: 'x' }),
    node.ask(a, 'explode', {}, { requestId: 'req_1' }),
    node.ask(a, 'add', { mark: 'y' }),
  ].map(outcome);
  t.strictSame(await clock.until(Promise.all(asks)), [1, 'svc/runtime/internal_error', 2]);
  t.equal(metrics.kind('counter').defects, 1);
  const [line] = log.filter(({ level }) => level === 'error');
  t.match(line?.fields, { kind: 'counter', id: 'a', command: 'explode', requestId: 'req_1' });
  t.match((line?.fields['err'] as Error).stack, /boom/);
});

t.test('a transient decision is answered at once, and nothing is written', async t => {
  const { node, clock, database, metrics } = await startTestNode(t, slow);
  const order: string[] = [];
  await clock.until(node.ask(a, 'add', { mark: 'x' }));
  const asks = { add: node.ask(a, 'add', { mark: 'y' }), live: node.ask(a, 'live', {}) };
  t.strictSame(await clock.until(inOrder(asks, order)), [2, 1]);
  t.strictSame(order, ['live', 'add']);
  t.equal((await clock.until(node.ask<Counted>(a, 'get', {}))).live, 1);
  t.equal(database.read(a)?.version, 2);
  t.equal(metrics.counters.commits, 2);
});

t.test('a transient decision with rows is a defect', async t => {
  const { node, clock, database } = await startTestNode(t);
  t.equal(await clock.until(outcome(node.ask(a, 'wrong', {}))), 'svc/runtime/internal_error');
  t.equal((await clock.until(node.ask<Counted>(a, 'get', {}))).n, 0);
  t.equal(database.rows.size, 0);
});

t.test('rows without a new state leave the version alone', async t => {
  const { node, clock, database } = await startTestNode(t);
  const asks = [
    node.ask(a, 'add', { mark: 'x' }),
    node.ask(a, 'note', { once: 'k' }),
    node.ask(a, 'add', { mark: 'y' }),
  ];
  t.strictSame(await clock.until(Promise.all(asks)), [1, 1, 2]);
  t.equal(database.read(a)?.version, 2);
  t.strictSame(database.writes, [{ scope: 'once', key: 'k' }]);
});

t.test('an unknown kind or command is an internal error, and the log names it', async t => {
  const { node, clock, log } = await startTestNode(t);
  const asks = [node.ask(a, 'fly', {}), node.ask({ kind: 'bird', id: 'b' }, 'fly', {})].map(outcome);
  node.tell(a, 'swim', {});
  t.strictSame(await clock.until(Promise.all(asks)), [
    'svc/runtime/internal_error',
    'svc/runtime/internal_error',
  ]);
  t.strictSame(
    log.map(({ fields }) => `${fields['kind'] as string} ${fields['command'] as string}`),
    ['counter fly', 'bird fly', 'counter swim'],
  );
});

t.test('commands wait while the snapshot is read, which is done once', async t => {
  const { node, clock, store } = await startTestNode(t, slow);
  const asks = [1, 2, 3].map(i => node.ask(a, 'add', { mark: `${i}` }));
  t.strictSame(await clock.until(Promise.all(asks)), [1, 2, 3]);
  t.equal(store.loads, 1);
});
