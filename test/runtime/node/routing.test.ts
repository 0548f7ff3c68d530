import t, { type Test } from 'tap';
import { LocalBus } from '../../../runtime/transport/local.ts';
import { MemoryDatabase } from '../../support/memory-store.ts';
import { seeded } from '../../support/seeded.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ManualPlacement } from '../manual-placement.ts';
import { counterRef, type Counted } from '../counter-actor.ts';
import { outcome, startTestNode, type TestNode, type TestNodeOptions } from '../node-fixture.ts';

interface Member extends TestNode {
  readonly placement: ManualPlacement;
}

/** Two nodes and two shards: `a` is on shard 0 and `d` on shard 1, by their hashes. */
async function cluster(
  t: Test,
  owned: [number[], number[]],
  options: TestNodeOptions = {},
): Promise<[Member, Member]> {
  const shared = {
    clock: new VirtualClock(),
    bus: new LocalBus(),
    database: new MemoryDatabase(),
    shards: 2,
  };
  const member = async (first: number[]): Promise<Member> => {
    const placement = new ManualPlacement(first);
    return { ...(await startTestNode(t, { ...shared, ...options, placement })), placement };
  };
  return [await member(owned[0]), await member(owned[1])];
}

const on0 = counterRef('a');
const on1 = counterRef('d');
const latencyMs = (): number => 5;

t.test('an ask reaches its actor on whichever node it is', async t => {
  const [one, two] = await cluster(t, [[0], [1]]);
  const { clock } = one;
  const asks = [one, two].flatMap(({ node }) => [
    node.ask(on0, 'add', { mark: 'x' }),
    node.ask(on1, 'add', { mark: 'y' }),
  ]);
  t.strictSame(await clock.until(Promise.all(asks)), [1, 2, 2, 1], 'the own node is nearer');
  t.strictSame([one.node.stats.activations, two.node.stats.activations], [1, 1]);
  t.equal(await clock.until(outcome(one.node.ask(on1, 'refuse', {}))), 'svc/runtime/conflict');
  t.equal(await clock.until(outcome(one.node.ask(on1, 'fly', {}))), 'svc/runtime/internal_error');
});

t.test('a tell crosses nodes too, and is lost without an owner', async t => {
  const [one, two] = await cluster(t, [[], [1]]);
  one.node.tell(on1, 'add', { mark: 'told' });
  one.node.tell(on0, 'add', { mark: 'lost' });
  await one.clock.advance(10);
  t.match(two.database.read(on1)?.state, { marks: ['told'] });
  t.equal(two.database.read(on0), undefined);
});

t.test('while nobody owns a shard, its asks wait for an owner until their deadline', async t => {
  const [one, two] = await cluster(t, [[], []]);
  const { clock } = one;
  const patient = one.node.ask(on0, 'add', { mark: 'patient' });
  const hasty = outcome(one.node.ask(on0, 'add', { mark: 'hasty' }, { deadlineMs: 200 }));
  const own = two.node.ask(on0, 'add', { mark: 'own' });
  t.equal(await clock.until(hasty), 'svc/runtime/unavailable no_owner');
  await clock.advance(300);
  t.equal(one.node.stats.outgoing, 1);
  await two.placement.take(0);
  const before = clock.now();
  await clock.until(Promise.all([patient, own]));
  t.ok(clock.now() - before <= 150, 'it is noticed soon');
  t.strictSame([...(two.database.read(on0)?.state as Counted).marks].sort(), ['own', 'patient']);
  t.ok(one.metrics.counters.noOwner > 3);
  t.equal(one.node.stats.outgoing, 0);
});

t.test('a node takes no more outgoing asks than its budget', async t => {
  const [one] = await cluster(t, [[], []], { limits: { admitted: 2 } });
  const asks = [1, 2, 3].map(() => outcome(one.node.ask(on0, 'get', {}, { deadlineMs: 100 })));
  const [first, second, third] = await one.clock.until(Promise.all(asks));
  t.strictSame([first, second], Array(2).fill('svc/runtime/unavailable no_owner'));
  t.equal(third, 'svc/runtime/unavailable overloaded');
});

t.test('shards move to and fro under load, and no ask fails or is answered twice', async t => {
  const [one, two] = await cluster(t, [[0, 1], []], { latencyMs });
  const { clock, database } = one;
  const random = seeded(3);
  const members = [one, two];
  let owner = one;
  const asks: Promise<number>[] = [];
  for (let round = 0; round < 200; round++) {
    const from = members[Math.floor(random.next() * 2)] ?? one;
    asks.push(from.node.ask<number>(on0, 'add', { mark: `${round}` }));
    if (round % 40 === 20) {
      const next = owner === one ? two : one;
      await clock.until(owner.placement.release(0).then(() => next.placement.take(0)));
      owner = next;
    }
    await clock.advance(Math.floor(random.next() * 4));
  }
  const replies = await clock.until(Promise.all(asks));
  const { marks } = database.read(on0)?.state as Counted;
  t.equal(marks.length, 200);
  t.strictSame(
    replies.map(place => marks[place - 1]),
    [...asks.keys()].map(String),
    'each reply is the place of its own command',
  );
  t.strictSame([one.metrics.counters.fenced, two.metrics.counters.fenced], [0, 0], 'nobody was in the way');
  t.strictSame([one.node.stats.activations, two.node.stats.activations], [0, 1], 'the old owner forgot');
});

