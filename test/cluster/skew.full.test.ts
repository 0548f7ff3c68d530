/** Nodes whose wall clocks are minutes, or a month, apart: what they do is decided by the database's. */
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { TestCluster } from './support/cluster.ts';
import { Line } from '../node/client.ts';
import { newKey, signUp } from '../node/tenant.ts';
import type { NodeProcess } from '../support/node-process.ts';
import { Recovery, worst } from './support/recovery.ts';
import { wrongBy } from './support/skewed-clock.ts';
import { checkAll, startClusterFixture, through } from './support/cluster-fixture.ts';

/** More than any lease, deadline or retry; less than receivers of signed webhooks tolerate. */
const wrongMs = 240_000;

t.test('one node is four minutes ahead, one four minutes behind, and the one ahead dies', async t => {
  const cluster = await TestCluster.start(t, { nodes: 1 });
  const [behind, ahead] = await Promise.all([cluster.add(wrongBy(-wrongMs)), cluster.add(wrongBy(wrongMs))]);
  await cluster.balanced();
  const minutes = (node: NodeProcess): number =>
    Math.round((Number(node.lines.at(-1)?.['time']) - Date.now()) / 60_000);
  t.same([behind, ahead].map(minutes), [-4, 4], 'their clocks are wrong');
  const fixture = await startClusterFixture(t, cluster);
  const { load, webhooks } = fixture;
  webhooks.failing = 10;
  await load.more(60);
  await load.until(() => webhooks.failing === 0, 'refusal of webhooks');
  t.equal(load.failed, 0, 'no request failed');
  t.equal(await cluster.total('skein_expired_total'), 0, 'no deadline was taken for over');
  const refused = [...webhooks.refused];

  const recovery = new Recovery(load, await cluster.ownership(ahead));
  load.spare(ahead);
  await ahead.kill();
  const { max } = worst(await recovery.complete());
  t.ok(
    max < wrongMs,
    `its shards were taken over within ${max} ms, and not when a wrong clock would have it`,
  );
  load.lighten();
  load.use(await cluster.add(wrongBy(wrongMs)));
  await cluster.balanced();
  await load.more(60);
  // Also those whose retry the dead node has set.
  await webhooks.arrived(refused);
  await checkAll(t, cluster, fixture);
});

const dayMs = 86_400_000;
const quickSweeps = fileURLToPath(new URL('./support/quick-sweeps.ts', import.meta.url));

interface Readiness {
  readonly status: string;
  readonly checks: Readonly<Record<string, string>>;
}

/** An event of twenty days ago in a partition of its own, and a thread that has rested for five. */
async function addHistory({ database: { database } }: TestCluster, threadId: string): Promise<string> {
  const day = new Date(Date.now() - 20 * dayMs).toISOString().slice(0, 10);
  const partition = `events_${day.replaceAll('-', '')}`;
  await database.query(
    `create table ${partition} partition of events for values from ('${day} 00:00+00') to ('${day} 24:00+00')`,
  );
  await database.query(
    `insert into events (project_id, seq, occurred_at, event_id, event_name, environment_id, body)
     values ('prj_old', 1, '${day} 12:00+00', 'evt_old', 'thread.message.received', 'env_old', '{}')`,
  );
  await database.query(
    `update threads set updated_at = updated_at - interval '5 days', last_message_at = last_message_at - interval '5 days',
       active_second = active_second - 5 * 86400
     where thread_id = $1`,
    [threadId],
  );
  return partition;
}

t.test('a node forty days ahead removes nothing, says so, and no reminder is early or lost', async t => {
  const cluster = await TestCluster.start(t, { nodes: 1 });
  const [right] = cluster.running;
  if (right === undefined) throw new Error('no node runs');
  const fixture = await startClusterFixture(t, cluster, { senders: 4 });
  const { load, webhooks } = fixture;
  const tenant = await signUp(new Line(right.url, t));
  const { projectId, environmentId } = tenant;
  const { database } = cluster.database;
  // Threads with a service window: a reminder in 23 hours each.
  const { channelId } = await tenant.key.get<{ channelId: string }>('createChannel', {
    body: { projectId, environmentId, name: 'Windows', kind: 'sandbox' },
  });
  const write = ({ key }: typeof tenant, externalParticipantRef: string) =>
    key.get<{ threadId: string }>('createInboundMessage', {
      params: { channelId },
      body: { projectId, externalParticipantRef, body: 'hello' },
    });
  const windows = await Promise.all(Array.from({ length: 20 }, (_, i) => write(tenant, `window-${i}`)));
  const partition = await addHistory(cluster, windows[0]?.threadId ?? '');

  const ahead = await cluster.add(wrongBy(40 * dayMs), quickSweeps);
  await cluster.balanced();
  const readiness = (await (await fetch(`${ahead.url}/readyz`)).json()) as Readiness;
  t.match(readiness, { status: 'ok', checks: { database: 'ok', clock: 'degraded' } });
  t.equal(
    ahead.lines.filter(({ msg }) => msg === "this machine's clock is more than a minute off the database's")
      .length,
    1,
    'it says so',
  );
  load.use(ahead);
  webhooks.failing = 10;
  await load.until(() => webhooks.failing === 0, 'refusal of webhooks');
  await webhooks.arrived([...webhooks.refused]);
  t.same(webhooks.faults, [], 'signed with the right time');

  // The node ahead is alone, and the one that maintains the database.
  load.spare(right);
  await right.stop();
  await ahead.said("maintenance waits: this machine's clock is not the database's");
  const rows = async (text: string): Promise<number> => {
    const [row] = await database.query<{ count: number }>(`select count(*)::int as count from ${text}`);
    return row?.count ?? -1;
  };
  t.equal(await rows(partition), 1, 'no partition was dropped');
  t.equal(await rows(`threads where thread_id = '${windows[0]?.threadId}'`), 1, 'no thread was erased');
  t.equal(await rows(`events where event_name ~ 'service_window.clos'`), 0, 'no reminder was early');
  const onAhead = through(t, tenant, ahead);
  await write(onAhead, 'window-new');
  await newKey(onAhead.person, projectId);

  const next = await cluster.add();
  load.use(next);
  await cluster.balanced();
  webhooks.failing = 10;
  await load.until(() => webhooks.failing === 0, 'refusal of webhooks');
  const refused = [...webhooks.refused];
  load.spare(ahead);
  await ahead.kill();
  await webhooks.arrived(refused);
  for (const column of [
    'events.occurred_at',
    'webhook_attempts.attempted_at',
    'webhook_deliveries.next_attempt_at',
  ]) {
    const [table = '', name] = column.split('.');
    t.equal(await rows(`${table} where ${name} > now() + interval '1 hour'`), 0, `${column} is right`);
  }
  t.equal(
    await rows(`reminders where due_at > (extract(epoch from now()) + 86400) * 1000`),
    0,
    'no reminder was lost to another month',
  );
  await load.more(20);
  await checkAll(t, cluster, fixture);
});
