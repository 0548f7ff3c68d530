/** Personal data and its end, on a whole node with its database: decisions sections 2 and 9. */
import t from 'tap';
import type { Message } from '../../protocol/resources/message.ts';
import type { ThreadNote } from '../../protocol/resources/note.ts';
import type { PersonalDataErasure } from '../../protocol/resources/privacy.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import { silentLog } from '../../runtime/log.ts';
import { erasePersonalData } from '../../storage/erasures.ts';
import type { ListOf, Refusal } from '../node/client.ts';
import { newKey, newStitch, type Tenant } from '../node/tenant.ts';
import { receiverFor, StitchService } from './stitch-fixture.ts';

const service = await StitchService.start(t);
const { database } = service;

const erase = ({ person }: Tenant, threadId: string) =>
  person.get<PersonalDataErasure>('erasePersonalData', { params: { threadId } });

/** Writes as the participant, whose name is their reference. */
function write({ key, projectId, channelId }: Tenant, name: string, text: string): Promise<Message> {
  return key.get<Message>('createInboundMessage', {
    params: { channelId },
    body: { projectId, body: text, externalParticipantRef: name, metadata: { from: name } },
  });
}

/** The tables in which a text is to be found, anywhere in any row. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await database.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await database.query(
      `select 1 from ${name} t where strpos(t::text, $1) > 0 or strpos(encode(convert_to(t::text, 'UTF8'), 'escape'), $1) > 0 limit 1`,
      [text],
    );
    if (rows.length > 0) found.push(name);
  }
  return found;
}

t.test('nothing of the participant is left anywhere', async t => {
  const tenant = await service.tenant();
  const { key, person, projectId } = tenant;
  const receiver = await receiverFor(t);
  const { stitchId } = await newStitch(tenant, receiver.url());
  const name = 'Maria-48151623';
  const { threadId, messageId } = await write(tenant, name, `I am ${name}`);
  const params = { threadId };
  await key.get('createMessage', {
    params,
    body: { projectId, body: `Dear ${name}`, direction: 'outbound' },
  });
  await key.get('updateThread', { params, body: { projectId, tags: [name], customFields: { name } } });
  const note = await person.get<ThreadNote>('createNote', { params, body: { projectId, body: `${name}!` } });
  t.match(note, { threadId });
  await service.deliveries(key, { projectId, stitchId, status: 'delivered' }, 7);
  await database.query(
    `insert into attachments (attachment_id, project_id, environment_id, thread_id, message_id, status, filename, mime_type, size_bytes, storage_key, created_at)
     select 'att_1', project_id, environment_id, thread_id, message_id, 'stored', $2, 'text/plain', 1, 'somewhere', created_at
     from messages where message_id = $1`,
    [messageId, 'photo.jpg'],
  );
  await database.query(`update webhook_attempts set response_body = $1`, [`thanks for ${name}`]);
  t.ok((await tablesWith(name)).length >= 5, 'it is all over the place');

  const asked = await erase(tenant, threadId);
  t.equal(asked.threadId, threadId);
  const thread = await key.get<Thread>('getThread', { params });
  t.match(
    thread,
    { externalRef: null, tags: [], customFields: {}, metadata: {} },
    'the thread forgets at once',
  );
  await erasePersonalData(database, silentLog);

  t.same(await tablesWith(name), []);
  t.same(await database.query('select 1 from erasures'), []);
  t.same(await database.query(`select status from attachments where attachment_id = 'att_1'`), [
    { status: 'erased' },
  ]);
  const { data } = await key.get<ListOf<Message>>('listMessages', { params, query: { order: 'asc' } });
  t.same(
    data.map(({ body, attachments, metadata, externalMessageId }) => [
      body,
      attachments,
      metadata,
      externalMessageId,
    ]),
    [
      ['', [], {}, null],
      ['', [], {}, null],
    ],
  );
  t.same((await key.get<ListOf<ThreadNote>>('listNotes', { params })).data, []);
});

t.test('events keep their envelope, their place and the shape of what they are about', async t => {
  const tenant = await service.tenant();
  const { key, projectId, environmentId, channelId } = tenant;
  const { threadId, messageId } = await write(tenant, 'Jan-2718', 'my number is 2718');
  await erase(tenant, threadId);
  await erasePersonalData(database, silentLog);
  const { data } = await key.get<ListOf<Record<string, unknown>>>('listEvents', {
    query: { projectId, threadId },
  });
  t.same(
    data.map(event => event['eventName']),
    ['thread.lifecycle.erased', 'thread.message.received', 'thread.lifecycle.created'],
  );
  const [erased, received] = data;
  t.match(erased, { data: { thread: { externalRef: null, sequence: 3 }, sequence: 3 } });
  t.match(received, {
    ...{ projectId, eventId: /^evt_/, occurredAt: /^\d{4}-.*Z$/, apiVersion: /^\d{4}-/ },
    data: {
      ...{ environmentId, threadId, channelId, sequence: 2, erased: true },
      actor: { type: 'contact', id: threadId },
      message: { messageId, threadId, direction: 'inbound', body: '', metadata: {}, sequence: 2 },
    },
  });
});

t.test('a participant who writes again has a name again, and the thread a past', async t => {
  const tenant = await service.tenant();
  const { key } = tenant;
  const name = 'Ana-31415';
  const { threadId } = await write(tenant, name, 'first');
  await erase(tenant, threadId);
  const again = await write(tenant, name, 'second');
  t.equal(again.threadId, threadId, 'the identity is the same');
  await erasePersonalData(database, silentLog);
  const params = { threadId };
  t.match(await key.get<Thread>('getThread', { params }), { externalRef: name });
  const { data } = await key.get<ListOf<Message>>('listMessages', { params, query: { order: 'asc' } });
  t.same(
    data.map(message => message.body),
    ['', 'second'],
  );
  const [row] = await database.query('select external_ref from threads where thread_id = $1', [threadId]);
  t.same(row, { external_ref: name }, 'kept, too');
});

t.test('asked twice it is done twice, to the newest event', async t => {
  const tenant = await service.tenant();
  const { threadId } = await write(tenant, 'Eve-16180', 'one');
  await erase(tenant, threadId);
  await write(tenant, 'Eve-16180', 'two');
  await erase(tenant, threadId);
  await Promise.all([erasePersonalData(database, silentLog), erasePersonalData(database, silentLog)]);
  t.same(await tablesWith('Eve-16180'), []);
});

t.test('for developers and keys that write threads, in their own environment', async t => {
  const tenant = await service.tenant();
  const stranger = await service.tenant();
  const { threadId } = await write(tenant, 'Bob', 'hello');
  const params = { threadId };
  for (const by of [stranger.person, stranger.key]) {
    const reply = await by.ask<Refusal>('erasePersonalData', { params });
    t.match(reply, { status: 404, body: { error: 'svc/runtime/not_found' } });
  }
  await service.production(tenant);
  const { key: live } = await newKey(tenant.person, tenant.projectId, 'live');
  t.equal((await live.ask('erasePersonalData', { params })).status, 404);
  t.equal((await tenant.key.ask('erasePersonalData', { params })).status, 202);
});
