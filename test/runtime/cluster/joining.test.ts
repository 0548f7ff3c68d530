import t from 'tap';
import { ClusterRefusal } from '../../../runtime/cluster/joining.ts';
import { decodeMember, encode, memberKey, wireVersion } from '../../../runtime/cluster/records.ts';
import { MemoryCluster, latencyMs, share, trio } from './cluster-fixture.ts';

t.test('a second node of one id refuses to start while the first lives', async t => {
  const { cluster } = await trio();
  const double = cluster.process('two');
  await t.rejects(cluster.clock.until(double.start()), ClusterRefusal);
  t.equal(await cluster.untilServed(), 0);
  await cluster.clock.until(double.placement.drain());
});

t.test(
  'a leftover of the same id is replaced: at once when it is gone, when it has expired else',
  async t => {
    const { cluster, one, two } = await trio();
    two.kill();
    const again = cluster.process('two');
    let before = cluster.clock.now();
    await cluster.clock.until(again.start());
    t.ok(cluster.clock.now() - before < 250, `${cluster.clock.now() - before} ms`);
    one.stop();
    const other = cluster.process('one');
    before = cluster.clock.now();
    await cluster.clock.until(other.start());
    const took = cluster.clock.now() - before;
    t.ok(took > 2_000 && took < 3_500, `${took} ms`);
    one.resume();
    await cluster.clock.advance(8_000);
    t.ok(one.log.some(({ level, message }) => level === 'error' && message.includes('cannot join again')));
    t.strictSame(cluster.owners(), share(cluster, 'one', 'two', 'three'));
    t.equal(one.shards.owned.size, 0);
    t.strictSame(cluster.offences, []);
  },
);

t.test('the last heartbeat of a dead predecessor is no sign of life, even if it arrives late', async t => {
  const { cluster, two } = await trio();
  // Its connection is not known to be lost, so no ping finds it gone.
  two.stop();
  const again = cluster.process('two');
  const started = again.start();
  await cluster.clock.advance(300);
  const key = memberKey('two');
  const entry = decodeMember(cluster.register.at(key)?.value ?? '');
  cluster.register.write(key, encode({ ...entry, beat: entry.beat + 1 }));
  await cluster.clock.until(started);
  t.equal(await cluster.untilServed(), 0);
});

t.test('a node waits for its forerunner to drain', async t => {
  const { cluster, two } = await trio({ finishMs: () => 300 });
  const drained = two.placement.drain();
  await cluster.clock.advance(10);
  const again = cluster.process('two');
  await cluster.clock.until(again.start());
  await drained;
  t.strictSame(Object.keys(cluster.members()).sort(), ['one', 'three', 'two']);
});

t.test('a node of another shard count or another wire version refuses to start', async t => {
  const cluster = new MemoryCluster({ latencyMs });
  await cluster.started('one', { release: '1.0.0' });
  await t.rejects(
    cluster.clock.until(cluster.process('two', { wire: 99 }).start()),
    new RegExp(`use version ${wireVersion} .* and this node uses 99`),
  );
  const larger = new MemoryCluster({ shards: 17, latencyMs });
  larger.register.write('cluster', cluster.register.at('cluster')?.value);
  await t.rejects(
    larger.clock.until(larger.process('x').start()),
    /created with 16 shards, and this node is set to 17/,
  );
  await cluster.started('three', { release: '1.1.0' });
  t.strictSame(Object.keys(cluster.members()), ['one', 'three']);
});

t.test('a node of another wire version is refused before it changes anything', async t => {
  const cluster = new MemoryCluster({ latencyMs });
  const next = cluster.process('new', { wire: wireVersion + 1 });
  const { signal } = new AbortController();
  await cluster.clock.until(next.placement.checkFit(signal));
  t.strictSame(cluster.register.entries, [], 'there is nobody yet');
  const old = await cluster.started('old');
  const before = cluster.register.at('cluster')?.value;
  await t.rejects(cluster.clock.until(next.placement.checkFit(signal)), /Stop them all .* old$/);
  t.equal(cluster.register.at('cluster')?.value, before);
  await cluster.clock.until(cluster.process('same').placement.checkFit(signal));
  await cluster.clock.until(old.placement.drain());
  await cluster.clock.until(next.placement.checkFit(signal));
});

t.test('nodes of another wire version may follow when the last one of the old has gone', async t => {
  const cluster = new MemoryCluster({ latencyMs });
  const old = await cluster.started('old');
  await t.rejects(
    cluster.clock.until(cluster.process('new', { wire: wireVersion + 1 }).start()),
    /Stop them all .* old$/,
  );
  await cluster.clock.until(old.placement.drain());
  const next = ['a', 'b'].map(id => cluster.process(id, { wire: wireVersion + 1 }));
  await cluster.clock.until(Promise.all(next.map(process => process.start())));
  t.match(JSON.parse(cluster.register.at('cluster')?.value ?? ''), { shards: 16, wire: wireVersion + 1 });
  await t.rejects(
    cluster.clock.until(cluster.process('late').start()),
    new RegExp(`use version ${wireVersion + 1} .* and this node uses ${wireVersion}`),
  );
});

t.test('fields and keys of a newer version are no trouble', async t => {
  const { cluster, one } = await trio();
  const own = cluster.register.entries.find(({ key }) => key === 'shard.3');
  cluster.register.write(
    'shard.3',
    JSON.stringify({ ...(JSON.parse(own?.value ?? '{}') as object), news: [1] }),
  );
  cluster.register.write('weather.today', 'fine');
  cluster.register.write('shard.4', 'what is this');
  await cluster.clock.advance(1_000);
  t.equal(await cluster.untilServed(), 0);
  t.equal(one.placement.describe().shards.length, cluster.count);
});

t.test('without the register a node waits, logs it, and starts when the register is back', async t => {
  const cluster = new MemoryCluster({ latencyMs });
  const one = cluster.process('one');
  one.connected = false;
  let isStarted = false;
  const started = one.start().then(() => (isStarted = true));
  await cluster.clock.advance(30_000);
  t.equal(isStarted, false);
  t.match(one.log, [{ level: 'warn', message: /cannot be joined yet/ }]);
  one.connected = true;
  await cluster.clock.until(started, 2_500);
  t.equal(await cluster.untilServed(), 0);
});

t.test('a start that is waiting can be drained', async t => {
  const cluster = new MemoryCluster({ latencyMs });
  const one = cluster.process('one');
  one.connected = false;
  const started = one.start();
  await cluster.clock.advance(1_000);
  await cluster.clock.until(one.placement.drain());
  await cluster.clock.until(started);
  one.connected = true;
  await cluster.clock.advance(5_000);
  t.strictSame([cluster.members(), cluster.clock.pending], [{}, 0]);
});

t.test('options that make no sense are refused by name', async t => {
  const cluster = new MemoryCluster();
  t.throws(() => cluster.process('no spaces'), /a node's id is/);
  t.throws(() => cluster.process('x', { timing: { pingMs: 0 } }), /timing.pingMs must be a positive integer/);
  t.throws(() => cluster.process('x', { timing: { leaseMs: 1_000 } }), /timing.leaseMs must leave room/);
});