t.test('when a lost lease makes two owners, the store decides between them', async t => {
  const [one] = await cluster(t, [[0], []], { latencyMs });
  const { clock, database } = one;
  const [lost] = await cluster(t, [[0], []], { latencyMs, clock, database });
  const asks = Array.from({ length: 20 }, (_, i) =>
    (i % 2 === 0 ? one : lost).node.ask<number>(on0, 'add', { mark: `${i}` }),
  );
  await clock.until(Promise.all(asks));
  t.equal((database.read(on0)?.state as Counted).n, 20);
  t.ok(one.metrics.counters.fenced + lost.metrics.counters.fenced > 0);
  await clock.until(lost.placement.release(0));
  t.equal(lost.node.stats.activations, 0);
});

t.test('a shard that is taken back before its actors have left keeps them', async t => {
  const [one] = await cluster(t, [[0], []], { latencyMs });
  const { clock } = one;
  const asked = one.node.ask(on0, 'add', { mark: 'x' });
  const released = one.placement.release(0);
  await clock.advance(1);
  await one.placement.take(0);
  await clock.until(Promise.all([asked, released]));
  t.equal(one.node.stats.activations, 1);
  t.equal(await clock.until(one.node.ask(on0, 'add', { mark: 'y' })), 2);
  await t.rejects(one.placement.take(0), /shard 0 cannot be taken/);
});

t.test('a reminder for an actor of another node is delivered there without delay', async t => {
  const [one, two] = await cluster(t, [[0], [1]], { limits: { reminderPollMs: 60_000 } });
  const { clock, database } = one;
  await clock.advance(1);
  const remind = [
    { key: 'now', at: 0, to: on1, command: 'wake', payload: { mark: 'now' } },
    { key: 'soon', at: clock.now() + 500, to: on1, command: 'wake', payload: { mark: 'soon' } },
  ];
  await clock.until(one.node.ask(on0, 'add', { mark: 'x', remind }));
  await clock.advance(1);
  t.match(database.read(on1)?.state, { marks: ['now'] });
  await clock.advance(500);
  t.match(database.read(on1)?.state, { marks: ['now', 'soon'] });
  t.equal(two.metrics.counters.remindersHandled, 2);
  t.equal(database.reminders.size, 0);
});

t.test('the new owner of a shard finds its reminders', async t => {
  const [one, two] = await cluster(t, [[0], []], { limits: { reminderPollMs: 60_000 } });
  const { clock, database } = one;
  await clock.advance(1);
  const remind = [{ key: 'x', at: clock.now() + 500, command: 'wake', payload: { mark: 'woken' } }];
  await clock.until(one.node.ask(on0, 'add', { mark: 'x', remind }));
  await clock.until(one.placement.release(0));
  await clock.advance(1_000);
  t.equal(database.reminders.size, 1, 'nobody owns it');
  await two.placement.take(0);
  await clock.advance(100);
  t.match(database.read(on0)?.state, { marks: ['x', 'woken'] });
  t.equal(two.metrics.counters.remindersHandled, 1);
});

t.test('a node that drains in a cluster hands over, and its own asks go on', async t => {
  const [one, two] = await cluster(t, [[0, 1], []], { latencyMs });
  const { clock } = one;
  const early = one.node.ask(on0, 'add', { mark: 'early' });
  const drained = one.node.drain();
  await clock.advance(1);
  t.equal(one.node.stats.shards, 0);
  const late = one.node.ask(on0, 'add', { mark: 'late' });
  await clock.advance(100);
  await two.placement.take(0);
  await clock.until(drained);
  t.equal(one.node.stats.outgoing, 0);
  t.strictSame(await Promise.all([early, late]), [1, 2]);
});

t.test('asks of one sender keep their order while their shard changes hands', async t => {
  const [one, two] = await cluster(t, [[0], []], { latencyMs });
  const { clock, database } = one;
  const members = [one, two] as const;
  for (let round = 0; round < 20; round++) {
    const [source, target] = round % 2 === 0 ? [one, two] : [two, one];
    await clock.until(source.placement.release(0));
    const sender = members[round < 10 ? 0 : 1];
    const asks: Promise<number>[] = [];
    for (let i = 0; i < 10; i++) {
      asks.push(sender.node.ask<number>(on0, 'add', { mark: `${round}.${i}` }));
      await clock.advance(i % 3);
    }
    const taken = target.placement.take(0);
    asks.push(sender.node.ask<number>(on0, 'add', { mark: `${round}.10` }));
    await clock.until(Promise.all([taken, ...asks]));
  }
  const { marks } = database.read(on0)?.state as Counted;
  t.strictSame(
    marks,
    Array.from({ length: 220 }, (_, i) => `${Math.floor(i / 11)}.${i % 11}`),
  );
});
