/** Erasure of personal data, on a whole node with its database (docs/operate/privacy-and-erasure.md). */
import t from 'tap';
import { request } from 'undici';
import { operations, type OperationId } from '../../../protocol/operations/table.ts';
import type { AttachmentUpload } from '../../../protocol/resources/attachment.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import type { ThreadNote } from '../../../protocol/resources/note.ts';
import type { PersonalDataErasure, PersonalDataRecord } from '../../../protocol/resources/privacy.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { newId } from '../../../protocol/ids.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemRandom, type Random } from '../../../runtime/time/clock.ts';
import { followEvents } from '../../../storage/search/follow.ts';
import { erasePersonalData } from '../../../storage/retention/erasures.ts';
import type { Asked, Client, ListOf } from '../../node/client.ts';
import { columnsWith } from '../../support/columns-with.ts';
import { eventually } from '../../support/eventually.ts';
import { newStitch, type Tenant } from '../../node/tenant.ts';
import { answer, startReceiver } from '../../support/receiver.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein.ts';
import { testHash } from '../../support/keyed-hash.ts';

const { database, url } = await startTestDatabase(t);
const hourMs = 3_600_000;
// The test itself runs the erasures.
const options = { sweepEveryMs: hourMs };
const skein = await startSkeinOn(t, url, { ALLOW_PRIVATE_ADDRESSES: 'true' }, options);

const erase = ({ person }: Tenant, threadId: string) =>
  person.get<PersonalDataErasure>('erasePersonalData', { params: { threadId } });

/** Writes as the participant, whose name is their reference. */
function write({ key, projectId, channelId }: Tenant, name: string, text: string): Promise<Message> {
  return key.get<Message>('createInboundMessage', {
    params: { channelId },
    body: { projectId, body: text, externalParticipantRef: name, metadata: { from: name } },
  });
}

/** Erases what is due, now and when all that was under way is over. */
async function eraseNowAndLater(): Promise<void> {
  await erasePersonalData({ database, hash: testHash, log: silentLog }, Date.now());
  await erasePersonalData({ database, hash: testHash, log: silentLog }, Date.now() + 601_000);
}

/** What of a thread can be searched for: sequences of messages, and 0 for the name. */
async function listWords(threadId: string): Promise<readonly number[]> {
  const text = `select sequence::float8 as sequence from message_words where thread_id = $1 order by 1`;
  return (await database.query<{ sequence: number }>(text, [threadId])).map(({ sequence }) => sequence);
}

/** Also where the node is at it. */
async function followUntil(threadId: string, sequences: readonly number[]): Promise<void> {
  await followEvents(database);
  await eventually('words', async () => `${await listWords(threadId)}` === `${sequences}`);
}

