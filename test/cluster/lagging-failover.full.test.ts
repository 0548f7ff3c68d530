/**
 * The database fails over to a standby that has not got the last commits, under load. What was acknowledged before and not replicated is
 * lost. Everything acknowledged afterwards is stored, delivered and shown, although the nodes remember a log that was longer.
 */
import t, { type Test } from 'tap';
import type { EventEnvelope } from '../../protocol/resources/event.ts';
import type { Message } from '../../protocol/resources/message.ts';
import { type Client as StreamClient, openStream } from '../gateway/stream/stream-fixture.ts';
import { inspectThreads } from '../node/history.ts';
import { Line } from '../node/client.ts';
import { newStitch, signUp, type Tenant } from '../node/tenant.ts';
import { Webhooks } from '../node/webhooks.ts';
import { eventually } from '../support/eventually.ts';
import type { NodeProcess } from '../support/node-process.ts';
import { startStandby } from '../support/standby.ts';
import { through } from './support/cluster-fixture.ts';
import { TestCluster } from './support/cluster.ts';
import { Load } from './support/load.ts';

const participants = 8;

/** Writes to each participant once; resolves with the messages. */
async function writeToAll({ key, projectId, channelId }: Tenant, body: string): Promise<Message[]> {
  const write = (n: number): Promise<Message> =>
    key.get<Message>('createInboundMessage', {
      params: { channelId },
      body: { projectId, externalParticipantRef: `participant ${n}`, body },
    });
  return Promise.all(Array.from({ length: participants }, (_, n) => write(n)));
}

/** The messages that a Console has been shown since it was last reset. */
function listShown({ frames }: StreamClient): ReadonlySet<string> {
  const since = frames.findLastIndex(({ type }) => type === 'reset') + 1;
  return new Set(frames.slice(since).map(({ event }) => getMessageId(event?.data)));
}

function getMessageId(data: Readonly<Record<string, unknown>> | undefined): string {
  return String((data?.['message'] as Partial<Message> | undefined)?.messageId ?? data?.['messageId']);
}

const listDelivered = ({ bodies }: Webhooks): ReadonlySet<string> =>
  new Set([...bodies.values()].map(body => getMessageId((JSON.parse(body) as EventEnvelope).data)));

async function open(t: Test, node: NodeProcess, tenant: Tenant): Promise<StreamClient> {
  const client = openStream(t, node, tenant.projectId, { bearer: tenant.key.bearer });
  await client.resume();
  return client;
}

t.test('a failover that loses commits', async t => {
  const cluster = await TestCluster.start(t, { nodes: 2, durable: true, proxiedDatabase: true });
  const standby = await startStandby(t, cluster.database, false);
  const { hostname: host, port } = new URL(standby.url);
  const [one, two] = cluster.nodes as [NodeProcess, NodeProcess];
  const tenant = await signUp(new Line(one.url, t));
  const webhooks = await Webhooks.listen(t);
  webhooks.secret = (await newStitch(tenant, webhooks.url)).secret;
  const consoles = await Promise.all([one, two].map(node => open(t, node, tenant)));
  const reached = (ids: readonly string[], what: string): Promise<void> =>
    eventually(what, async () => {
      const all = [listDelivered(webhooks), ...consoles.map(listShown)];
      return all.every(seen => ids.every(id => seen.has(id)));
    });
  const toIds = (messages: readonly Message[]): string[] => messages.map(({ messageId }) => messageId);
  await reached(toIds(await writeToAll(tenant, 'replicated')), 'what is replicated');

  await standby.fallBehind();
  const lost: Message[] = [];
  for (let round = 0; round < 5; round++) lost.push(...(await writeToAll(tenant, `lost ${round}`)));
  await reached(toIds(lost), 'what is lost later');
  const cursor = consoles[0]?.frames.findLast(({ type }) => type === 'event')?.seq ?? 0;
  const epoch = consoles[0]?.frames[0]?.epoch ?? '';

  // The nodes notice one after the other, and the load goes on over both.
  await cluster.database.stopServer();
  const load = new Load(t, tenant, [one, two], { senders: participants, pauseMs: 20 });
  await standby.promote();
  cluster.getDatabaseProxy(one).redirect({ host, port: Number(port) });
  await load.more(participants * 4);
  cluster.getDatabaseProxy(two).redirect({ host, port: Number(port) });
  await load.more(participants * 20);
  await cluster.balanced();
  await load.stop();

  const { messages, gaps } = await inspectThreads(through(t, tenant, two), load);
  const { lost: missing, doubled, disordered, untrue } = messages;
  t.same(
    { missing, doubled, disordered, untrue, gaps },
    { missing: [], doubled: [], disordered: [], untrue: [], gaps: [] },
  );
  const acknowledged = load.messages.map(({ message }) => message.messageId);
  await eventually('webhook of everything acknowledged since', async () => {
    const delivered = listDelivered(webhooks);
    return acknowledged.every(id => delivered.has(id));
  });
  for (const client of consoles) {
    const resets = client.frames.filter(({ type }) => type === 'reset');
    t.match(resets, [{ reason: 'epoch' }], 'the Console is reset, once');
    t.not(resets[0]?.epoch, epoch);
    const last = load.messages.at(-1)?.message.messageId ?? '';
    await client.until(console => listShown(console).has(last));
    const shown = client.frames.flatMap(({ type, seq = 0 }) => (type === 'event' ? [seq] : []));
    const since = shown.slice(shown.findIndex((seq, i) => i > 0 && seq <= (shown[i - 1] ?? 0)));
    t.ok(
      since.every((seq, i) => i === 0 || seq === (since[i - 1] ?? 0) + 1),
      'without gaps since then',
    );
  }
  const stale = openStream(t, two, tenant.projectId, { bearer: tenant.key.bearer });
  t.match(
    await stale.resume({ epoch, seq: cursor }),
    { type: 'reset', reason: 'epoch' },
    'a cursor of before',
  );
  t.notOk(listShown(stale).size > 1, 'nothing is repeated');
});
