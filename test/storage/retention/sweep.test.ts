/** What time brings, by a moved clock: graces end, and what is kept for a while goes. */
import t from 'tap';
import { silentLog } from '../../../runtime/observability/log.ts';
import { recordAuditEntries } from '../../../storage/audit/record.ts';
import { sweep } from '../../../storage/retention/sweep.ts';
import { accountServices, auditContext } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { testHash } from '../../support/keyed-hash.ts';

const { database: db } = await startTestDatabase(t);
const { apiKeys, newPerson } = accountServices(db);
const day = 86_400_000;

const sweepAt = (now: number): Promise<void> => sweep({ database: db, hash: testHash, log: silentLog }, now);

async function newKey(expiresAt: Date | null = null) {
  const person = await newPerson();
  const { projectId, userId } = person;
  const key = { projectId, name: 'key', environment: 'test', scopes: ['*'], expiresAt } as const;
  const { apiKey, secret } = await apiKeys.create({ ...key, ...auditContext(userId) });
  return { ...person, apiKeyId: apiKey.apiKeyId, secret };
}

async function told(projectId: string, apiKeyId: string) {
  const events = await db.query<{ body: string }>(
    `select body from events where project_id = $1 and event_name = 'project.api_key.revoked' order by seq`,
    [projectId],
  );
  const acts = await db.query<{ actor: string; action: string }>(
    `select actor_type as actor, action from audit_logs where target_id = $1 and action = 'api_key.revoked'`,
    [apiKeyId],
  );
  return { events: events.map(({ body }) => JSON.parse(body) as { data: unknown }), acts };
}

t.test('a grace that has ended is written down once, as every reader has seen it already', async t => {
  const { projectId, userId, apiKeyId, secret } = await newKey();
  const now = Date.now();
  const { previous } = await apiKeys.rotate({
    projectId,
    apiKeyId,
    gracePeriodSeconds: 60,
    ...auditContext(userId, now),
  });
  const listed = async (at: number) => {
    const { data } = await apiKeys.list(projectId, { limit: 10 }, at);
    return data.find(key => key.apiKeyId === apiKeyId);
  };
  await sweepAt(now + 59_999);
  t.match(await listed(now + 59_999), { status: 'rotating', revokedAt: null });
  t.equal((await apiKeys.findGrant(secret))?.endsAt, now + 60_000);
  t.same(await told(projectId, apiKeyId), { events: [], acts: [] });

  const before = await listed(now + 60_000);
  t.match(before, { status: 'revoked', revokedAt: previous.rotationGraceExpiresAt });
  await Promise.all([1, 2, 3].map(() => sweepAt(now + 60_000)));
  t.same(await listed(now + 60_000), before);
  t.equal(await apiKeys.findGrant(secret), undefined);
  t.match(await told(projectId, apiKeyId), {
    events: [{ data: { actor: { type: 'system', id: null }, apiKey: before } }],
    acts: [{ actor: 'system', action: 'api_key.revoked' }],
  });
  t.equal((await told(projectId, apiKeyId)).events.length, 1);

  await apiKeys.revoke({ projectId, apiKeyId, ...auditContext(userId, now + 61_000) });
  t.equal((await told(projectId, apiKeyId)).events.length, 1, 'there is nothing left to revoke');
});

t.test('keys go 90 days after they were revoked or have expired', async t => {
  const now = Date.now();
  const revoked = await newKey();
  await apiKeys.revoke({
    projectId: revoked.projectId,
    apiKeyId: revoked.apiKeyId,
    ...auditContext(revoked.userId, now),
  });
  const expired = await newKey(new Date(now + day));
  const working = await newKey();
  const there = async () => {
    const rows = await db.query<{ id: string }>(
      'select api_key_id as id from api_keys where api_key_id = any ($1)',
      [[revoked, expired, working].map(key => key.apiKeyId)],
    );
    return rows.map(row => row.id).sort();
  };
  await sweepAt(now + 90 * day - 1);
  t.equal((await there()).length, 3);
  await sweepAt(now + 90 * day);
  t.same(await there(), [expired.apiKeyId, working.apiKeyId].sort());
  await sweepAt(now + 91 * day);
  t.same(await there(), [working.apiKeyId]);
});