t.test('erasure leaves nothing of the participant anywhere', async t => {
  const tenant = await skein.tenant();
  const { key, projectId, environmentId, channelId } = tenant;
  const receiver = await startReceiver(t);
  const name = 'Maria-48151623';
  receiver.behaviour = answer(200, {}, `thanks for ${name}`);
  const { stitchId } = await newStitch(tenant, receiver.url());
  const metadata = { of: name };

  // What the API takes of a person, by a thread of its own and by one that a message made.
  const made = await key.get<Thread>('createThread', {
    key: `made-${projectId}`,
    body: { projectId, environmentId, externalRef: name, metadata },
  });
  const announced = await key.get<AttachmentUpload>('createAttachment', {
    body: { projectId, filename: `${name}.txt`, mimeType: 'text/plain', sizeBytes: 3 },
  });
  t.equal((await request(announced.uploadUrl, { method: 'PUT', body: name.slice(0, 3) })).statusCode, 204);
  const { attachmentId } = announced;
  const { threadId, messageId } = await key.get<Message>('createInboundMessage', {
    params: { channelId },
    body: {
      projectId,
      body: `I am ${name}`,
      externalParticipantRef: name,
      externalThreadRef: `of ${name}`,
      metadata,
      attachments: [{ attachmentId, kind: 'document', filename: name }],
    },
  });
  const answers: { readonly id: OperationId; readonly asked: Asked }[] = [];
  const ask = async <T>(id: OperationId, asked: Asked, by: Client = key): Promise<T> => {
    if (operations[id].method === 'POST') answers.push({ id, asked });
    return by.get<T>(id, asked);
  };
  for (const params of [{ threadId }, { threadId: made.threadId }]) {
    await ask('updateThread', { params, body: { projectId, tags: [name], customFields: { name } } });
    const keyed = { params, key: `note-${params.threadId}` };
    const note = await ask<ThreadNote>('createNote', { ...keyed, body: { projectId, body: `${name}!` } });
    const { threadNoteId } = note;
    await ask('updateNote', { params: { ...params, threadNoteId }, body: { projectId, body: `${name}?` } });
  }
  const params = { threadId };
  const sent = { projectId, body: `Dear ${name}`, direction: 'outbound', metadata };
  const reply = await ask<Message>('createMessage', { params, key: `sent-${threadId}`, body: sent });
  const error = { code: 'gone', message: `${name} has moved` };
  const late = { projectId, messageId: reply.messageId, occurredAt: new Date().toISOString() };
  await ask('recordReceipt', {
    params: { channelId },
    body: { ...late, status: 'sent', externalMessageId: `sent to ${name}` },
  });
  await eventually('deliveries', () => Promise.resolve(receiver.received.length >= 8));
  const [first] = (
    await key.get<ListOf<{ deliveryId: string }>>('listDeliveries', {
      query: { projectId, stitchId, eventName: 'thread.message.received' },
    })
  ).data;
  await key.get('replayDelivery', { params: { deliveryId: first?.deliveryId ?? '' }, body: { projectId } });
  const tried = async (trigger: string): Promise<boolean> =>
    (
      await database.query(`select 1 from webhook_attempts where trigger = $1 and response_body <> ''`, [
        trigger,
      ])
    ).length > 0;
  await eventually('replay', async () => (await tried('manual')) || (await tried('replay')));
  await database.query(
    `insert into dead_letters (kind, actor_id, name, payload, error, attempts, created_at)
     values ('channel', $1, 'send', $2, $3, 5, now())`,
    [channelId, JSON.stringify({ threadId, body: name }), `could not reach ${name}`],
  );
  await database.query(`insert into agent_runs select * from jsonb_populate_record(null::agent_runs, $1)`, [
    JSON.stringify({
      agent_run_id: 'run_1',
      project_id: projectId,
      environment_id: environmentId,
      thread_id: threadId,
      status: 'failed',
      provider: 'llm_provider_1',
      model: 'small',
      mode: 'auto',
      tool_call_count: 0,
      trace: { steps: [{ output: name }] },
      metadata,
      error_message: name,
      state: { turns: [name] },
      version: 7,
      created_at: new Date(),
      updated_at: new Date(),
    }),
  ]);
  // The answer to whoever has discarded a suggestion and said why.
  const kept = {
    threadId,
    body: name,
    status: 'discarded',
    discardReason: name,
    createdAt: new Date().toISOString(),
  };
  await database.query(
    `insert into idempotency_keys
     select (jsonb_populate_record(k, $1)).* from idempotency_keys k where skein_thread_of(body) = $2 limit 1`,
    [JSON.stringify({ key_hash: '\\x0a', body: JSON.stringify(kept) }), threadId],
  );
  const foundWords = () =>
    database.query(
      `select sequence from message_words where thread_id = any ($1) and words @@ plainto_tsquery('simple', $2)`,
      [[threadId, made.threadId], name],
    );
  await followEvents(database);
  await eventually('words', async () => (await foundWords()).length >= 4);
  const places = await columnsWith(database, name);
  for (const place of [
    ...['threads.external_ref', 'threads.metadata', 'threads.tags', 'threads.custom_fields', 'threads.state'],
    ...['messages.body', 'messages.metadata', 'messages.actor', 'messages.external_message_id'],
    ...[
      'messages.attachments',
      'attachments.filename',
      'thread_notes.body',
      'events.body',
      'channel_commands.data',
    ],
    ...[
      'idempotency_keys.body',
      'webhook_attempts.response_body',
      'dead_letters.payload',
      'dead_letters.error',
    ],
    ...['agent_runs.trace', 'agent_runs.metadata', 'agent_runs.error_message', 'agent_runs.state'],
  ]) {
    t.ok(places.includes(place), `it is in ${place}`);
  }

  receiver.behaviour = answer(204);
  const asked = Date.now();
  for (const each of [threadId, made.threadId]) t.equal((await erase(tenant, each)).threadId, each);
  const thread = await key.get<Thread>('getThread', { params });
  t.match(
    thread,
    { externalRef: null, tags: [], customFields: {}, metadata: {} },
    'the thread forgets at once',
  );
  // News of what is not emptied yet.
  await ask('recordReceipt', { params: { channelId }, body: { ...late, status: 'failed', error } });
  const [note] = (await key.get<ListOf<ThreadNote>>('listNotes', { params })).data;
  await key.get('deleteNote', { params: { ...params, threadNoteId: note?.threadNoteId ?? '' } });
  await database.query(`update stitches set archived_at = now() where stitch_id = $1`, [stitchId]);

  await erasePersonalData({ database, hash: testHash, log: silentLog }, Date.now());
  t.same(await columnsWith(database, name), [], 'at once');
  t.same(await foundWords(), [], 'nor is it found');
  // What was under way: an answer that comes late, and one that is kept late.
  await database.query(
    `update webhook_attempts a set response_body = $1 from webhook_deliveries d
     where d.delivery_id = a.delivery_id and d.event_name = 'thread.message.received'`,
    [`late thanks for ${name}`],
  );
  await erasePersonalData({ database, hash: testHash, log: silentLog }, asked + 599_000);
  t.same(await columnsWith(database, name), ['webhook_attempts.response_body']);
  await erasePersonalData({ database, hash: testHash, log: silentLog }, Date.now() + 601_000);
  t.same(await columnsWith(database, name), [], 'and when all has come to rest');
  t.same(await database.query('select 1 from erasures'), []);
  t.same(await database.query(`select status from attachments where attachment_id = $1`, [attachmentId]), [
    { status: 'erased' },
  ]);

  t.same(await database.query(`select state, version from agent_runs`), [
    { state: { turns: [] }, version: 8 },
  ]);

  t.equal(answers.length, 5);
  for (const { id, asked } of answers.filter(each => each.asked.key !== undefined)) {
    const again = await key.ask<Record<string, unknown>>(id, asked);
    t.equal(again.headers['idempotent-replayed'], 'true', `${id} is answered again`);
    t.match(again.body, { body: '' }, 'in its shape, without the person');
  }
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
  t.equal(data[0]?.messageId, messageId);
  t.same((await key.get<ListOf<ThreadNote>>('listNotes', { params })).data, []);
});

