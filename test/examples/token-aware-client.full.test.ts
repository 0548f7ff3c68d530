/**
 * examples/token-aware-client: once it knows a conversation, its messages go to the node that owns the thread and to no other, whoever
 * has gone meanwhile.
 */
import t from 'tap';
import { Line } from '../node/client.ts';
import { signUp } from '../node/tenant.ts';
import { TestCluster } from '../cluster/support/cluster.ts';
import { Example } from './example.ts';

interface Sent {
  readonly threadId: string;
  readonly messageId: string;
  readonly node: string;
  readonly body: string;
}

const participants = 40;

const cluster = await TestCluster.start(t, { nodes: 3, grpc: true });
await cluster.settled();
// As the map has them.
const [one, two, three] = cluster.running.sort((a, b) => (a.id < b.id ? -1 : 1));
if (one === undefined || two === undefined || three === undefined)
  throw new Error('three nodes were asked for');
const { projectId, environmentId, channelId } = await signUp(new Line(one.url, t));

/** What a program gets, beside the addresses of nodes. */
const variables = {
  PROJECT: projectId,
  ENVIRONMENT: environmentId,
  CHANNEL: channelId,
  SERVICE_TOKEN: cluster.serviceToken,
};
const example = new Example(t, 'token-aware-client', {
  ...variables,
  SKEIN_GRPC: cluster.getGrpcAddress(one),
});

/** The lines of a round of messages, one in each conversation. */
async function say(
  round: string,
  to: (n: number) => object = n => ({ participant: `p${n}` }),
): Promise<Sent[]> {
  for (let n = 0; n < participants; n++) example.write(JSON.stringify({ ...to(n), body: `${round}/${n}` }));
  const sent: Sent[] = [];
  for (let n = 0; n < participants; n++) {
    const line = await example.said(new RegExp(`"body":"${round}/${n}"`));
    sent.push(JSON.parse(line) as Sent);
  }
  return sent;
}

const forwarded = (): Promise<number> => cluster.total('skein_asks_forwarded_total{kind="thread"}');

/** Whether each message was taken by the owner of its thread. */
async function listOwners(sent: readonly Sent[]): Promise<boolean[]> {
  const owners = await Promise.all(
    cluster.running.map(async node => ({
      owns: await cluster.ownership(node),
      address: cluster.getGrpcAddress(node),
    })),
  );
  return sent.map(({ threadId, node }) => owners.find(({ owns }) => owns(threadId))?.address === node);
}

let threads: readonly string[] = [];

t.test('the second message of a conversation goes to the owner, and so does one by its thread', async t => {
  await example.said(/^node-1: \d+ shards, node-2: \d+ shards, node-3: \d+ shards$/);
  const first = await say('first');
  threads = first.map(({ threadId }) => threadId);
  const crossed = await forwarded();
  t.ok(crossed > 0, `${crossed} first messages crossed`);

  const second = await say('second');
  t.equal(await forwarded(), crossed, 'no second message did');
  t.ok((await listOwners(second)).every(Boolean));
  t.equal(new Set(second.map(({ node }) => node)).size, 3, 'to all nodes');

  const third = await say('third', n => ({ threadId: threads[n] }));
  t.equal(await forwarded(), crossed, 'nor one that names its thread');
  t.ok((await listOwners(third)).every(Boolean));
});

t.test('a node drains: the messages go on, and to the new owners', async t => {
  const map = example.said(/^node-1: \d+ shards, node-2: \d+ shards$/);
  const stopping = three.stop();
  const during = await say('during');
  t.equal(during.length, participants, 'all were taken');
  t.same(await stopping, { code: 0, signal: null });
  await map;
  await cluster.settled();
  // The map that says so may be on its way: each answer tells of its shard, and then the client knows.
  await say('after');
  const crossed = await forwarded();
  t.ok((await listOwners(await say('settled'))).every(Boolean));
  t.equal(await forwarded(), crossed, 'without crossing');
});

t.test('a node dies: what was meant for it goes to another one', async t => {
  await two.kill();
  const sent = await say('killed');
  t.ok(sent.every(({ node }) => node === cluster.getGrpcAddress(one)));
});

t.test('what was said is stored once, in its order', async t => {
  t.equal(await example.finish(), 0, example.errors.join('\n'));
  const rounds = ['first', 'second', 'third', 'during', 'after', 'settled', 'killed'];
  for (const [n, threadId] of threads.entries()) {
    const rows = await cluster.database.database.query<{ body: string }>(
      'select body from messages where thread_id = $1 order by sequence',
      [threadId],
    );
    t.same(
      rows.map(({ body }) => body),
      rounds.map(round => `${round}/${n}`),
    );
  }
});

t.test('nodes that tell no address are used by turns', async t => {
  const silent = await cluster.add({ GRPC_ADVERTISED_ADDRESS: '' });
  await one.stop();
  const program = new Example(t, 'token-aware-client', {
    ...variables,
    SKEIN_GRPC: `${cluster.getGrpcAddress(one)},${cluster.getGrpcAddress(silent)}`,
  });
  await program.said(/^node-4: 256 shards$/);
  program.write(JSON.stringify({ threadId: threads[0], body: 'To the only one' }));
  t.match(JSON.parse(await program.said(/To the only one/)), { node: cluster.getGrpcAddress(silent) });
  t.equal(await program.finish(), 0);
});
