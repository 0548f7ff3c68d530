/** The stream of messages under back-pressure, full, and without its database. */
import { once } from 'node:events';
import { status as codes } from '@grpc/grpc-js';
import pg from 'pg';
import t from 'tap';
import { maxHeld, maxUnanswered } from '../../../gateway/grpc/ingest-stream.ts';
import type { IngestMessagesRequest } from '../../../protocol/gen/skein/internal/v1/IngestMessagesRequest.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { Proxy } from '../../support/proxy.ts';
import { startSkeinOn } from '../../support/skein.ts';
import { bearer, connect, getAddress, getDetails, inbound, startGrpcNode, token } from './grpc-fixture.ts';
import { Sender } from './sender.ts';

t.test('a stream under load', async t => {
  const node = await startGrpcNode(t);
  const client = connect(t, node.address);
  const tenant = await node.tenant();
  const readMetrics = async () => (await fetch(`${node.url}/metrics`)).text();
  const open = (): Sender => new Sender(client.ingestMessages(bearer()));

  t.test('a client that does not read its answers is not read from', async t => {
    const sender = open();
    sender.call.pause();
    const big = JSON.stringify({ text: 'x'.repeat(16_000) });
    let written = 0;
    const total = 1_500;
    const sending = (async () => {
      for (; written < total; written++) {
        const message = inbound(tenant, `slow-${written}`, {
          externalParticipantRef: `slow-${written % 50}`,
          metadataJson: big,
        });
        if (!sender.call.write({ correlationId: String(written), message })) await once(sender.call, 'drain');
      }
    })();
    const count = async (): Promise<number> => {
      const [row] = await node.database.query<{ n: number }>(
        `select count(*)::int as n from threads t join messages m using (thread_id) where t.external_ref like 'slow-%'`,
      );
      return row?.n ?? 0;
    };
    let now = 0;
    let unchanged = 0;
    await eventually('standstill', async () => {
      const before = now;
      now = await count();
      unchanged = now > 0 && now === before ? unchanged + 1 : 0;
      return unchanged === 4;
    });
    t.ok(now < total, `stopped after ${now}`);
    t.ok(written < total, 'and so has the client');
    sender.call.resume();
    await sending;
    sender.call.end();
    t.equal(await sender.ended, undefined);
    t.equal(sender.answers.length, total);
    t.equal(await count(), total);
  });

  t.test('no more than may be are under way', async t => {
    const sender = open();
    const threads = maxUnanswered + 50;
    const requests = (round: number): IngestMessagesRequest[] =>
      Array.from({ length: threads }, (_, n) => ({
        correlationId: `${round}/${n}`,
        message: inbound(tenant, `held-${round}-${n}`, { externalParticipantRef: `held-${n}` }),
      }));
    await sender.send(requests(0));
    await sender.until(threads);
    // While another transaction holds the threads' rows, nothing on them can be committed.
    const holder = new pg.Client({ connectionString: node.databaseUrl });
    await holder.connect();
    t.teardown(() => holder.end());
    await holder.query('begin');
    await holder.query(`select 1 from threads where external_ref like 'held-%' for update`);
    const sending = sender.send([...requests(1), ...requests(2)]);
    const underWay = async (): Promise<number> =>
      Number(/^skein_commands (\d+)/m.exec(await readMetrics())?.[1]);
    let highest = 0;
    await eventually('stream that is full', async () => {
      highest = Math.max(highest, await underWay());
      return highest >= maxUnanswered;
    });
    for (let looks = 0; looks < 20; looks++) highest = Math.max(highest, await underWay());
    t.equal(highest, maxUnanswered);
    await holder.query('rollback');
    await sending;
    sender.call.end();
    t.equal(await sender.ended, undefined);
    t.equal(sender.answers.length, 3 * threads);
  });

  t.test('a client that disconnects leaves nothing behind', async t => {
    const sender = open();
    await sender.send([{ correlationId: '0', message: inbound(tenant, 'gone') }]);
    await sender.until(1);
    await sender.send([{ correlationId: '1', message: inbound(tenant, 'gone, too') }]);
    sender.call.cancel();
    t.ok(await sender.ended, 'not well');
    await eventually('end of the stream', async () =>
      /skein_grpc_streams\{method="IngestMessages"\} 0/.test(await readMetrics()),
    );
    t.pass('and the stream is counted off');
  });

  t.test('a thread has one message under way', async t => {
    const sender = open();
    const request = (n: number): IngestMessagesRequest => ({
      correlationId: String(n),
      message: inbound(tenant, `single-${n}`, { externalParticipantRef: 'single' }),
    });
    await sender.send([request(0)]);
    await sender.until(1);
    const holder = new pg.Client({ connectionString: node.databaseUrl });
    await holder.connect();
    t.teardown(() => holder.end());
    await holder.query('begin');
    await holder.query(`select 1 from threads where external_ref = 'single' for update`);
    await sender.send(Array.from({ length: 20 }, (_, n) => request(n + 1)));
    let highest = 0;
    await eventually('message that waits for the row', async () => {
      highest = Math.max(highest, Number(/^skein_commands (\d+)/m.exec(await readMetrics())?.[1]));
      const [row] = await node.database.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock'`,
      );
      return (row?.n ?? 0) > 0;
    });
    for (let looks = 0; looks < 20; looks++) {
      highest = Math.max(highest, Number(/^skein_commands (\d+)/m.exec(await readMetrics())?.[1]));
    }
    t.equal(highest, 1);
    await holder.query('rollback');
    sender.call.end();
    t.equal(await sender.ended, undefined);
    t.same(
      sender.answers.map(({ correlationId }) => correlationId),
      Array.from({ length: 21 }, (_, n) => String(n)),
    );
  });

  t.test('a node that stops answers what it has accepted, and says that it stops', async t => {
    // The node may still refuse commits of the tenant whose rows were locked.
    const tenant = await node.tenant();
    const sender = open();
    let sent = 0;
    function* endless(): Generator<IngestMessagesRequest> {
      for (; ; sent++) {
        yield {
          correlationId: String(sent),
          message: inbound(tenant, `drain-${sent}`, { externalParticipantRef: `drain-${sent % 5}` }),
        };
      }
    }
    const sending = sender.send(endless());
    sending.catch(() => undefined);
    await sender.until(300);
    const stopped = node.stop();
    const ended = await sender.ended;
    t.match(ended, { code: codes.UNAVAILABLE, info: { reason: 'svc/runtime/unavailable' } });
    t.match(ended?.metadata.get('retry-after'), ['1']);
    await stopped;
    t.ok(sender.answers.every(({ accepted }) => accepted !== null && accepted !== undefined));
    const [row] = await node.database.query<{ n: number }>(
      `select count(*)::int as n from threads t join messages m using (thread_id) where t.external_ref like 'drain-%'`,
    );
    t.equal(row?.n, sender.answers.length, 'what was committed was answered, and the reverse');
  });
});