t.test("one that fails is tried again, later each time, and is in no other one's way", async t => {
  const tenant = await skein.tenant();
  const stubborn = await Promise.all(
    Array.from({ length: 51 }, (_, i) => write(tenant, `Stubborn-${i}`, 'no')),
  );
  for (const { threadId } of stubborn) await erase(tenant, threadId);
  const { threadId } = await write(tenant, 'Willing-141421', 'yes');
  await erase(tenant, threadId);
  await database.query(
    `create function refuse() returns trigger language plpgsql as $$
     begin if old.body = 'no' then raise 'stubborn'; end if; return new; end $$`,
  );
  await database.query(
    `create trigger refuse before update on messages for each row execute function refuse()`,
  );
  t.teardown(() => database.query('drop trigger if exists refuse on messages'));
  // In the middle of the jitter.
  const random: Random = { ...systemRandom, next: () => 0.5 };
  const eraseAt = (at: number) => erasePersonalData({ database, hash: testHash, log: silentLog }, at, random);
  let now = Date.now();
  await t.rejects(eraseAt(now), { message: '51 erasures failed' });
  t.same(await columnsWith(database, 'Willing-141421'), [], 'the fifty before it did not keep it waiting');
  const due = async () =>
    (
      await database.query<{ at: Date; attempts: number }>(
        `select max(due_at) as at, max(attempts) as attempts from erasures where last_error is not null`,
      )
    )[0];
  t.same(await due(), { at: new Date(now + 60_000), attempts: 1 });
  await database.query(`delete from erasures where thread_id <> $1`, [stubborn[0]?.threadId]);
  await eraseAt(now + 59_999);
  const waits: number[] = [];
  for (let attempt = 2; attempt <= 11; attempt++) {
    now = (await due())?.at.getTime() ?? 0;
    await t.rejects(eraseAt(now));
    waits.push(((await due())?.at.getTime() ?? 0) - now);
  }
  t.same(
    waits,
    [2, 4, 8, 16, 32, 60, 60, 60, 60, 60].map(minutes => minutes * 60_000),
  );
  const letters = await database.query(`select 1 from dead_letters where name = 'erase' and attempts = 10`);
  t.equal(letters.length, 1, 'a human is told, once');
  await database.query('drop trigger refuse on messages');
  await eraseAt(now + hourMs);
  t.same(await columnsWith(database, 'Stubborn-0'), []);
  t.same(await database.query('select 1 from erasures'), []);
});

t.test('events keep their envelope, their place and the shape of what they are about', async t => {
  const tenant = await skein.tenant();
  const { key, projectId, environmentId, channelId } = tenant;
  const { threadId, messageId } = await write(tenant, 'Jan-2718', 'my number is 2718');
  await erase(tenant, threadId);
  await eraseNowAndLater();
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
    projectId,
    eventId: /^evt_/,
    occurredAt: /^\d{4}-.*Z$/,
    apiVersion: /^\d{4}-/,
    data: {
      environmentId,
      threadId,
      channelId,
      sequence: 2,
      erased: true,
      actor: { type: 'contact', id: threadId },
      message: { messageId, threadId, direction: 'inbound', body: '', metadata: {}, sequence: 2 },
    },
  });
});

