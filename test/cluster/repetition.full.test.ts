/** The node of a stitch dies between the commit of a request and its answer: the repetition, by another node, finds what was made. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { StitchWithSecret } from '../../protocol/resources/stitch.ts';
import { getShard } from '../../runtime/placement/shards.ts';
import { Line, type Reply } from '../node/client.ts';
import { newStitch, signUp } from '../node/tenant.ts';
import { Proxy } from '../support/proxy.ts';
import { withTimeLimit } from '../support/time-limit.ts';
import { TestCluster } from './support/cluster.ts';

t.test('a secret is rotated once', async t => {
  const cluster = await TestCluster.start(t, { nodes: 1 });
  const [other] = cluster.running;
  if (other === undefined) throw new Error('no node runs');
  const url = new URL(cluster.database.url);
  const proxy = new Proxy({ host: url.hostname, port: Number(url.port) });
  t.teardown(() => proxy.close());
  url.host = `127.0.0.1:${await proxy.listen()}`;
  const owner = await cluster.add({ DATABASE_URL: url.href });
  await cluster.balanced();

  const tenant = await signUp(new Line(other.url, t));
  const { key, projectId } = tenant;
  const owned = await cluster.getShards(owner);
  let stitchId = '';
  do {
    ({ stitchId } = await newStitch(tenant, 'http://127.0.0.1:2/'));
  } while (!owned.has(getShard(stitchId, cluster.shards)));
  const asked = { params: { stitchId }, body: { projectId }, key: randomUUID() };
  const rotate = (): Promise<Reply<StitchWithSecret>> => key.ask('rotateStitchSecret', asked);

  const lost = proxy.loseAnswer(/idempotency\.remember/, 'COMMIT\0').then(() => owner.kill());
  const first = await rotate();
  await withTimeLimit(lost, 'death of the node');
  t.notOk(owner.running);
  t.ok([200, 503].includes(first.status), first.text);

  let again = await rotate();
  while (again.status === 503) again = await rotate();
  t.equal(again.status, 200, again.text);
  t.equal(again.headers['idempotent-replayed'], 'true');
  if (first.status === 200) t.equal(again.text, first.text);
  const [row] = await cluster.database.database.query<{ secrets: { until?: number }[] }>(
    'select secrets from stitches where stitch_id = $1',
    [stitchId],
  );
  const [newest, former, ...more] = row?.secrets ?? [];
  t.equal(newest?.until, undefined);
  t.type(former?.until, 'number', 'the secret that was in use has its grace');
  t.same(more, []);
});
