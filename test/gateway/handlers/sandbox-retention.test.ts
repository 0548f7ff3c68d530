/** Sandboxes forget after 30 days without activity (docs/contract-decisions.md, "Retention"): a whole node, and a sweep with a moved clock. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { deleteInactiveSandboxThreads } from '../../../storage/retention/sandbox-threads.ts';
import { sweep } from '../../../storage/retention/sweep.ts';
import type { ListOf, Refusal } from '../../node/client.ts';
import { newKey, type Tenant } from '../../node/tenant.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein.ts';
import { testHash } from '../../support/keyed-hash.ts';

const { database, url } = await startTestDatabase(t);
const skein = await startSkeinOn(t, url);
const day = 86_400_000;

function write(
  { key, projectId, channelId }: Pick<Tenant, 'key' | 'projectId' | 'channelId'>,
  name: string,
): Promise<Message> {
  const body = { projectId, body: 'hello', externalParticipantRef: name };
  return key.get<Message>('createInboundMessage', { params: { channelId }, body });
}

async function getRows(threadId: string): Promise<Record<string, number>> {
  const [row] = await database.query<Record<string, number>>(
    `select (select count(*) from threads where thread_id = $1) as threads,
      (select count(*) from messages where thread_id = $1) as messages,
      (select count(*) from thread_notes where thread_id = $1) as notes,
      (select count(*) from read_cursors where thread_id = $1) as cursors,
      (select count(*) from chatapp_aliases where thread_id = $1) as aliases`,
    [threadId],
  );
  return { ...row };
}

/** Each passes over what the other is at, and each may do so with another part of one thread: what is left then is for the next sweep. */
async function sweepOnTwoNodes(at: number): Promise<void> {
  await Promise.all([1, 2].map(() => sweep({ database, hash: testHash, log: silentLog }, at)));
  await sweep({ database, hash: testHash, log: silentLog }, at);
}

t.test('a thread that rests goes with all that hangs on it; others stay', async t => {
  const tenant = await skein.tenant();
  const { key, person, projectId } = tenant;
  const { threadId } = await write(tenant, 'resting');
  const params = { threadId };
  await person.get('createNote', { params, body: { projectId, body: 'a note' } });
  await person.get('moveReadCursor', { params, body: { projectId, sequence: 1 } });
  await database.query(
    `insert into chatapp_aliases (channel_id, alias, project_id, environment_id, thread_id, external_ref, created_at)
     select channel_id, 'US.1', project_id, environment_id, thread_id, external_ref, now() from threads where thread_id = $1`,
    [threadId],
  );
  const { threadId: busy } = await write(tenant, 'busy');

  await database.query('update users set email_verified_at = now() where user_id = $1', [tenant.userId]);
  let environmentId = '';
  // The node caches a session for a second.
  await eventually('production environment', async () => {
    const body = { projectId, name: 'production' };
    const reply = await person.ask<{ environmentId: string }>('createEnvironment', { body });
    ({ environmentId } = reply.body);
    return reply.status === 201;
  });
  const { key: live } = await newKey(person, projectId, 'live');
  const { channelId } = await live.get<{ channelId: string }>('createChannel', {
    body: { projectId, environmentId, name: 'Live', kind: 'custom' },
  });
  const { threadId: production } = await write({ key: live, projectId, channelId }, 'resting');

  const now = Date.now();
  await database.query(`update threads set updated_at = $2 where thread_id = $1`, [
    busy,
    new Date(now + 10 * day),
  ]);
  await sweep({ database, hash: testHash, log: silentLog }, now + 29 * day);
  t.same(
    await getRows(threadId),
    { threads: 1, messages: 1, notes: 1, cursors: 1, aliases: 1 },
    'not before',
  );

  await sweepOnTwoNodes(now + 31 * day);
  t.same(await getRows(threadId), { threads: 0, messages: 0, notes: 0, cursors: 0, aliases: 0 });
  t.match(await getRows(busy), { threads: 1, messages: 1 });
  t.match(await getRows(production), { threads: 1, messages: 1 });
  t.equal((await key.ask<Refusal>('getThread', { params })).status, 404);
});

t.test('a message after that starts a new conversation, though the thread was in memory', async t => {
  const tenant = await skein.tenant();
  const { key } = tenant;
  await write(tenant, 'somebody');
  const { threadId } = await write(tenant, 'somebody');
  await sweep({ database, hash: testHash, log: silentLog }, Date.now() + 31 * day);
  t.match(await getRows(threadId), { threads: 0, messages: 0 });
  const again = await write(tenant, 'somebody');
  t.equal(again.threadId, threadId);
  t.match(await key.get<Thread>('getThread', { params: { threadId } }), { sequence: again.sequence });
  t.match(await getRows(threadId), { threads: 1, messages: 1 });
});

