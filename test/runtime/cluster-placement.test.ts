import t from 'tap';
import { desiredOwner, type Candidate } from '../../runtime/cluster/rendezvous.ts';
import { ClusterWorld, type Process } from './cluster-world.ts';

const latencyMs = (): number => 1;

function settled(...ids: string[]): Candidate[] {
  return ids.map(id => ({ id, state: 'settled' }));
}

/** A cluster of settled nodes, each of which serves its share. */
async function cluster(
  ids: readonly string[],
  world = new ClusterWorld({ latencyMs }),
): Promise<[ClusterWorld, ...Process[]]> {
  const processes = ids.map(id => world.process(id));
  await world.clock.until(Promise.all(processes.map(process => process.start())));
  await world.watchFor(4_000);
  return [world, ...processes];
}

function share(world: ClusterWorld, members: Candidate[]): (string | undefined)[] {
  return Array.from({ length: world.count }, (_, shard) => desiredOwner(members, shard));
}

t.test('the first node takes everything at once', async t => {
  const world = new ClusterWorld({ shards: 256, latencyMs });
  const before = world.clock.now();
  const one = await world.started('one');
  t.equal(one.shards.owned.size, 256);
  t.ok(world.clock.now() - before < 100, `${world.clock.now() - before} ms`);
  t.equal(await world.untilServed(), 0);
});

t.test('nodes that start together share, and each ends up with its own', async t => {
  const [world] = await cluster(['one', 'two', 'three']);
  t.strictSame(world.members(), { one: 'settled', two: 'settled', three: 'settled' });
  t.strictSame(world.owners(), share(world, settled('one', 'two', 'three')));
  t.equal(await world.untilServed(), 0);
});

t.test('a killed node is found gone, and its shards are taken', async t => {
  const [world, one, two, three] = await cluster(['one', 'two', 'three'] as const);
  two?.kill();
  const ms = await world.untilServed();
  t.ok(ms < 400, `${ms} ms`);
  t.strictSame(world.owners(), share(world, settled('one', 'three')));
  const gone = [one, three].reduce((sum, node) => sum + (node?.metrics.counters.membersGone ?? 0), 0);
  t.equal(gone, 1, 'one of them removed it');
});
