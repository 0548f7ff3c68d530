/** Files on a chatapp channel, both ways, and what erasing a participant leaves of them: over the API, on a whole node. */
import t from 'tap';
import { request } from 'undici';
import type { AttachmentLink, AttachmentUpload } from '../../protocol/resources/attachment.ts';
import type { Message } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import { silentLog } from '../../runtime/observability/log.ts';
import { erasePersonalData } from '../../storage/retention/erasures.ts';
import { shareChatapp } from '../gateway/handlers/chatapp-fixture.ts';
import type { ListOf } from '../node/client.ts';
import { columnsWith } from '../support/columns-with.ts';
import type { Json, PhoneNumber } from '../support/chatapp-provider/index.ts';
import { eventually } from '../support/eventually.ts';
import { testHash } from '../support/keyed-hash.ts';

const { provider, database, tenant, connected } = await shareChatapp(t);
const { projectId, key, person } = tenant;

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const ada = { phone: '15550100271828', name: 'Ada-271828', userId: 'US.Ada271828' };

/** Ada sends a picture; gives what the webhook says of it. */
async function sendPicture(number: PhoneNumber, bytes = png, more: Json = {}): Promise<string> {
  const image = { ...provider.media.add(bytes, 'image/png'), ...more };
  await provider.write(number, ada, { type: 'image', image });
  return image.id;
}

async function findMessages(channelId: string): Promise<readonly Message[]> {
  const [thread] = await person.all<Thread>('listThreads', { query: { projectId, channelId } });
  if (thread === undefined) return [];
  const { threadId } = thread;
  return key.all<Message>('listMessages', { params: { threadId }, query: { order: 'asc' } });
}

/** The message whose file the provider has by that id, once it is known what became of it. */
async function settled(channelId: string, providerMediaId: string): Promise<Message> {
  let found: Message | undefined;
  await eventually('the file is settled', async () => {
    const messages = await findMessages(channelId);
    found = messages.find(({ attachments: [file] }) => file?.providerMediaId === providerMediaId);
    return found?.attachments[0]?.status !== 'pending' && found !== undefined;
  });
  if (found === undefined) throw new Error('there is no such message');
  return found;
}

async function listUpdates(threadId: string): Promise<readonly Message[]> {
  const { data } = await person.get<ListOf<{ data: { message: Message } }>>('listEvents', {
    query: { projectId, threadId, eventName: 'thread.message.updated' },
  });
  return data.map(({ data: { message } }) => message);
}

async function read(attachmentId = ''): Promise<Buffer> {
  const { url } = await key.get<AttachmentLink>('getAttachmentUrl', { params: { attachmentId } });
  return Buffer.from(await (await request(url)).body.arrayBuffer());
}

t.test('a picture is kept here, and an event says so', async t => {
  const { channelId, number } = await connected();
  const message = await settled(channelId, await sendPicture(number, png, { caption: 'My cat' }));
  const [file] = message.attachments;
  t.match(file, { kind: 'image', status: 'ready', mimeType: 'image/png', sizeBytes: png.length });
  t.equal(message.body, 'My cat');
  t.ok((await read(file?.attachmentId)).equals(png));
  t.strictSame(await listUpdates(message.threadId), [message]);
  const rows = await database.query('select from chatapp_files where channel_id = $1', [channelId]);
  t.equal(rows.length, 0);
});

t.test('one that is not what the provider says has failed, and its message stays', async t => {
  const { channelId, number } = await connected();
  const page = Buffer.from('<!doctype html><title>Sign in</title>');
  const message = await settled(channelId, await sendPicture(number, page));
  t.match(message.attachments, [
    { status: 'failed', reason: 'The file is not what the provider says: image/png.' },
  ]);
  t.strictSame(await listUpdates(message.threadId), [message]);
  const { attachmentId = '' } = message.attachments[0] ?? {};
  t.equal((await key.ask('getAttachmentUrl', { params: { attachmentId } })).status, 404);
});

t.test('a document whose name says something else is kept all the same', async t => {
  const { channelId, number } = await connected();
  const page = Buffer.from('<!doctype html><title>Sign in</title>');
  const document = { ...provider.media.add(page, 'image/png'), filename: 'cat.png' };
  await provider.write(number, ada, { type: 'document', document });
  const { attachments } = await settled(channelId, document.id);
  t.match(attachments, [{ kind: 'document', status: 'ready', mimeType: 'application/octet-stream' }]);
  t.ok((await read(attachments[0]?.attachmentId)).equals(page));
});

