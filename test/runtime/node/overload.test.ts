import t from 'tap';
import { counterRef } from '../counter-actor.ts';
import { outcome, startTestNode } from '../node-fixture.ts';

const a = counterRef('a');
const b = counterRef('b');
const latencyMs = (): number => 5;

t.test('an actor takes no more commands than its mailbox holds', async t => {
  const { node, clock, metrics } = await startTestNode(t, { latencyMs, limits: { mailbox: 3 } });
  const asks = [1, 2, 3, 4].map(i => outcome(node.ask(a, 'add', { mark: `${i}` })));
  const other = outcome(node.ask(b, 'add', { mark: 'x' }));
  t.strictSame(await clock.until(Promise.all(asks)), [1, 2, 3, 'svc/runtime/unavailable overloaded']);
  t.equal(await clock.until(other), 1);
  t.equal(await clock.until(node.ask(a, 'add', { mark: 'later' })), 4, 'it takes more when it has answered');
  t.equal(metrics.counters.overloaded, 1);
});

t.test('commands in flight count as much as those that wait', async t => {
  const { node, clock } = await startTestNode(t, { latencyMs, limits: { mailbox: 3 } });
  await clock.until(node.ask(a, 'get', {}));
  const asks = [1, 2, 3, 4].map(i => outcome(node.ask(a, 'add', { mark: `${i}` })));
  t.strictSame(await clock.until(Promise.all(asks)), [1, 2, 3, 'svc/runtime/unavailable overloaded']);
});

t.test('the busiest actors are those with most commands, and how long their oldest commit takes', async t => {
  const { node, clock } = await startTestNode(t, { latencyMs: () => 50 });
  const idle = counterRef('idle');
  await clock.until(Promise.all([a, b, idle].map(ref => node.ask(ref, 'get', {}))));
  t.strictSame(node.listBusiest(20), [], 'nobody has anything to do');
  const asks = [a, b, b, b].map((ref, i) => node.ask(ref, 'add', { mark: `${i}` }));
  await clock.advance(20);
  t.strictSame(node.listBusiest(20), [
    { ...b, commands: 3, committingMs: 20 },
    { ...a, commands: 1, committingMs: 20 },
  ]);
  t.strictSame(node.listBusiest(1), [{ ...b, commands: 3, committingMs: 20 }]);
  await clock.until(Promise.all(asks));
  t.strictSame(node.listBusiest(20), []);
});

t.test('a node accepts no more commands than its budget, for all actors together', async t => {
  const { node, clock, metrics } = await startTestNode(t, { latencyMs, limits: { admitted: 3 } });
  const asks = [1, 2, 3, 4].map(i => node.ask(counterRef(`${i}`), 'add', { mark: 'x' }));
  node.tell(counterRef('5'), 'add', { mark: 'x' });
  const last = asks[3]?.catch((error: unknown) => error);
  t.strictSame(await clock.until(Promise.all(asks.slice(0, 3))), [1, 1, 1]);
  t.match(await last, {
    code: 'svc/runtime/unavailable',
    http: 503,
    retryAfterSeconds: 1,
    details: { reason: 'overloaded' },
  });
  t.equal(metrics.counters.overloaded, 2);
  t.equal(metrics.counters.lostTells, 1);
  t.equal(node.stats.admitted, 0);
  t.equal(await clock.until(node.ask(a, 'add', { mark: 'x' })), 1);
});

t.test('a command whose time is over is dropped before its turn', async t => {
  const { node, clock, metrics, database } = await startTestNode(t, { latencyMs: () => 20 });
  const asks = [
    outcome(node.ask(a, 'add', { mark: 'in time' }, { deadlineMs: 40 })),
    outcome(node.ask(a, 'add', { mark: 'too late' }, { deadlineMs: 39 })),
  ];
  t.strictSame(await clock.until(Promise.all(asks)), [1, 'svc/runtime/unavailable deadline']);
  t.match(database.read(a)?.state, { marks: ['in time'] });
  t.equal(metrics.counters.expired, 1);
});

t.test('a wall clock that jumps neither ends a command before its time nor lets it live on', async t => {
  for (const jumpMs of [3_600_000, -3_600_000]) {
    const { node, clock } = await startTestNode(t, { latencyMs: () => 20 });
    const asks = [40, 39].map(deadlineMs =>
      outcome(node.ask(a, 'add', { mark: `${deadlineMs}` }, { deadlineMs })),
    );
    clock.jump(jumpMs);
    t.strictSame(await clock.until(Promise.all(asks)), [1, 'svc/runtime/unavailable deadline']);
  }
});

t.test('a limit that makes no sense is refused by its name', async t => {
  await t.rejects(startTestNode(t, { limits: { mailbox: 0 } }), /limits\.mailbox must be a positive integer/);
  await t.rejects(startTestNode(t, { shards: 5_000 }), /shards must be 1 to 4096/);
});
