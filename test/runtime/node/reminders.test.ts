import t from 'tap';
import type { Reminder } from '../../../runtime/actor/actor.ts';
import { StandalonePlacement, type NodeShards } from '../../../runtime/placement/placement.ts';
import { getShard } from '../../../runtime/placement/shards.ts';
import { counterKind, counterRef, type Counted } from '../counter-actor.ts';
import { outcome, startTestNode, type TestNode } from '../node-fixture.ts';

const a = counterRef('a');
const b = counterRef('b');
const latencyMs = (): number => 5;

function getMarks({ database }: TestNode, of = a): readonly string[] {
  return (database.read(of)?.state as Counted | undefined)?.marks ?? [];
}

/** Has `a` set reminders; each is a `wake` with its key as mark unless said otherwise. */
async function remind(
  { node, clock }: TestNode,
  ...reminders: (Partial<Reminder> & { key: string })[]
): Promise<void> {
  const remind = reminders.map(given => ({
    at: clock.now(),
    command: 'wake',
    payload: { mark: given.key },
    ...given,
  }));
  await clock.until(node.ask(a, 'add', { mark: 'set', remind }));
}

t.test('a reminder is delivered when it is due, and the commit that handles it deletes it', async t => {
  const made = await startTestNode(t);
  await remind(made, { key: 'x', at: made.clock.now() + 3_600_000 });
  await made.clock.advance(3_599_999);
  t.strictSame(getMarks(made), ['set']);
  await made.clock.advance(1);
  t.strictSame(getMarks(made), ['set', 'x']);
  t.equal(made.database.reminders.size, 0);
  await made.clock.advance(60_000);
  t.strictSame(getMarks(made), ['set', 'x'], 'and never again');
  t.equal(made.metrics.counters.remindersHandled, 1);
});

t.test('a reminder that is due already is delivered right after its commit, without a scan', async t => {
  const made = await startTestNode(t, { latencyMs });
  await made.clock.advance(20);
  const before = made.store.scans;
  await remind(made, { key: 'x' }, { key: 'y', to: b, at: 0 });
  await made.clock.advance(30);
  t.strictSame([getMarks(made), getMarks(made, b)], [['set', 'x'], ['y']]);
  t.equal(made.store.scans, before);
  t.equal(made.database.reminders.size, 0);
});

t.test('a reminder that changes nothing is deleted too; a refused one is a dead letter at once', async t => {
  const made = await startTestNode(t);
  await remind(
    made,
    { key: 'empty', payload: {} },
    { key: 'refused', command: 'refuse', payload: 7 },
    { key: 'live', command: 'live', payload: {} },
  );
  await made.clock.advance(10);
  t.equal(made.database.reminders.size, 0);
  t.equal(made.database.read(a)?.version, 1, 'no snapshot was written for it');
  t.strictSame(made.database.letters, [
    {
      actor: a,
      name: 'refuse',
      payload: 7,
      error: 'svc/runtime/conflict: The request conflicts with the state of the resource.',
      attempts: 1,
    },
  ]);
});

t.test('a stale node neither deletes a reminder nor makes it a dead letter', async t => {
  const made = await startTestNode(t, { latencyMs });
  const { clock, node, database } = made;
  await clock.until(node.ask(b, 'get', {}));
  t.equal(database.read(b), undefined, 'here b is in memory, and blank');
  database.overwrite(b, () => ({ n: 1, marks: ['theirs'] }));
  await remind(made, { key: 'x', to: b, payload: { mark: 'x' } }, { key: 'y', to: b, command: 'refuse' });
  await clock.advance(100);
  t.strictSame(getMarks(made, b), ['theirs', 'x'], 'decided on what is true');
  t.match(database.letters, [{ name: 'refuse' }]);
  t.equal(made.metrics.counters.fenced, 2);
});

t.test('a reminder whose decision throws is retried with back-off, without limit', async t => {
  const made = await startTestNode(t);
  await remind(made, { key: 'x', command: 'explode', payload: { n: 1 } });
  const [held] = made.database.reminders.values();
  t.equal(held?.attempts, 1);
  t.match(made.database.errors.get('counter/a/x'), /^svc\/runtime\/internal_error: /);
  await made.clock.advance(86_400_000);
  t.equal(made.database.reminders.size, 1);
  t.strictSame(made.database.letters, []);
  const { defects } = made.metrics.kind('counter');
  t.ok(defects > 288 && defects < 400, `${defects} attempts in a day`);
});

t.test('a reminder waits while the store is away, without limit', async t => {
  const made = await startTestNode(t, {
    fault: () => (made.store.loads > 1 ? 'unavailable' : undefined),
  });
  await remind(made, { key: 'x', to: b });
  await made.clock.advance(3_600_000);
  t.equal(made.database.reminders.size, 1);
  t.ok((made.database.reminders.get('counter/b/x')?.attempts ?? 0) > 10);
  t.strictSame(made.database.letters, []);
});

t.test('a store that cannot be read is asked again until it can', async t => {
  const made = await startTestNode(t);
  await remind(made, { key: 'x', at: made.clock.now() + 10_000 });
  made.store.offline = true;
  await made.clock.advance(60_000);
  t.strictSame(getMarks(made), ['set']);
  made.store.offline = false;
  await made.clock.advance(10_000);
  t.strictSame(getMarks(made), ['set', 'x']);
  t.equal(made.log.filter(({ message }) => message === 'the reminders cannot be read').length, 1, 'one line');
});

