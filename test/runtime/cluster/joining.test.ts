import t from 'tap';
import { ClusterRefusal } from '../../../runtime/cluster/joining.ts';
import { decodeMember, encode, memberKey } from '../../../runtime/cluster/records.ts';
import { ClusterWorld, latencyMs, share, trio } from './cluster-fixture.ts';

t.test('a second node of one id refuses to start while the first lives', async t => {
  const { world } = await trio();
  const double = world.process('two');
  await t.rejects(world.clock.until(double.start()), ClusterRefusal);
  t.equal(await world.untilServed(), 0);
  await world.clock.until(double.placement.drain());
});

t.test(
  'a leftover of the same id is replaced: at once when it is gone, when it has expired else',
  async t => {
    const { world, one, two } = await trio();
    two.kill();
    const again = world.process('two');
    let before = world.clock.now();
    await world.clock.until(again.start());
    t.ok(world.clock.now() - before < 250, `${world.clock.now() - before} ms`);
    one.stop();
    const other = world.process('one');
    before = world.clock.now();
    await world.clock.until(other.start());
    const took = world.clock.now() - before;
    t.ok(took > 2_000 && took < 3_500, `${took} ms`);
    one.resume();
    await world.clock.advance(8_000);
    t.ok(one.log.some(({ level, message }) => level === 'error' && message.includes('cannot join again')));
    t.strictSame(world.owners(), share(world, 'one', 'two', 'three'));
    t.equal(one.shards.owned.size, 0);
    t.strictSame(world.offences, []);
  },
);

t.test('the last heartbeat of a dead forerunner is no sign of life, even if it comes late', async t => {
  const { world, two } = await trio();
  // Its connection is not known to be lost, so no ping finds it gone.
  two.stop();
  const again = world.process('two');
  const started = again.start();
  await world.clock.advance(300);
  const key = memberKey('two');
  const entry = decodeMember(world.register.at(key)?.value ?? '');
  world.register.write(key, encode({ ...entry, beat: entry.beat + 1 }));
  await world.clock.until(started);
  t.equal(await world.untilServed(), 0);
});

t.test('a node waits for its forerunner to drain', async t => {
  const { world, two } = await trio({ finishMs: () => 300 });
  const drained = two.placement.drain();
  await world.clock.advance(10);
  const again = world.process('two');
  await world.clock.until(again.start());
  await drained;
  t.strictSame(Object.keys(world.members()).sort(), ['one', 'three', 'two']);
});

t.test('a node of another shard count or another wire version refuses to start', async t => {
  const world = new ClusterWorld({ latencyMs });
  await world.started('one', { release: '1.0.0' });
  await t.rejects(
    world.clock.until(world.process('two', { wire: 99 }).start()),
    /use version 1 .* and this node uses 99/,
  );
  const larger = new ClusterWorld({ shards: 17, latencyMs });
  larger.register.write('cluster', world.register.at('cluster')?.value);
  await t.rejects(
    larger.clock.until(larger.process('x').start()),
    /created with 16 shards, and this node is set to 17/,
  );
  await world.started('three', { release: '1.1.0' });
  t.strictSame(Object.keys(world.members()), ['one', 'three']);
});

t.test('nodes of another wire version may follow when the last one of the old has gone', async t => {
  const world = new ClusterWorld({ latencyMs });
  const old = await world.started('old');
  await t.rejects(world.clock.until(world.process('new', { wire: 2 }).start()), /Stop them all .* old$/);
  await world.clock.until(old.placement.drain());
  const next = ['a', 'b'].map(id => world.process(id, { wire: 2 }));
  await world.clock.until(Promise.all(next.map(process => process.start())));
  t.match(JSON.parse(world.register.at('cluster')?.value ?? ''), { shards: 16, wire: 2 });
  await t.rejects(world.clock.until(world.process('late').start()), /use version 2 .* and this node uses 1/);
});

t.test('fields and keys of a newer version are no trouble', async t => {
  const { world, one } = await trio();
  const own = world.register.entries.find(({ key }) => key === 'shard.3');
  world.register.write(
    'shard.3',
    JSON.stringify({ ...(JSON.parse(own?.value ?? '{}') as object), news: [1] }),
  );
  world.register.write('weather.today', 'fine');
  world.register.write('shard.4', 'what is this');
  await world.clock.advance(1_000);
  t.equal(await world.untilServed(), 0);
  t.equal(one.placement.describe().shards.length, world.count);
});

t.test('without the register a node waits, says so, and starts when it is there', async t => {
  const world = new ClusterWorld({ latencyMs });
  const one = world.process('one');
  one.connected = false;
  let isStarted = false;
  const started = one.start().then(() => (isStarted = true));
  await world.clock.advance(30_000);
  t.equal(isStarted, false);
  t.match(one.log, [{ level: 'warn', message: /cannot be joined yet/ }]);
  one.connected = true;
  await world.clock.until(started, 2_500);
  t.equal(await world.untilServed(), 0);
});

t.test('a start that is waiting can be drained', async t => {
  const world = new ClusterWorld({ latencyMs });
  const one = world.process('one');
  one.connected = false;
  const started = one.start();
  await world.clock.advance(1_000);
  await world.clock.until(one.placement.drain());
  await world.clock.until(started);
  one.connected = true;
  await world.clock.advance(5_000);
  t.strictSame([world.members(), world.clock.pending], [{}, 0]);
});

t.test('options that make no sense are refused by name', async t => {
  const world = new ClusterWorld();
  t.throws(() => world.process('no spaces'), /a node's id is/);
  t.throws(() => world.process('x', { timing: { pingMs: 0 } }), /timing.pingMs must be a positive integer/);
  t.throws(() => world.process('x', { timing: { leaseMs: 1_000 } }), /timing.leaseMs must leave room/);
});
