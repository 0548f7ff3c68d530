/** The stream of messages: acknowledged after their commits, and in order within a thread. */
import { once } from 'node:events';
import { status as codes, type ServiceError } from '@grpc/grpc-js';
import t from 'tap';
import type { IngestMessagesResponse__Output } from '../../../protocol/gen/skein/internal/v1/IngestMessagesResponse.ts';
import { newId } from '../../../protocol/ids.ts';
import { shareSkein } from '../../support/skein.ts';
import { bearer, connect, getAddress, getDetails, getFailure, inbound } from './grpc-fixture.ts';
import { Sender } from './sender.ts';

t.test('a stream of messages', async t => {
  const node = await shareSkein(t);
  const client = connect(t, getAddress(node));
  const tenant = await node.tenant();
  const open = (): Sender => new Sender(client.ingestMessages(bearer()));

  /** What the database has of the thread, in the order of its numbers. */
  const stored = async (who: string): Promise<string[]> => {
    const rows = await node.database.query<{ body: string }>(
      `select m.body from messages m join threads t on t.thread_id = m.thread_id
       where t.external_ref = $1 and t.project_id = $2 order by m.sequence`,
      [who, tenant.projectId],
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
});