t.test('invitations go 30 days after they were accepted, were revoked or have expired', async t => {
  const { workspaceId, userId } = await newPerson();
  const now = Date.now();
  const at = (days: number): Date => new Date(now + days * day);
  const invite = (id: string, accepted: Date | null, revoked: Date | null) =>
    db.query(
      `insert into invitations (invitation_id, workspace_id, email, email_key, studio_role, console_role, invited_by_user_id,
         token_hash, created_at, expires_at, accepted_at, revoked_at)
       values ($1, $2, $1, $1, 'viewer', 'viewer', $3, sha256(convert_to($1, 'UTF8')), $4, $5, $6, $7)`,
      [id, workspaceId, userId, at(0), at(7), accepted, revoked],
    );
  await invite('accepted', at(2), null);
  await invite('revoked', null, at(1));
  await invite('expired', null, null);
  const left = async () => {
    const rows = await db.query<{ id: string }>(
      'select invitation_id as id from invitations where workspace_id = $1 order by 1',
      [workspaceId],
    );
    return rows.map(({ id }) => id);
  };
  await sweepAt(now + 31 * day - 1);
  t.same(await left(), ['accepted', 'expired', 'revoked']);
  await sweepAt(now + 31 * day);
  t.same(await left(), ['accepted', 'expired']);
  await sweepAt(now + 37 * day - 1);
  t.same(await left(), ['expired']);
  await sweepAt(now + 37 * day);
  t.same(await left(), []);
});

t.test('a job that fails is named, and keeps no other from its work', async t => {
  const now = Date.now();
  const broken = ['parked_receipts', 'environments', 'erasures'];
  await db.query(
    `insert into stream_tickets (ticket_hash, project_id, created_at, expires_at) values ('\\x01', 'prj_1', now(), now())`,
  );
  for (const table of broken) await db.query(`alter table ${table} rename to away_${table}`);
  const warned: string[] = [];
  const log = { ...silentLog, warn: (fields: object) => warned.push(String(Object(fields).job)) };
  const jobs = ['erasePersonalData', 'forgetSandboxThreads', 'remove parked_receipts'];
  await t.rejects(sweep({ database: db, hash: testHash, log }, now + 1_000), {
    message: new RegExp(`${jobs.join(', ')}$`),
  });
  for (const table of broken) await db.query(`alter table away_${table} rename to ${table}`);
  t.same(warned, jobs);
  t.same(await db.query('select 1 from stream_tickets'), []);
  await sweepAt(now + 1_000);
});

t.test('an erasure takes a batch at a time of everything that a thread may have much of', async t => {
  const scope = { thread_id: 'thr_1', project_id: 'prj_1', environment_id: 'env_1' };
  const now = Date.now();
  const made = { ...scope, created_at: new Date(now - day), updated_at: new Date(now - day) };
  const kept = { metadata: {}, trace: {}, state: {}, version: 1 };
  /** Rows that differ in one column, the number of which `n` is. */
  const insert = (table: string, count: number, id: string, columns: Record<string, unknown>) =>
    db.query(
      `insert into ${table} select (jsonb_populate_record(null::${table}, $1::jsonb || jsonb_build_object('${id}', n))).*
       from generate_series(1, $2::int) n`,
      [JSON.stringify(columns), count],
    );
  const run = {
    status: 'failed',
    provider: 'llm_provider_1',
    model: 'small',
    mode: 'auto',
    tool_call_count: 0,
  };
  await insert('agent_runs', 1_200, 'agent_run_id', { ...kept, ...made, ...run, metadata: { of: 'Maria' } });
  await insert('message_words', 5_000, 'sequence', {
    ...scope,
    seq: 1,
    at: made.created_at,
    words: "'maria'",
  });
  await insert('thread_notes', 2_500, 'thread_note_id', {
    ...made,
    author_user_id: 'usr_1',
    body: 'Maria',
    mentions: [],
  });
  await db.query(
    `insert into erasures (thread_id, project_id, environment_id, through, requested_at, due_at) values ('thr_1', 'prj_1', 'env_1', 6000, $1, $1)`,
    [new Date(now)],
  );
  await db.query('create table touched (name text, count int)');
  await db.query(
    `create function note_touched() returns trigger language plpgsql as $$
     begin insert into touched select tg_table_name, count(*) from old_rows; return null; end $$`,
  );
  const verbs = { agent_runs: 'update', message_words: 'delete', thread_notes: 'delete' };
  for (const [table, verb] of Object.entries(verbs)) {
    await db.query(
      `create trigger touched after ${verb} on ${table} referencing old table as old_rows
       for each statement execute function note_touched()`,
    );
  }
  await sweepAt(now);
  for (const table of Object.keys(verbs)) await db.query(`drop trigger touched on ${table}`);
  const touched = async (name: string) =>
    (
      await db.query<{ count: number }>('select count from touched where name = $1 and count > 0', [name])
    ).map(({ count }) => count);
  t.strictSame(await touched('agent_runs'), [500, 500, 200]);
  t.strictSame(await touched('message_words'), [2_000, 2_000, 1_000]);
  t.strictSame(await touched('thread_notes'), [2_000, 500]);
  const [left] = await db.query(
    `select (select count(*)::int from agent_runs where thread_id = 'thr_1' and metadata <> '{}') as runs,
       (select count(*)::int from message_words where thread_id = 'thr_1') as words,
       (select count(*)::int from thread_notes where thread_id = 'thr_1') as notes`,
  );
  t.strictSame(left, { runs: 0, words: 0, notes: 0 });
});

