/** Kinds that are not stored: their actors live in memory alone. */
import t from 'tap';
import { actor } from '../../../runtime/actor/actor.ts';
import { LocalBus } from '../../../runtime/transport/local.ts';
import { MemoryDatabase, type MemoryWrite } from '../../support/memory-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ManualPlacement } from '../manual-placement.ts';
import { counterKind, counterRef } from '../counter-actor.ts';
import { outcome, startTestNode } from '../node-fixture.ts';

type Commands = {
  readonly add: { readonly payload: unknown; readonly reply: number };
  readonly write: { readonly payload: unknown; readonly reply: number };
  readonly remind: { readonly payload: unknown; readonly reply: number };
};

const tally = actor<number, Commands, MemoryWrite>({
  kind: 'tally',
  snapshot: 'none',
  initialState: () => 0,
  decide: {
    add: n => ({ state: n + 1, reply: n + 1 }),
    write: n => ({ state: n + 1, writes: [{ scope: 'once', key: 'k' }], reply: n + 1 }),
    remind: n => ({
      state: n + 1,
      remind: [{ key: 'r', at: 0, command: 'add', payload: {} }],
      reply: n + 1,
    }),
  },
  idleMs: 5_000,
});
const ref = { kind: 'tally', id: 'a' };

t.test('its state is kept from turn to turn, without the store', async t => {
  const { node, store, database, clock } = await startTestNode(t, { kinds: [tally] });
  store.offline = true;
  t.strictSame(await Promise.all([1, 2, 3].map(() => node.ask(ref, 'add', {}))), [1, 2, 3]);
  t.equal(store.loads, 0);
  t.equal(database.rows.size, 0);
  await clock.advance(1);
});

t.test('when it was idle, and after its shard has moved, it is blank', async t => {
  const shared = {
    clock: new VirtualClock(),
    bus: new LocalBus(),
    database: new MemoryDatabase(),
    shards: 1,
  };
  const [here, there] = [new ManualPlacement([0]), new ManualPlacement([])];
  const one = await startTestNode(t, { ...shared, kinds: [tally], placement: here });
  const two = await startTestNode(t, { ...shared, kinds: [tally], placement: there });
  const { clock } = shared;
  t.equal(await clock.until(two.node.ask(ref, 'add', {})), 1);
  t.equal(await clock.until(one.node.ask(ref, 'add', {})), 2);
  await clock.advance(10_000);
  t.equal(one.node.stats.activations, 0);
  t.equal(await clock.until(two.node.ask(ref, 'add', {})), 1);
  await clock.until(here.release(0));
  await there.take(0);
  t.equal(await clock.until(one.node.ask(ref, 'add', {})), 1);
  t.equal(two.node.stats.activations, 1);
});

t.test('rows and reminders are a defect, which leaves the state alone', async t => {
  const { node, database, clock } = await startTestNode(t, { kinds: [tally] });
  await node.ask(ref, 'add', {});
  t.equal(await outcome(node.ask(ref, 'write', {})), 'svc/runtime/internal_error');
  t.equal(await outcome(node.ask(ref, 'remind', {})), 'svc/runtime/internal_error');
  t.equal(await node.ask(ref, 'add', {}), 2);
  await clock.advance(1);
  t.strictSame([database.writes.length, database.reminders.size], [0, 0]);
});

t.test('a reminder for one is never handled: there is no row to settle it with', async t => {
  const { node, database, clock } = await startTestNode(t, { kinds: [tally, counterKind()] });
  const remind = [{ key: 'r', at: 0, to: ref, command: 'add', payload: {} }];
  await node.ask(counterRef('c'), 'add', { mark: 'm', remind });
  await clock.advance(60_000);
  t.equal(await node.ask(ref, 'add', {}), 1);
  t.strictSame(database.letters, []);
  t.equal(database.reminders.size, 1);
});