t.test('a participant who writes again has a name again, and the thread a past', async t => {
  const tenant = await skein.tenant();
  const { key } = tenant;
  const name = 'Ana-31415';
  const { threadId } = await write(tenant, name, 'first');
  await followUntil(threadId, [0, 2]);
  const { requestedAt } = await erase(tenant, threadId);
  await erasePersonalData({ database, hash: testHash, log: silentLog }, Date.now());
  t.same(await listWords(threadId), [], 'nobody finds what was erased');
  const again = await write(tenant, name, 'second');
  t.equal(again.threadId, threadId, 'the identity is the same');
  const words = [0, again.sequence ?? 0];
  await followUntil(threadId, words);
  await erasePersonalData({ database, hash: testHash, log: silentLog }, Date.now() + 601_000);
  t.same(await database.query('select 1 from erasures'), []);
  t.same(await listWords(threadId), words, 'whoever looks for the name finds the thread');
  const params = { threadId };
  const marked = { externalRef: name, erasedAt: requestedAt };
  t.match(await key.get<Thread>('getThread', { params }), marked);
  const listed = await key.get<ListOf<Thread>>('listThreads', {
    query: { projectId: tenant.projectId, participantRef: name },
  });
  t.match(listed.data, [marked], 'and says what was erased');
  const { data } = await key.get<ListOf<Message>>('listMessages', { params, query: { order: 'asc' } });
  t.same(
    data.map(message => message.body),
    ['', 'second'],
  );
  const [row] = await database.query('select external_ref from threads where thread_id = $1', [threadId]);
  t.same(row, { external_ref: name }, 'kept, too');
});

t.test('two requests erase everything up to the newest event', async t => {
  const tenant = await skein.tenant();
  const { threadId } = await write(tenant, 'Eve-16180', 'one');
  await erase(tenant, threadId);
  await write(tenant, 'Eve-16180', 'two');
  await erase(tenant, threadId);
  await Promise.all([eraseNowAndLater(), eraseNowAndLater()]);
  t.same(await columnsWith(database, 'Eve-16180'), []);
});

t.test('a copy has everything of one participant, in pages of any size, until it is erased', async t => {
  const tenant = await skein.tenant();
  const { key, projectId, environmentId } = tenant;
  const { threadId } = await write(tenant, 'Rosa-2236', 'first');
  const params = { threadId };
  await write(tenant, 'Rosa-2236', 'second');
  await write(tenant, 'Somebody-else', 'of no concern');
  for (const body of ['one', 'two', 'three'])
    await key.get('createNote', { params, body: { projectId, body } });
  const answered = { projectId, body: 'Dear Rosa', direction: 'outbound' };
  await key.get('createMessage', { params, body: answered });
  const runIds = [newId('run'), newId('run')];
  await database.query(
    `insert into agent_runs (agent_run_id, project_id, environment_id, thread_id, agent_id, loom_id, loom_version_id, provider, model, mode, tool_call_count, trace, status,
       metadata, state, version, created_at, updated_at)
     select id, $2, $3, $4, $5, $6, $7, 'llm_provider_1', 'small', 'auto', 0, '{"steps":[]}', 'failed', '{}', '{}', 1, to_timestamp(n), to_timestamp(n)
     from unnest($1::text[]) with ordinality r (id, n)`,
    [runIds, projectId, environmentId, threadId, newId('agent'), newId('loom'), newId('loomVersion')],
  );
  const list = (limit: number) =>
    key.all<PersonalDataRecord>('listPersonalData', { params, query: { limit } });
  const all = await list(100);
  t.strictSame(
    all.map(
      ({ kind, thread, message, note, agentRun }) =>
        `${kind} ${thread?.externalRef ?? message?.body ?? note?.body ?? agentRun?.agentRunId}`,
    ),
    [
      'thread Rosa-2236',
      ...['message first', 'message second', 'message Dear Rosa'],
      ...['note three', 'note two', 'note one'],
      ...runIds.map(id => `agentRun ${id}`).reverse(),
    ],
  );
  for (const limit of [1, 2, 3, 4, 8, 9]) t.strictSame(await list(limit), all, `pages of ${limit}`);

  const other = await write(tenant, 'Somebody-else', 'still of no concern');
  const first = await key.get<ListOf<object>>('listPersonalData', { params, query: { limit: 1 } });
  const stolen = { params: { threadId: other.threadId }, query: { cursor: first.nextCursor ?? '' } };
  t.equal((await key.ask('listPersonalData', stolen)).status, 400, 'a cursor belongs to its thread');

  await erase(tenant, threadId);
  await eraseNowAndLater();
  t.same(await columnsWith(database, 'Rosa-2236'), []);
  t.notMatch(JSON.stringify(await list(100)), /Rosa|first|second|three/);
});
