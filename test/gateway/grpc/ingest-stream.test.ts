/** The stream of messages: acknowledged after their commits, in order within a thread, no more of them than may be. */
import { once } from 'node:events';
import { status as codes, type ClientDuplexStream, type ServiceError } from '@grpc/grpc-js';
import pg from 'pg';
import t from 'tap';
import { maxHeld, maxUnanswered } from '../../../gateway/grpc/ingest-stream.ts';
import type { IngestMessagesRequest } from '../../../protocol/gen/skein/internal/v1/IngestMessagesRequest.ts';
import type { IngestMessagesResponse__Output } from '../../../protocol/gen/skein/internal/v1/IngestMessagesResponse.ts';
import { newId } from '../../../protocol/ids.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { Proxy } from '../../support/proxy.ts';
import { bearer, getDetails, getFailure, GrpcNode, inbound, type Failure } from './grpc-fixture.ts';

type Call = ClientDuplexStream<IngestMessagesRequest, IngestMessagesResponse__Output>;

/** A client's end of the stream, which notes every answer. */
class Sender {
  readonly call: Call;
  readonly answers: IngestMessagesResponse__Output[] = [];
  /** Undefined: it ended well. */
  readonly ended: Promise<Failure | undefined>;
  #wake: () => void = () => undefined;

  constructor(call: Call) {
    this.call = call;
    call.on('data', (answer: IngestMessagesResponse__Output) => {
      this.answers.push(answer);
      this.#wake();
    });
    this.ended = new Promise(resolve => {
      call.on('error', (error: ServiceError) => resolve(getFailure(error)));
      call.on('end', () => resolve(undefined));
    });
  }

  /** Writes as fast as the other side lets it. */
  async send(requests: Iterable<IngestMessagesRequest>): Promise<void> {
    for (const request of requests) if (!this.call.write(request)) await once(this.call, 'drain');
  }

