/** Webhooks of the chat provider in the database: kept as they came, processed oldest first, and given up when an actor refuses them. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import {
  ChatappInbox,
  channelsWithWebhooks,
  failWebhook,
  finishWebhooks,
  type NewChatappWebhook,
  openWebhooks,
} from '../../../storage/chatapp/inbox.ts';
import { type ChatappWebhook, RecentWebhooks } from '../../../storage/chatapp/recent-webhooks.ts';
import type { Queries } from '../../../storage/database/index.ts';
import { toParameters } from '../../../storage/statements/parameters.ts';
import { reopenWebhook } from '../../../storage/writes/webhooks.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);
const now = Date.parse('2026-11-20T12:00:00Z');

const tenWebhooks = { webhooks: 10, bytes: 1_000, now };

let requests = 0;

function webhook(channelId: string, body: Buffer): NewChatappWebhook {
  return {
    // Ids of one millisecond have no order.
    requestId: newId('request', now + ++requests),
    projectId: newId('project'),
    environmentId: newId('environment'),
    channelId,
    wabaId: '1',
    phoneNumberId: '2',
    receivedAt: new Date(now),
    threadIds: [newId('thread'), newId('thread')],
    body,
  };
}

/** As it is read. */
function toRead({ requestId, wabaId, phoneNumberId, receivedAt, body }: NewChatappWebhook): ChatappWebhook {
  return { requestId, wabaId, phoneNumberId, receivedAt, body };
}

t.test('bytes are kept as they are, and those that come while others are written go together', async t => {
  const channelId = newId('channel');
  let statements = 0;
  const told: string[] = [];
  const counting: Queries = {
    query: (...asked) => {
      statements++;
      return database.query(...asked);
    },
  };
  const inbox = new ChatappInbox(counting, new RecentWebhooks(), each => told.push(each));
  const all = Array.from({ length: 40 }, (_, index) =>
    webhook(channelId, Buffer.from([0, 1, 0xff, 0x5c, 0x22, 0x27, index])),
  );
  const added = all.slice(0, 1).map(each => inbox.add(each));
  await new Promise(resolve => setImmediate(resolve));
  t.equal(statements, 1);
  added.push(...all.slice(1).map(each => inbox.add(each)));
  await Promise.all(added);
  t.equal(statements, 2);
  t.same(told, [channelId, channelId], 'once for each statement');
  const read = (webhooks: number, bytes = 1_000) =>
    openWebhooks(database, new RecentWebhooks(), channelId, { webhooks, bytes, now });
  t.strictSame(await read(100), all.map(toRead), 'oldest first');
  t.strictSame(await read(2), all.slice(0, 2).map(toRead));
  t.strictSame(await read(100, 14), all.slice(0, 2).map(toRead), 'seven bytes each');
  t.strictSame(await read(100, 15), all.slice(0, 3).map(toRead));
  t.strictSame(await read(100, 1), all.slice(0, 1).map(toRead), 'one, however long it is');
});

t.test('a statement has so many, and so many bytes, and one however long it is', async t => {
  const channelId = newId('channel');
  const batches: number[] = [];
  const counting: Queries = {
    query: async (...asked) => {
      const rows = await database.query<never>(...asked);
      const [row] = await database.query<{ open: number }>(
        'select count(*)::int as open from chatapp_open_webhooks where channel_id = $1',
        [channelId],
      );
      batches.push((row?.open ?? 0) - batches.reduce((sum, count) => sum + count, 0));
      return rows;
    },
  };
  const inbox = new ChatappInbox(counting, new RecentWebhooks(), () => undefined);
  const mebibytes = (count: number) => webhook(channelId, Buffer.alloc(count * 1_048_576));
  const long = [5, 3, 1, 1, 5, 2].map(mebibytes);
  const short = Array.from({ length: 600 }, () => webhook(channelId, Buffer.from('1')));
  await Promise.all([...long, ...short].map(each => inbox.add(each)));
  t.same(batches, [1, 2, 1, 1, 500, 101]);
});