t.test('a file that the provider does not give out keeps no other one waiting', async t => {
  const { channelId, number } = await connected();
  const hanging = provider.media.add(png, 'image/png');
  provider.faults.script(hanging.id, { kind: 'hang' });
  await provider.write(number, ada, { type: 'image', image: hanging });
  await eventually('it hangs', () => Promise.resolve(provider.requests.includes(`GET /${hanging.id}`)));
  const { attachments } = await settled(channelId, await sendPicture(number));
  t.match(attachments, [{ status: 'ready' }]);
  const first = (await findMessages(channelId)).find(
    ({ attachments: [file] }) => file?.providerMediaId === hanging.id,
  );
  t.match(first?.attachments, [{ status: 'pending' }]);
});

t.test('a file that a crash has left in the store is not fetched again', async t => {
  const { channelId, number } = await connected();
  const id = await sendPicture(number);
  const { messageId, threadId, attachments } = await settled(channelId, id);
  const { attachmentId } = attachments[0] ?? {};
  // As if its thread had not been told.
  const { sizeBytes: _size, storageKey: _key, ...pending } = { ...attachments[0], status: 'pending' };
  await database.query('update messages set attachments = $2 where message_id = $1', [
    messageId,
    JSON.stringify([pending]),
  ]);
  await database.query(
    `insert into chatapp_files (attachment_id, project_id, environment_id, channel_id, thread_id, message_id, provider_media_id, mime_type,
       created_at, next_at) values ($1, $2, $3, $4, $5, $6, $7, 'image/png', now(), now())`,
    [attachmentId, projectId, tenant.environmentId, channelId, threadId, messageId, id],
  );
  const asked = (): number => provider.requests.filter(each => each === `GET /${id}`).length;
  t.equal(asked(), 1);
  // Another file wakes the channel's task.
  await sendPicture(number);
  t.strictSame((await settled(channelId, id)).attachments, attachments);
  t.equal(asked(), 1);
});

/** A file of ours, uploaded. */
async function upload(bytes: Buffer, mimeType: string): Promise<string> {
  const { attachmentId, uploadUrl } = await key.get<AttachmentUpload>('createAttachment', {
    body: { projectId, filename: 'answer', mimeType, sizeBytes: bytes.length },
  });
  const { statusCode } = await request(uploadUrl, { method: 'PUT', body: bytes });
  if (statusCode !== 204) throw new Error(`${statusCode}`);
  return attachmentId;
}

t.test('a file of ours goes to the provider, and then its message', async t => {
  const { channelId, number } = await connected();
  const { threadId } = await settled(channelId, await sendPicture(number));
  const attachments = [{ kind: 'image', attachmentId: await upload(png, 'image/png') }];
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  provider.routes.unshift(async ({ path }) => {
    if (path[0] !== number.id || path[1] !== 'media') return undefined;
    arrived.resolve();
    await released.promise;
    return undefined;
  });
  const { messageId } = await key.get<Message>('createMessage', {
    params: { threadId },
    body: { projectId, body: 'Here it is', attachments },
  });
  await arrived.promise;
  const sends = await database.query('select status from chatapp_sends where message_id = $1', [messageId]);
  t.strictSame(sends, [{ status: 'queued' }], 'a node that ends now has sent nothing');
  released.resolve();
  const listSent = () => provider.messages.sent.filter(({ callbackData }) => callbackData === messageId);
  await eventually('sent', () => Promise.resolve(listSent().length > 0));
  t.match(listSent(), [{ type: 'image', message: { image: { id: /^20/, caption: 'Here it is' } } }]);
  t.equal(provider.requests.filter(each => each === `POST /${number.id}/media`).length, 1);
});

t.test('a file that cannot be given to the provider holds back its own message alone', async t => {
  const { channelId, number } = await connected();
  const { threadId } = await settled(channelId, await sendPicture(number));
  await provider.write(number, { phone: '15550199' }, { type: 'text', text: { body: 'Hello' } });
  const find = async () =>
    (await person.all<Thread>('listThreads', { query: { projectId, channelId } })).find(
      ({ externalRef }) => externalRef === '15550199',
    );
  await eventually('thread', async () => (await find()) !== undefined);
  // Each attempt tries it twice, first before it claims the message.
  for (let times = 0; times < 20; times++) provider.faults.script('media', { kind: 'lost' });
  const attachments = [{ kind: 'image', attachmentId: await upload(png, 'image/png') }];
  const { messageId } = await key.get<Message>('createMessage', {
    params: { threadId },
    body: { projectId, body: 'Here it is', attachments },
  });
  const read = async () =>
    (
      await database.query<{ status: string; attempts: number; waits: boolean }>(
        'select status, attempts, next_at > now() as waits from chatapp_sends where message_id = $1',
        [messageId],
      )
    )[0];
  await eventually('third attempt', async () => {
    const row = await read();
    return row?.attempts === 3 && row.status === 'queued';
  });
  const { messageId: other } = await key.get<Message>('createMessage', {
    params: { threadId: (await find())?.threadId ?? '' },
    body: { projectId, body: 'Hello' },
  });
  await eventually('other message', () =>
    Promise.resolve(provider.messages.sent.some(({ callbackData }) => callbackData === other)),
  );
  t.match(await read(), { status: 'queued', attempts: 3, waits: true });
  provider.faults.forget('media');
});

