/** Webhooks of the chat provider in the database: kept as they came, taken up oldest first, and given up when they cannot be worked through. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import {
  ChatappInbox,
  channelsWithWebhooks,
  type ChatappWebhook,
  failWebhook,
  finishWebhooks,
  openWebhooks,
} from '../../../storage/chatapp/inbox.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const now = Date.parse('2026-11-20T12:00:00Z');

const tenWebhooks = { webhooks: 10, bytes: 1_000 };

let requests = 0;

function webhook(channelId: string, body: Buffer): ChatappWebhook {
  return {
    // Ids of one millisecond have no order.
    requestId: newId('request', now + ++requests),
    projectId: newId('project'),
    environmentId: newId('environment'),
    channelId,
    wabaId: '1',
    phoneNumberId: '2',
    receivedAt: new Date(now),
    body,
  };
}

t.test('bytes are kept as they are, and those of one turn go together', async t => {
  const channelId = newId('channel');
  let statements = 0;
  const inbox = new ChatappInbox({
    query: (...asked) => {
      statements++;
      return database.query(...asked);
    },
  });
  const all = Array.from({ length: 40 }, (_, index) =>
    webhook(channelId, Buffer.from([0, 1, 0xff, 0x5c, 0x22, 0x27, index])),
  );
  await Promise.all(all.map(each => inbox.add(each)));
  t.equal(statements, 3, 'sixteen at a time');
  const read = (webhooks: number, bytes = 1_000) => openWebhooks(database, channelId, { webhooks, bytes });
  t.strictSame(await read(100), all, 'oldest first');
  t.strictSame(await read(2), all.slice(0, 2));
  t.strictSame(await read(100, 14), all.slice(0, 2), 'seven bytes each');
  t.strictSame(await read(100, 15), all.slice(0, 3));
  t.strictSame(await read(100, 1), all.slice(0, 1), 'one, however long it is');
});

t.test('what is finished is not taken up again', async t => {
  const channelId = newId('channel');
  const inbox = new ChatappInbox(database);
  const [first, second, third] = [
    webhook(channelId, Buffer.from('1')),
    webhook(channelId, Buffer.from('2')),
    webhook(channelId, Buffer.from('3')),
  ] as const;
  for (const each of [first, second, third]) await inbox.add(each);
  const threadIds = [newId('thread'), newId('thread')];
  await finishWebhooks(
    database,
    [
      { requestId: first.requestId, threadIds },
      { requestId: second.requestId, threadIds: [] },
    ],
    now,
  );
  t.same(
    (await openWebhooks(database, channelId, tenWebhooks)).map(({ requestId }) => requestId),
    [third.requestId],
  );
  t.same(
    await database.query(
      `select thread_ids as "threadIds" from chatapp_webhooks where channel_id = $1 order by request_id`,
      [channelId],
    ),
    [{ threadIds }, { threadIds: [] }, { threadIds: [] }],
  );
});

t.test('what fails again and again is given up', async t => {
  const channelId = newId('channel');
  const { requestId, ...rest } = webhook(channelId, Buffer.from('1'));
  await new ChatappInbox(database).add({ requestId, ...rest });
  const over: boolean[] = [];
  for (let failures = 0; failures < 5; failures++) {
    over.push(await failWebhook(database, requestId, 'why', now));
  }
  t.same(over, [false, false, false, false, true]);
  t.same(await openWebhooks(database, channelId, tenWebhooks), []);
  t.notOk((await channelsWithWebhooks(database, 1_000)).includes(channelId));
});

t.test('the channels that have open webhooks, page by page', async t => {
  const before = await channelsWithWebhooks(database, 1_000);
  const inbox = new ChatappInbox(database);
  const channels = Array.from({ length: 5 }, () => newId('channel'));
  for (const channelId of [...channels, ...channels]) await inbox.add(webhook(channelId, Buffer.from('1')));
  const all = [...before, ...channels].sort();
  t.same(await channelsWithWebhooks(database, 1_000), all);
  const page = await channelsWithWebhooks(database, 2);
  t.same(page, all.slice(0, 2));
  t.same(await channelsWithWebhooks(database, 2, page[1]), all.slice(2, 4));
});