  async until(count: number): Promise<void> {
    while (this.answers.length < count) await new Promise<void>(resolve => (this.#wake = resolve));
  }
}

t.test('a stream of messages', async t => {
  const node = await GrpcNode.start(t);
  const client = node.client();
  const tenant = await node.tenant();
  const open = (): Sender => new Sender(client.ingestMessages(bearer()));

  /** What the database has of the thread, in the order of its numbers. */
  const stored = async (who: string): Promise<string[]> => {
    const rows = await node.database.query<{ body: string }>(
      `select m.body from messages m join threads t on t.thread_id = m.thread_id
       where t.external_ref = $1 order by m.sequence`,
      [who],
    );
    return rows.map(({ body }) => body);
  };

  t.test('2,000 of 20 threads: every one once, in order, answered when it is committed', async t => {
    const sender = open();
    const requests = Array.from({ length: 2_000 }, (_, n) => ({
      correlationId: String(n),
      message: inbound(tenant, `many-${n}`, { externalParticipantRef: `many-${n % 20}`, body: String(n) }),
    }));
    let checked: Promise<void> | undefined;
    sender.call.once('data', ({ accepted }: IngestMessagesResponse__Output) => {
      // Another connection sees it: it is committed.
      const seen = node.database.query('select 1 from messages where message_id = $1', [
        accepted?.message?.messageId,
      ]);
      checked = seen.then(rows => void t.equal(rows.length, 1));
    });
    await sender.send(requests);
    sender.call.end();
    t.equal(await sender.ended, undefined);
    t.equal(sender.answers.length, 2_000);
    t.equal(sender.answers.filter(({ accepted }) => accepted?.replayed === false).length, 2_000);
    await checked;
    for (let thread = 0; thread < 20; thread++) {
      const expected = requests.filter((_, n) => n % 20 === thread).map(({ correlationId }) => correlationId);
      t.same(await stored(`many-${thread}`), expected, 'committed in order');
      const answered = sender.answers.filter(({ correlationId }) => Number(correlationId) % 20 === thread);
      t.same(
        answered.map(({ correlationId }) => correlationId),
        expected,
        'answered in order',
      );
    }

    t.test('and sent again, as after a cut: the same messages, none twice', async t => {
      const again = open();
      await again.send(requests.slice(0, 400));
      again.call.end();
      t.equal(await again.ended, undefined);
      t.ok(again.answers.every(({ accepted }) => accepted?.replayed === true));
      const ids = (answers: readonly IngestMessagesResponse__Output[]): Map<string, string | undefined> =>
        new Map(answers.map(({ correlationId, accepted }) => [correlationId, accepted?.message?.messageId]));
      const before = ids(sender.answers);
      for (const [correlationId, messageId] of ids(again.answers))
        t.equal(messageId, before.get(correlationId));
      t.equal((await stored('many-0')).length, 100);
    });
  });

  t.test('a refusal answers its one message, and the stream stays open', async t => {
    const sender = open();
    await sender.send([
      { correlationId: 'a', message: inbound(tenant, 'mixed-a') },
      { correlationId: 'b', message: inbound(tenant, 'mixed-b', { body: '' }) },
      { correlationId: 'c', message: inbound(tenant, 'mixed-c', { channelId: newId('channel') }) },
      { correlationId: 'd' },
      { correlationId: 'e', message: inbound(tenant, 'mixed-e', { externalParticipantRef: '' }) },
      { correlationId: 'f', message: inbound(tenant, 'mixed-f') },
    ]);
    sender.call.end();
    t.equal(await sender.ended, undefined);
    const byId = new Map(sender.answers.map(answer => [answer.correlationId, answer]));
    t.equal(byId.size, 6);
    for (const id of ['a', 'f']) t.ok(byId.get(id)?.accepted?.message, id);
    const reasons = {
      b: codes.INVALID_ARGUMENT,
      c: codes.NOT_FOUND,
      d: codes.INVALID_ARGUMENT,
      e: codes.INVALID_ARGUMENT,
    };
    for (const [id, code] of Object.entries(reasons)) {
      const error = byId.get(id)?.error;
      t.equal(error?.code, code, id);
      t.match(
        getDetails(error ?? undefined).info?.reason,
        /^svc\/(validation\/invalid_request|runtime\/not_found)$/,
      );
    }
    t.match(await stored('somebody'), ['message mixed-a', 'message mixed-f']);
  });

  t.test('a client that does not read its answers is not read from', async t => {
    const sender = open();
    sender.call.pause();
    const big = JSON.stringify({ text: 'x'.repeat(20_000) });
    let written = 0;
    const total = 1_200;
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
    // While somebody else holds the threads' rows, nothing on them can be committed.
    const holder = new pg.Client({ connectionString: node.databaseUrl });
    await holder.connect();
    t.teardown(() => holder.end());
    await holder.query('begin');
    await holder.query(`select 1 from threads where external_ref like 'held-%' for update`);
    const sending = sender.send([...requests(1), ...requests(2)]);
    const underWay = async (): Promise<number> =>
      Number(/^skein_commands (\d+)/m.exec(await node.metrics())?.[1]);
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
      highest = Math.max(highest, Number(/^skein_commands (\d+)/m.exec(await node.metrics())?.[1]));
      const [row] = await node.database.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock'`,
      );
      return (row?.n ?? 0) > 0;
    });
    for (let looks = 0; looks < 20; looks++) {
      highest = Math.max(highest, Number(/^skein_commands (\d+)/m.exec(await node.metrics())?.[1]));
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

  t.test('a stream without a token, and one of rubbish', async t => {
    const outsider = new Sender(client.ingestMessages(bearer('')));
    t.match(await outsider.ended, { code: codes.UNAUTHENTICATED });
    const path = '/skein.internal.v1.Conversations/IngestMessages';
    const call = client.makeBidiStreamRequest(
      path,
      (bytes: Buffer) => bytes,
      bytes => bytes,
      bearer(),
      {},
    );
    const ended = once(call, 'error');
    call.resume();
    call.write(Buffer.from([0xff, 0xff]));
    t.match(getFailure((await ended)[0] as ServiceError), {
      code: codes.INVALID_ARGUMENT,
      info: { reason: 'svc/validation/invalid_request' },
    });
  });

  t.test('a client that disconnects leaves nothing behind', async t => {
    const sender = open();
    await sender.send([{ correlationId: '0', message: inbound(tenant, 'gone') }]);
    await sender.until(1);
    await sender.send([{ correlationId: '1', message: inbound(tenant, 'gone, too') }]);
    sender.call.cancel();
    t.ok(await sender.ended, 'not well');
    await eventually('end of the stream', async () =>
      /skein_grpc_streams\{method="IngestMessages"\} 0/.test(await node.metrics()),
    );
    t.pass('and the stream is counted off');
  });

  t.test('a node that stops answers what it has accepted, and says that it stops', async t => {
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
    const stopped = node.skein.stop();
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
  const node = await GrpcNode.on(t, database, address.href);
  const tenant = await node.tenant();
  const client = node.client();
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
  await eventually('database that is back', async () => (await fetch(`${node.skein.url}/readyz`)).ok);
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