t.test('a file that the provider has forgotten is given to it once more', async t => {
  const { channelId, number } = await connected();
  const { threadId } = await settled(channelId, await sendPicture(number));
  const attachments = [{ kind: 'image', attachmentId: await upload(png, 'image/png') }];
  provider.faults.script('messages', { kind: 'error', code: 131_053 });
  const { messageId } = await key.get<Message>('createMessage', {
    params: { threadId },
    body: { projectId, body: 'Here it is', attachments },
  });
  await eventually('sent', () =>
    Promise.resolve(provider.messages.sent.some(({ callbackData }) => callbackData === messageId)),
  );
  t.equal(provider.requests.filter(each => each === `POST /${number.id}/media`).length, 2);
});

t.test('a file that the provider would refuse is refused before anything is stored', async t => {
  const { channelId, number } = await connected();
  const { threadId } = await settled(channelId, await sendPicture(number));
  const attachments = [{ kind: 'image', attachmentId: await upload(png, 'image/gif') }];
  const asked = { params: { threadId }, body: { projectId, body: 'Here it is', attachments } };
  t.match(await key.ask('createMessage', asked), {
    status: 422,
    body: { details: { issues: [{ path: '/body/attachments/0/mimeType', code: 'enum' }] } },
  });
  t.equal((await findMessages(channelId)).length, 1);
});

t.test('erasing a participant leaves nothing of them, and what has not left does not leave', async t => {
  const { channelId, number } = await connected();
  const { threadId, messageId } = await settled(
    channelId,
    await sendPicture(number, png, { caption: ada.name }),
  );
  // Too often for as long as the test takes.
  for (let times = 0; times < 5; times++)
    provider.faults.script('messages', { kind: 'error', code: 131_056 });
  const attachments = [{ kind: 'image', attachmentId: await upload(png, 'image/png') }];
  const reply = await key.get<Message>('createMessage', {
    params: { threadId },
    body: { projectId, body: `Dear ${ada.name}`, attachments },
  });
  const hasUpload = async (): Promise<boolean> => {
    const query = 'select from chatapp_uploads where phone_number_id = $1';
    return (await database.query(query, [number.id])).length > 0;
  };
  const isWaiting = async (): Promise<boolean> => {
    const query = `select from chatapp_sends where message_id = $1 and status = 'queued' and attempts > 0`;
    return (await database.query(query, [reply.messageId])).length > 0;
  };
  await eventually('refused for now', isWaiting);
  t.ok(await hasUpload());
  const traces = [ada.name, ada.phone, ada.userId];
  await database.query('update messages set failure = $2 where message_id = $1', [
    messageId,
    JSON.stringify({ message: `${ada.name} is unknown` }),
  ]);
  const places = (await Promise.all(traces.map(trace => columnsWith(database, trace)))).flat();
  for (const place of [
    'messages.details',
    'messages.failure',
    'threads.participant',
    'chatapp_aliases.alias',
  ]) {
    t.ok(places.includes(place), `it is in ${place}`);
  }
  // The other tests' threads are Ada's, too.
  const threads = await person.all<Thread>('listThreads', { query: { projectId } });
  for (const thread of threads)
    await person.get('erasePersonalData', { params: { threadId: thread.threadId } });
  await erasePersonalData({ database, hash: testHash, log: silentLog }, Date.now());
  await erasePersonalData({ database, hash: testHash, log: silentLog }, Date.now() + 600_000);
  for (const trace of traces) t.strictSame(await columnsWith(database, trace), [], trace);
  t.notOk(await hasUpload());
  // One that was leaving at that moment finds nobody to go to.
  await eventually(
    'nothing leaves any more',
    async () =>
      (await database.query('select from chatapp_sends where channel_id = $1', [channelId])).length === 0,
  );
  t.notOk(provider.messages.sent.some(({ callbackData }) => callbackData === reply.messageId));
  const [inbound, outbound] = await findMessages(channelId);
  t.match(inbound, { messageId, body: '', attachments: [] });
  t.match(outbound, { messageId: reply.messageId, status: 'failed', body: '', attachments: [] });
  const stored = await database.query(
    `select from attachments where thread_id = $1 and (status <> 'erased' or provider_media_id is not null)`,
    [threadId],
  );
  t.equal(stored.length, 0);
});