t.test('the poll finds reminders that other nodes set', async t => {
  const made = await startTestNode(t);
  const reminder = {
    key: 'x',
    at: made.clock.now() + 7_000,
    to: b,
    command: 'wake',
    payload: { mark: 'x' },
    attempts: 0,
    shard: 0,
  };
  made.database.reminders.set('counter/b/x', reminder);
  await made.clock.advance(12_000);
  t.strictSame(getMarks(made, b), ['x']);
});

t.test('a wall clock that is put back does not put off the poll', async t => {
  const made = await startTestNode(t, { latencyMs });
  // Once while a scan is under way, once while the timer is set.
  for (const waitMs of [5_001, 1_000]) {
    await made.clock.advance(waitMs);
    made.clock.jump(-3_600_000);
    await remind(made, { key: 'far', at: made.clock.now() + 1_800_000 });
    const reminder = {
      key: 'x',
      to: b,
      command: 'wake',
      payload: { mark: `${waitMs}` },
      attempts: 0,
      shard: 0,
    };
    made.database.reminders.set('counter/b/x', { ...reminder, at: made.clock.now() });
    await made.clock.advance(5_100);
    t.equal(getMarks(made, b).at(-1), `${waitMs}`);
  }
});

t.test('a reminder that was set again during its delivery is delivered again', async t => {
  const made = await startTestNode(t, { latencyMs });
  const { clock, node, database } = made;
  await remind(made, { key: 'x', payload: { mark: 'old' } });
  t.equal(node.stats.reminders, 1, 'the first is on its way');
  await remind(made, { key: 'x', at: clock.now() - 1, payload: { mark: 'new' } });
  await clock.advance(100);
  t.strictSame(getMarks(made), ['set', 'old', 'set', 'new']);
  t.equal(database.reminders.size, 0);
});

t.test('a forgotten reminder does not come', async t => {
  const made = await startTestNode(t);
  await remind(made, { key: 'x', at: made.clock.now() + 1_000 });
  await made.clock.until(made.node.ask(a, 'add', { mark: 'forget', forget: ['x'] }));
  await made.clock.advance(10_000);
  t.strictSame(getMarks(made), ['set', 'forget']);
});

t.test('many reminders are delivered in batches, each once, without waiting for a poll', async t => {
  const made = await startTestNode(t, { latencyMs, limits: { remindersAtOnce: 4 } });
  const { clock, node, database, metrics } = made;
  const keys = Array.from({ length: 100 }, (_, i) => `k${String(i).padStart(3, '0')}`);
  await remind(made, ...keys.map((key, i) => ({ key, to: counterRef(`c${i % 10}`) })));
  let most = 0;
  for (let i = 0; i < 1_000; i++) {
    most = Math.max(most, node.stats.reminders);
    await clock.advance(2);
  }
  t.equal(most, 4);
  t.equal(database.reminders.size, 0, 'within two seconds');
  t.equal(metrics.counters.remindersHandled, 100);
  const marks = Array.from({ length: 10 }, (_, i) => getMarks(made, counterRef(`c${i}`))).flat();
  t.strictSame(marks.sort(), keys);
});

t.test('reminders that hang do not delay the others', async t => {
  const stuck = new Set(['s0', 's1', 's2']);
  const made = await startTestNode(t, { limits: { remindersAtOnce: 4 } });
  const { clock } = made;
  const { store } = made;
  const load = store.load.bind(store);
  store.load = actor => (stuck.has(actor.id) ? new Promise(() => undefined) : load(actor));
  const names = [...stuck, ...Array.from({ length: 20 }, (_, i) => `f${i}`)];
  await remind(made, ...names.map(id => ({ key: 'x', to: counterRef(id) })));
  await clock.advance(1_000);
  const done = names.filter(id => getMarks(made, counterRef(id)).length === 1);
  t.equal(done.length, 20);
});

t.test(
  'without a lease nothing is read, however much is due, and with it again everything is delivered',
  async t => {
    const placement = new StandalonePlacement();
    const start = placement.start.bind(placement);
    const taken: NodeShards[] = [];
    placement.start = shards => {
      taken.push(shards);
      return start(shards);
    };
    const made = await startTestNode(t, { placement, latencyMs, limits: { remindersAtOnce: 4 } });
    const { clock, store } = made;
    const keys = Array.from({ length: 10 }, (_, i) => `k${i}`);
    await remind(made, ...keys.map(key => ({ key, at: clock.now() + 500 })));
    const [shards] = taken;
    shards?.serveUntil(0);
    const before = store.scans;
    await clock.advance(1_000);
    t.ok(store.scans - before <= 1, `${store.scans - before} scans of a second`);
    t.strictSame(getMarks(made), ['set']);
    shards?.serveUntil(Infinity);
    await clock.advance(1_000);
    t.strictSame(getMarks(made).toSorted(), [...keys, 'set']);
  },
);

t.test('a reminder to an unknown kind is a defect of its decision', async t => {
  const { node, clock, database } = await startTestNode(t);
  const remind = [{ key: 'x', at: 0, to: { kind: 'bird', id: 'b' }, command: 'fly', payload: {} }];
  t.equal(
    await clock.until(outcome(node.ask(a, 'add', { mark: 'x', remind }))),
    'svc/runtime/internal_error',
  );
  t.equal(database.rows.size, 0);
});

t.test('a reminder waits on the shard of its receiver, as the kind of the receiver decides it', async t => {
  const made = await startTestNode(t, { kinds: [{ ...counterKind(), shardKey: id => id.slice(-1) }] });
  const at = made.clock.now() + 3_600_000;
  await remind(made, { key: 'x', at, to: counterRef('family b') }, { key: 'y', at });
  const shards = [...made.database.reminders.values()].map(({ key, shard }) => [key, shard]);
  t.strictSame(shards, [
    ['x', getShard('b')],
    ['y', getShard('a')],
  ]);
});