t.test('a thread is held while the outcome of one of its messages is not known', async t => {
  const { database, url } = await startTestDatabase(t);
  const address = new URL(url);
  const proxy = new Proxy({ host: address.hostname, port: Number(address.port) });
  address.port = String(await proxy.listen());
  t.teardown(() => proxy.close());
  const grpc = { GRPC_PORT: '0', SERVICE_TOKENS: `tests:${token}` };
  const node = await startSkeinOn(t, address.href, grpc);
  const tenant = await node.tenant();
  const client = connect(t, getAddress(node));
  const open = (): Sender => new Sender(client.ingestMessages(bearer()));
  const request = (who: string, n: number): IngestMessagesRequest => ({
    correlationId: `${who}/${n}`,
    message: inbound(tenant, `${who}-${n}`, { externalParticipantRef: who, body: String(n) }),
  });
  const sender = open();
  await sender.send([request('free', 0)]);
  await sender.until(1);

  // Threads that no node has in memory cannot be loaded.
  await proxy.leave();
  await sender.send([1, 2, 3].map(n => request('held', n)));
  await sender.until(4);
  const refused = sender.answers.splice(1);
  t.same(
    refused.map(({ correlationId }) => correlationId),
    ['held/1', 'held/2', 'held/3'],
  );
  t.ok(refused.every(({ error }) => error?.code === codes.UNAVAILABLE));
  const reasons = refused.map(({ error }) => getDetails(error ?? undefined).info?.metadata);
  t.notMatch(reasons[0], { reason: 'held' });
  for (const reason of reasons.slice(1)) t.match(reason, { reason: 'held', correlationId: 'held/1' });
  const crowd = open();
  await crowd.send(Array.from({ length: maxHeld + 1 }, (_, n) => request(`crowd-${n}`, 0)));
  t.match(await crowd.ended, { code: codes.UNAVAILABLE }, 'a stream with too many threads held ends');

  await proxy.listen();
  await eventually('database that is back', async () => (await fetch(`${node.url}/readyz`)).ok);
  await sender.send([request('held', 4), request('free', 1)]);
  await sender.until(3);
  const later = new Map(sender.answers.splice(1).map(answer => [answer.correlationId, answer]));
  t.match(getDetails(later.get('held/4')?.error ?? undefined).info?.metadata, { reason: 'held' });
  t.ok(later.get('free/1')?.accepted, 'another thread goes on');
  await sender.send([1, 2, 3, 4].map(n => request('held', n)));
  sender.call.end();
  t.equal(await sender.ended, undefined);
  const stored = await database.query<{ body: string }>(
    `select m.body from messages m join threads t on t.thread_id = m.thread_id
     where t.external_ref = 'held' order by m.sequence`,
  );
  t.same(
    stored.map(({ body }) => body),
    ['1', '2', '3', '4'],
  );
});