t.test(
  'a thread that was locked while its files were erased is left, with its files, for the next sweep',
  async t => {
    const tenant = await skein.tenant();
    const { projectId, environmentId } = tenant;
    const { threadId, messageId } = await write(tenant, 'filed');
    const attachmentId = newId('attachment');
    await database.query(
      `insert into attachments (attachment_id, project_id, environment_id, thread_id, message_id, status, filename, mime_type, size_bytes,
       storage_key, created_at) values ($1, $2, $3, $4, $5, 'stored', 'f', 'text/plain', 1, $1, now())`,
      [attachmentId, projectId, environmentId, threadId, messageId],
    );
    const em = database.em();
    await em.begin();
    await em.execute('update threads set updated_at = updated_at where thread_id = ?', [threadId]);
    let isLocked = true;
    const query: typeof database.query = async (text, values) => {
      const rows = await database.query(text, values);
      if (isLocked && text.includes('update attachments')) {
        isLocked = false;
        await em.commit();
      }
      return rows as never;
    };
    const countFiles = async (status: string) =>
      (
        await database.query('select from attachments where attachment_id = $1 and status = $2', [
          attachmentId,
          status,
        ])
      ).length;
    await deleteInactiveSandboxThreads({ query }, Date.now() + 31 * day);
    t.notOk(isLocked, 'until its files had had their turn');
    t.match(await getRows(threadId), { threads: 1, messages: 0 });
    t.equal(await countFiles('stored'), 1);
    await deleteInactiveSandboxThreads(database, Date.now() + 31 * day);
    t.match(await getRows(threadId), { threads: 0 });
    t.equal(await countFiles('erased'), 1, 'the sweep of media removes it');
  },
);

t.test('a sandbox is looked at when something may be due in it, and not before', async t => {
  const tenant = await skein.tenant();
  const { threadId } = await write(tenant, 'waiting');
  await write(tenant, 'again');
  const looked = async (at: number): Promise<boolean> => {
    let count = 0;
    const query = (text: string, values?: unknown[]) => {
      if ([values].flat(2).includes(tenant.environmentId)) count++;
      return database.query(text, values);
    };
    await deleteInactiveSandboxThreads({ query } as Pick<typeof database, 'query'>, at);
    return count > 0;
  };
  const now = Date.now();
  t.ok(await looked(now), 'at first nothing is known of it');
  t.notOk(await looked(now + 29 * day));
  const end = await database.query<{ at: Date }>(
    'select rests_until as at from environments where environment_id = $1',
    [tenant.environmentId],
  );
  const [oldest] = await database.query<{ at: Date }>(
    'select last_message_at as at from threads where thread_id = $1',
    [threadId],
  );
  const due = (end[0]?.at.getTime() ?? 0) - (oldest?.at.getTime() ?? 0);
  t.ok(due > 30 * day - 1_001 && due <= 30 * day, 'to the second in which the oldest has rested');
  await database.query(
    'update threads set updated_at = $2, updated_second = floor(extract(epoch from $2::timestamptz)) where thread_id = $1',
    [threadId, new Date(now + 5 * day)],
  );
  t.ok(await looked(now + 31 * day));
  t.match(await getRows(threadId), { threads: 1, messages: 1 });
  t.notOk(await looked(now + 34 * day), 'what was changed rests from then on');
  t.ok(await looked(now + 36 * day));
  // The node may be reading the words of the messages: a thread that is locked is left for the next sweep.
  await eventually('removal of the thread', async () => {
    await deleteInactiveSandboxThreads(database, now + 36 * day);
    return (await getRows(threadId))['threads'] === 0;
  });
  t.match(await getRows(threadId), { messages: 0 });
});

t.test(
  'runs go with their threads, and 30 days after their end without one; usage stays as it was',
  async t => {
    const tenant = await skein.tenant();
    const { key, projectId, environmentId } = tenant;
    const { threadId } = await write(tenant, 'resting');
    const now = Date.now();
    const addRun = (thread: string | null, changes: Record<string, unknown> = {}) => {
      const row = {
        agent_run_id: newId('run'),
        project_id: projectId,
        environment_id: environmentId,
        agent_id: 'agt_1',
        thread_id: thread,
        status: 'succeeded',
        provider: 'llm_provider_1',
        model: 'small',
        mode: 'auto',
        tool_call_count: 2,
        total_tokens: 15,
        trace: {},
        metadata: {},
        created_at: new Date(now),
        updated_at: new Date(now),
        completed_at: new Date(now),
        state: {},
        version: 1,
        ...changes,
      };
      const text = `insert into agent_runs select * from jsonb_populate_record(null::agent_runs, $1)`;
      return database.query(text, [JSON.stringify(row)]);
    };
    await addRun(threadId);
    await addRun(null, { agent_id: null });
    await addRun(null, { model: 'large', estimated_cost_micros: 7 });
    await addRun(null, { completed_at: new Date(now + 2 * day) });
    await addRun(null, { completed_at: null, status: 'running' });
    const count = async () =>
      (await database.query('select from agent_runs where environment_id = $1', [environmentId])).length;
    const report = async () => {
      const groups: unknown[] = [];
      for (const groupBy of ['day', 'agent', 'model', 'provider'])
        groups.push((await key.get<ListOf<unknown>>('listUsage', { query: { projectId, groupBy } })).data);
      return groups;
    };
    const before = await report();
    await sweep({ database, hash: testHash, log: silentLog }, now + 29 * day);
    t.equal(await count(), 5, 'not before');
    await sweepOnTwoNodes(now + 31 * day);
    t.equal(await count(), 2, 'one has ended later, and one is under way');
    t.same(await report(), before);
    await sweep({ database, hash: testHash, log: silentLog }, now + 33 * day);
    t.equal(await count(), 1);
    t.same(await report(), before);
  },
);