t.test('acts are kept for 400 days', async t => {
  const { workspaceId, userId } = await newPerson();
  const now = Date.now();
  const count = async () =>
    (await db.query('select 1 from audit_logs where workspace_id = $1', [workspaceId])).length;
  const made = await count();
  t.ok(made > 0);
  await sweepAt(now + 399 * day);
  t.equal(await count(), made);
  await db
    .em()
    .transactional(em =>
      recordAuditEntries(
        em,
        [{ workspaceId, actor: { type: 'user', id: userId }, action: 'project.created', targetId: 'prj_1' }],
        now + 10 * day,
      ),
    );
  await sweepAt(now + 400 * day);
  t.equal(await count(), 1);
});

t.test('an act is there only with what was done', async t => {
  const { workspaceId, userId } = await newPerson();
  const act = { workspaceId, actor: { type: 'user', id: userId }, targetId: 'prj_2' } as const;
  const failing = db.em().transactional(async em => {
    await recordAuditEntries(em, [{ ...act, action: 'project.created' }], Date.now());
    throw new Error('and then it failed');
  });
  await t.rejects(failing, { message: 'and then it failed' });
  t.same(await db.query(`select 1 from audit_logs where target_id = 'prj_2'`), []);
});

t.test(
  'webhooks of the chat provider go after 7 days, unless they are open or a dead letter names them',
  async t => {
    const now = Date.now();
    const insert = async (requestId: string, receivedAt: number): Promise<void> => {
      await db.query(
        `insert into chatapp_webhooks (request_id, project_id, environment_id, channel_id, waba_id, phone_number_id,
         received_at, body) values ($1, 'p', 'e', 'c', '1', '2', $2, '')`,
        [requestId, new Date(receivedAt)],
      );
    };
    await insert('old', now - 7 * day);
    await insert('open', now - 7 * day);
    await db.query(
      `insert into chatapp_open_webhooks (channel_id, request_id, bytes) values ('c', 'open', 0)`,
    );
    await insert('given-up', now - 29 * day);
    await db.query(
      `insert into dead_letters (kind, actor_id, name, payload, error, attempts, created_at)
       values ('channel', 'c', 'reopenWebhook', '{"requestId":"given-up"}', '', 5, $1)`,
      [new Date(now - 29 * day)],
    );
    await insert('fresh', now - 7 * day + 1_000);
    await sweepAt(now);
    const left = await db.query<{ id: string }>('select request_id as id from chatapp_webhooks order by 1');
    t.same(
      left.map(({ id }) => id),
      ['fresh', 'given-up', 'open'],
    );
  },
);

t.test('what the chat provider calls a file goes when the provider has forgotten it', async t => {
  const now = Date.now();
  for (const [attachmentId, expiresAt] of [
    ['old', now],
    ['fresh', now + 1_000],
  ] as const) {
    await db.query(
      `insert into chatapp_uploads (phone_number_id, attachment_id, provider_media_id, expires_at) values ('1', $1, '17', $2)`,
      [attachmentId, new Date(expiresAt)],
    );
  }
  await sweepAt(now);
  t.same(await db.query('select attachment_id as id from chatapp_uploads'), [{ id: 'fresh' }]);
});

t.test('the secret of a partner app that was replaced is forgotten once no signature needs it', async t => {
  const now = Date.now();
  const { workspaceId } = await newPerson();
  await db.query(
    `insert into partner_apps (partner_app_credential_id, workspace_id, name, app_id, status, key_fingerprint, app_secret,
       previous_app_secret, previous_app_secret_until, verify_token_hash, metadata, created_at, updated_at)
     values ('a', $1, 'app', '1', 'active', '', 'new', 'old', $2, '', '{}', now(), now())`,
    [workspaceId, new Date(now)],
  );
  const previous = async () =>
    (await db.query<{ secret: string | null }>('select previous_app_secret as secret from partner_apps'))[0];
  await sweepAt(now - 1);
  t.equal((await previous())?.secret, 'old');
  await sweepAt(now);
  t.equal((await previous())?.secret, null);
});