t.test('where the database fails, nobody is told that it is kept, and the next ones are', async t => {
  const channelId = newId('channel');
  let fails = true;
  const told: string[] = [];
  const failing: Queries = {
    query: (...asked) => (fails ? Promise.reject(new Error('gone')) : database.query(...asked)),
  };
  const inbox = new ChatappInbox(failing, new RecentWebhooks(), each => told.push(each));
  const refused = [1, 2].map(() => inbox.add(webhook(channelId, Buffer.from('1'))));
  t.same(
    (await Promise.allSettled(refused)).map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  t.same(told, []);
  fails = false;
  const kept = webhook(channelId, Buffer.from('2'));
  await inbox.add(kept);
  t.strictSame(await openWebhooks(database, new RecentWebhooks(), channelId, tenWebhooks), [toRead(kept)]);
});

t.test('what is finished is kept, and not taken up again', async t => {
  const channelId = newId('channel');
  const inbox = new ChatappInbox(database, new RecentWebhooks(), () => undefined);
  const all = ['1', '2', '3'].map(body => webhook(channelId, Buffer.from(body)));
  for (const each of all) await inbox.add(each);
  const ids = all.map(({ requestId }) => requestId);
  await finishWebhooks(database, newId('channel'), ids);
  t.equal(
    (await openWebhooks(database, new RecentWebhooks(), channelId, tenWebhooks)).length,
    3,
    'they are of another channel',
  );
  await finishWebhooks(database, channelId, ids.slice(0, 2));
  t.strictSame(
    await openWebhooks(database, new RecentWebhooks(), channelId, tenWebhooks),
    all.slice(2).map(toRead),
  );
  const kept = await database.query('select from chatapp_webhooks where channel_id = $1', [channelId]);
  t.equal(kept.length, 3);
});

t.test('a webhook that is refused again and again is given up, and can be opened again', async t => {
  const channelId = newId('channel');
  const { requestId, ...rest } = webhook(channelId, Buffer.from('1'));
  await new ChatappInbox(database, new RecentWebhooks(), () => undefined).add({ requestId, ...rest });
  const states: unknown[] = [];
  for (let failures = 0; failures < 13; failures++) {
    const failure = { error: 'why', isRefusal: failures >= 8, now };
    states.push((await failWebhook(database, channelId, requestId, failure))?.state);
  }
  t.same(states, [
    ...Array.from({ length: 6 }, () => 'held'),
    ...Array.from({ length: 6 }, () => 'isolated'),
    'given_up',
  ]);
  const read = () => openWebhooks(database, new RecentWebhooks(), channelId, tenWebhooks);
  t.same(await read(), []);
  t.notOk((await channelsWithWebhooks(database, 1_000)).includes(channelId));
  t.equal(await failWebhook(database, channelId, requestId, { error: '', isRefusal: true, now }), undefined);
  const reopen = async (id: string) => {
    const { statement, values } = reopenWebhook(channelId, id);
    await database.query(statement.text, toParameters(statement, [values]));
  };
  await reopen(newId('request'));
  t.same(await read(), [], 'another one is unknown');
  await reopen(requestId);
  await reopen(requestId);
  t.same((await read()).length, 1);
});

t.test('what this node has just stored is not read again, and is given once', async t => {
  const channelId = newId('channel');
  const recent = new RecentWebhooks();
  const inbox = new ChatappInbox(database, recent, () => undefined);
  const read: string[] = [];
  const counting: Queries = {
    query: (text, values, name) => {
      read.push(name ?? '');
      return database.query(text, values, name);
    },
  };
  const open = () => openWebhooks(counting, recent, channelId, tenWebhooks);
  const first = webhook(channelId, Buffer.from('1'));
  await inbox.add(first);
  await new ChatappInbox(database, new RecentWebhooks(), () => undefined).add(
    webhook(channelId, Buffer.from('2')),
  );
  const third = webhook(channelId, Buffer.from('3'));
  await inbox.add(third);
  const found = await open();
  t.same(
    found.map(({ body }) => Buffer.from(body).toString()),
    ['1', '2', '3'],
  );
  t.equal(found[0]?.body, first.body);
  t.equal(found[2]?.body, third.body);
  t.same(read, ['chatapp_webhooks.open', 'chatapp_webhooks.read']);
  t.not((await open())[0]?.body, first.body, 'after a failure what is stored counts');
});

t.test('older ones make room', t => {
  const recent = new RecentWebhooks();
  const mebibyte = () => webhook('ch', Buffer.alloc(1_048_576));
  const all = Array.from({ length: 5 }, mebibyte);
  for (const each of all) recent.add(each);
  t.same(
    all.map(({ requestId }) => recent.take(requestId) !== undefined),
    [false, true, true, true, true],
  );
  t.equal(recent.take(all[1]?.requestId ?? ''), undefined);
  recent.add(webhook('ch', Buffer.alloc(5_000_000)));
  const small = webhook('ch', Buffer.from('1'));
  recent.add(small);
  t.equal(recent.take(small.requestId), small);
  t.end();
});

t.test('the channels that have open webhooks, page by page', async t => {
  const before = await channelsWithWebhooks(database, 1_000);
  const inbox = new ChatappInbox(database, new RecentWebhooks(), () => undefined);
  const channels = Array.from({ length: 5 }, () => newId('channel'));
  for (const channelId of [...channels, ...channels]) await inbox.add(webhook(channelId, Buffer.from('1')));
  const all = [...before, ...channels].sort();
  t.same(await channelsWithWebhooks(database, 1_000), all);
  const page = await channelsWithWebhooks(database, 2);
  t.same(page, all.slice(0, 2));
  t.same(await channelsWithWebhooks(database, 2, page[1]), all.slice(2, 4));
});
