/** The stream of messages: acknowledged after their commits, in order within a thread, no more of them than may be. */
import { once } from 'node:events';
import { status as codes, type ServiceError } from '@grpc/grpc-js';
import pg from 'pg';
import t from 'tap';
import type { IngestMessagesRequest } from '../../../protocol/gen/skein/internal/v1/IngestMessagesRequest.ts';
import type { IngestMessagesResponse__Output } from '../../../protocol/gen/skein/internal/v1/IngestMessagesResponse.ts';
import { newId } from '../../../protocol/ids.ts';
import { eventually } from '../../support/eventually.ts';
import { bearer, connect, getDetails, getFailure, inbound, startGrpcNode } from './grpc-fixture.ts';
import { Sender } from './sender.ts';

t.test('a stream of messages', async t => {
  const node = await startGrpcNode(t);
  const client = connect(t, node.address);
  const tenant = await node.tenant();
  const readMetrics = async () => (await fetch(`${node.url}/metrics`)).text();
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

  t.test('400 of 20 threads: every one once, in order, answered when it is committed', async t => {
    const sender = open();
    const requests = Array.from({ length: 400 }, (_, n) => ({
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
    t.equal(sender.answers.length, 400);
    t.equal(sender.answers.filter(({ accepted }) => accepted?.replayed === false).length, 400);
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
      await again.send(requests.slice(0, 100));
      again.call.end();
      t.equal(await again.ended, undefined);
      t.ok(again.answers.every(({ accepted }) => accepted?.replayed === true));
      const ids = (answers: readonly IngestMessagesResponse__Output[]): Map<string, string | undefined> =>
        new Map(answers.map(({ correlationId, accepted }) => [correlationId, accepted?.message?.messageId]));
      const before = ids(sender.answers);
      for (const [correlationId, messageId] of ids(again.answers))
        t.equal(messageId, before.get(correlationId));
      t.equal((await stored('many-0')).length, 20);
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
    t.match(await stored('ada'), ['message mixed-a', 'message mixed-f']);
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
