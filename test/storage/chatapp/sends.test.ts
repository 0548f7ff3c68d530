/** Messages that wait for the chat provider: claimed by one winner, in the order of each thread. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import {
  channelsWithSends,
  claimSend,
  dropSend,
  dueSends,
  markUnknown,
  nextSendAt,
  oldestSends,
  postponeSend,
  requeueSend,
} from '../../../storage/chatapp/sends.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const start = Date.parse('2026-11-20T12:00:00Z');
const tenancy = { projectId: newId('project'), environmentId: newId('environment') };

class Channel {
  readonly channelId = newId('channel');

  /** A thread with that many queued messages; gives their ids. */
  async thread(count: number, now = start): Promise<string[]> {
    const threadId = newId('thread');
    await database.query(
      `insert into threads (thread_id, project_id, environment_id, channel_id, external_ref, status, last_message_at, active_second,
         created_at, updated_at, state, version, participant)
       values ($1, $2, $3, $4, '15550100', 'open', now(), 0, now(), now(), '{}', 1, '{"attributes": {"phone": "15550100"}}')`,
      [threadId, tenancy.projectId, tenancy.environmentId, this.channelId],
    );
    const ids = Array.from({ length: count }, () => newId('message'));
    for (const [index, messageId] of ids.entries()) {
      const values = [
        messageId,
        tenancy.projectId,
        tenancy.environmentId,
        threadId,
        this.channelId,
        index + 1,
      ];
      await database.query(
        `insert into messages (message_id, project_id, environment_id, thread_id, channel_id, sequence, direction, body, status,
           attachments, metadata, actor, created_at, updated_at, details)
         values ($1, $2, $3, $4, $5, $6, 'outbound', 'Hello', 'queued', '[]', '{}', '{}', now(), now(), $7)`,
        [
          ...values,
          index === 0 ? null : JSON.stringify({ replyTo: { messageId: ids[0], externalMessageId: null } }),
        ],
      );
      await database.query(
        `insert into chatapp_sends (message_id, project_id, environment_id, thread_id, channel_id, sequence, status, created_at, next_at)
         values ($1, $2, $3, $4, $5, $6, 'queued', $7, $7)`,
        [...values, new Date(now)],
      );
    }
    return ids;
  }

  async due(now = start, queued = true): Promise<string[]> {
    const found = await dueSends(database, this.channelId, { now, queued, limit: 100 });
    return found.map(({ messageId }) => messageId).sort();
  }

  async claim(messageId: string, now = start, accessToken = 'sealed') {
    const { channelId } = this;
    await this.connect();
    const times = { now, until: now + 60_000, nextAt: now + 6_000 };
    return claimSend(database, { messageId, channelId, accessToken, ...times });
  }

  async connect(status = 'connected'): Promise<void> {
    await database.query(
      `insert into channels (channel_id, project_id, environment_id, name, kind, status, created_at, updated_at, state, version, chatapp)
       values ($1, $2, $3, 'Chat', 'chatapp', $4, now(), now(), '{}', 1, '{"connection": {"accessToken": "sealed"}}')
       on conflict (channel_id) do nothing`,
      [this.channelId, tenancy.projectId, tenancy.environmentId, status],
    );
  }
}

t.test('of many who claim a message one wins, and gets what there is to send', async t => {
  const channel = new Channel();
  const [first = '', second = ''] = await channel.thread(2);
  const claims = await Promise.all(Array.from({ length: 20 }, () => channel.claim(first)));
  const won = claims.filter(claim => claim !== undefined);
  t.equal(won.length, 1);
  t.match(won[0], {
    ...tenancy,
    messageId: first,
    attempts: 1,
    body: 'Hello',
    externalRef: '15550100',
    participant: { attributes: { phone: '15550100' } },
    targetId: null,
  });
  t.equal(await channel.claim(second), undefined, 'it is not its turn');
  t.same(await channel.due(start + 59_999), []);
  t.same(await channel.due(start + 60_000), [first], 'whoever has claimed it has gone');
});

t.test('threads do not wait for each other, and a message waits for those before it', async t => {
  const channel = new Channel();
  const [first = '', second = ''] = await channel.thread(2);
  const [other = ''] = await channel.thread(1);
  t.same(await channel.due(), [first, other].sort());
  await channel.claim(first);
  const refusal = { code: '130429', message: 'Too many' };
  await requeueSend(database, { messageId: first, attempts: 1 }, start + 1_000, refusal);
  t.same(await channel.due(), [other]);
  t.same(await channel.due(start + 1_000), [first, other].sort());
  t.equal((await channel.claim(first, start + 1_000))?.attempts, 2);
  await requeueSend(database, { messageId: first, attempts: 1 }, start, refusal);
  t.equal(await channel.claim(first, start + 1_000), undefined, 'what is said of one claim changes no other');
  await database.query('update messages set external_message_id = $2 where message_id = $1', [
    first,
    'wamid.1',
  ]);
  await dropSend(database, first);
  t.same(await channel.due(start + 6_999), [other], 'the pair has its pace');
  t.equal(
    (await channel.claim(second, start + 7_000))?.targetId,
    'wamid.1',
    'what it answers has left by now',
  );
});

t.test('one whose outcome is unknown holds nobody, and is nobody’s to send', async t => {
  const channel = new Channel();
  const [first = '', second = ''] = await channel.thread(2);
  await channel.claim(first);
  await markUnknown(database, first, start + 600_000, { message: 'No answer' });
  t.same(await channel.due(start + 6_000), [second]);
  t.equal(await channel.claim(first, start + 6_000), undefined);
  await requeueSend(database, { messageId: first, attempts: 1 }, start, {
    message: 'An answer that is late',
  });
  t.match(await dueSends(database, channel.channelId, { now: start + 600_000, queued: false, limit: 10 }), [
    { messageId: first, status: 'unknown', error: { message: 'No answer' } },
  ]);
});

t.test('it is known when the next one is due, and which have waited longest', async t => {
  const channel = new Channel();
  t.equal(await nextSendAt(database, channel.channelId, { queued: true }), undefined);
  const [first = '', second = ''] = await channel.thread(2);
  const [other = ''] = await channel.thread(1, start - 5_000);
  await postponeSend(database, first, start + 3_000);
  await postponeSend(database, other, start + 4_000);
  t.equal(
    await nextSendAt(database, channel.channelId, { queued: true }),
    start + 3_000,
    'not that of the second',
  );
  t.equal(await nextSendAt(database, channel.channelId, { queued: false }), undefined);
  const oldest = await oldestSends(database, channel.channelId, 10);
  t.same(
    oldest.map(({ messageId }) => messageId),
    [other, first, second],
  );
});

t.test('the channels that have something due', async t => {
  const [past, future] = [new Channel(), new Channel()];
  await past.thread(2);
  await future.thread(1, Date.now() + 3_600_000);
  const found = await channelsWithSends(database, 1_000);
  t.ok(found.includes(past.channelId));
  t.notOk(found.includes(future.channelId));
  t.same(found, [...found].sort());
  t.notOk((await channelsWithSends(database, 1_000, past.channelId)).includes(past.channelId));
});

t.test('a channel that has lost the connection claims nothing for it', async t => {
  const [lost, other] = [new Channel(), new Channel()];
  const [first = ''] = await lost.thread(1);
  await lost.connect('disconnected');
  t.equal(await lost.claim(first), undefined);
  const [second = ''] = await other.thread(1);
  t.equal(await other.claim(second, start, 'of an earlier one'), undefined);
  t.match(await other.claim(second), { messageId: second, error: null });
});
