/** SIGTERM under load: what was asked is answered, who listens is sent away, and the next start finds everything. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import WebSocket from 'ws';
import { NodeProcess } from '../support/node-process.ts';
import { answer, Receiver, silence } from '../support/receiver.ts';
import { Line } from './client.ts';
import { checkEvents, checkThreads } from './history.ts';
import { keepsSecrets } from './secrets.ts';
import { Senders } from './senders.ts';
import { newStitch, signUp, type Tenant } from './tenant.ts';
import { Webhooks } from './webhooks.ts';

/** Answers between a start and the next SIGTERM. */
const lives = [40, 1, 90];
const senderCount = 16;

/** A socket of the Console stream that is resumed. */
async function watch(
  t: { teardown(handler: () => void): unknown },
  { projectId, key }: Tenant,
): Promise<WebSocket> {
  const { url } = key.line;
  const socket = new WebSocket(
    `${url.replace('http', 'ws')}/v1/console/projects/${projectId}/events/stream`,
    {
      headers: { authorization: `Bearer ${key.bearer ?? ''}` },
    },
  );
  t.teardown(() => socket.terminate());
  await once(socket, 'open');
  socket.send('{"type":"resume"}');
  await once(socket, 'message');
  return socket;
}

t.test('SIGTERM under load, three times', async t => {
  const node = await NodeProcess.make(t);
  await node.start();
  const line = new Line(node.url, t);
  const tenant = await signUp(line);
  const webhooks = await Webhooks.listen(t);
  webhooks.secret = (await newStitch(tenant, webhooks.url)).secret;

  const senders = new Senders(tenant, senderCount);
  for (const answers of lives) {
    await senders.more(answers);
    const socket = await watch(t, tenant);
    const closed = once(socket, 'close');
    const before = senders.acknowledged;
    senders.hold();
    const stopped = node.stop();
    const [code] = (await closed) as [number];
    t.equal(code, 1001, 'the socket is told that the node goes away');
    t.same(await stopped, { code: 0, signal: null });
    t.ok(senders.acknowledged > before, 'requests were under way');
    t.equal(senders.unanswered, 0, 'and were answered');
    t.notOk(
      existsSync(join(node.folder, 'postgres', 'data', 'postmaster.pid')),
      'the database has ended too',
    );
    await node.start();
    senders.resume();
  }
  await senders.more(senderCount);
  await senders.stop();

  await checkThreads(t, tenant, senders);
  await checkEvents(t, tenant, webhooks);
  t.same(await node.stop(), { code: 0, signal: null });
  t.same(
    node.lines.filter(({ level }) => level >= 40),
    [],
    'nothing to complain of',
  );
  keepsSecrets(t, node.output, line);
});

t.test('a receiver that never answers does not hold the node, and gets the event again', async t => {
  const node = await NodeProcess.make(t);
  await node.start();
  const line = new Line(node.url, t);
  const tenant = await signUp(line);
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  receiver.behaviour = silence;
  await newStitch(tenant, receiver.url());
  await tenant.key.get('createInboundMessage', {
    params: { channelId: tenant.channelId },
    body: { projectId: tenant.projectId, externalParticipantRef: 'ada', body: 'hello' },
  });
  await receiver.arrived(1);
  t.same(await node.stop(), { code: 0, signal: null });

  receiver.behaviour = answer(204);
  const before = receiver.received.length;
  await node.start();
  await receiver.arrived(before + 1);
  const first = receiver.received[0];
  const again = receiver.received[before];
  t.equal(again?.headers['service-delivery-id'], first?.headers['service-delivery-id']);
  t.equal(again?.body, first?.body);
  t.equal(again?.headers['service-attempt'], '1', 'the drain has not waited until the attempt failed');
  t.same(await node.stop(), { code: 0, signal: null });
});

t.test(
  'further signals do not cut the drain short, and one that comes early waits for the start',
  async t => {
    const node = await NodeProcess.make(t);
    await node.start();
    const stopped = node.stop();
    await node.said('draining');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) process.kill(node.pid, signal);
    t.same(await stopped, { code: 0, signal: null });

    node.spawn();
    await node.said('PostgreSQL is ready');
    t.same(await node.stop(), { code: 0, signal: null });
    t.notOk(
      existsSync(join(node.folder, 'postgres', 'data', 'postmaster.pid')),
      'the database has ended too',
    );
  },
);
