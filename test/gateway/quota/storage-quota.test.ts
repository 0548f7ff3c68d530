/** How much tenants may store, counted by nodes and settled in rows; and the floor of free disk. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import t from 'tap';
import { DiskSpace } from '../../../gateway/quota/disk-space.ts';
import { StorageQuota } from '../../../gateway/quota/storage-quota.ts';
import { LimitReached } from '../../../runtime/actor/store.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { defaultLimits, type Limits } from '../../../storage/writes/limits.ts';
import { newKey } from '../../node/tenant.ts';
import { accountServices, freshKey } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const { database, url } = await startTestDatabase(t);
const { newPerson } = accountServices(database);
const mebibyte = 1_048_576;
const limits: Limits = {
  ...defaultLimits,
  unverifiedRowBytes: mebibyte,
  projectRowBytes: 2 * mebibyte,
  workspaceRowBytes: 4 * mebibyte,
  userRowBytes: 6 * mebibyte,
};

function openQuota(services: Pick<typeof database, 'query'> = database) {
  const clock = new VirtualClock();
  let stored = new Map<string, number>();
  const takeStored = () => {
    const taken = stored;
    stored = new Map();
    return taken;
  };
  const quota = new StorageQuota({ database: services, limits, takeStored, clock, log: silentLog });
  return {
    quota,
    /** The projects store so much, and some time passes: a second, or a minute, after which everything is in the rows. */
    async store(bytes: number, projects: readonly string[], ms = 1_000): Promise<void> {
      for (const projectId of projects) stored.set(projectId, bytes);
      await quota.settle(false);
      await clock.advance(ms);
      await quota.settle(false);
    },
    findFull: (projects: readonly string[]) => projects.map(projectId => quota.full.get(projectId)),
  };
}

/** A person with projects in a first workspace, and one in a second. */
async function createTenant(verified: boolean) {
  const { userId, projectId, workspaceId } = await newPerson();
  if (!verified)
    await database.query('update users set email_verified_at = null where user_id = $1', [userId]);
  else await database.query('update users set email_verified_at = now() where user_id = $1', [userId]);
  const second = `${workspaceId}_2`;
  await database.query(
    `insert into workspaces (workspace_id, name, created_at, updated_at) values ($1, '', now(), now())`,
    [second],
  );
  await database.query(
    `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at) values ($1, $2, 'owner', now(), now())`,
    [second, userId],
  );
  const projects = [projectId, `${projectId}_2`, `${projectId}_3`, `${projectId}_4`] as const;
  await database.query(
    `insert into projects (project_id, workspace_id, name, created_at, updated_at)
     values ($1, $4, '', now(), now()), ($2, $4, '', now(), now()), ($3, $5, '', now(), now())`,
    [...projects.slice(1), workspaceId, second],
  );
  return { userId, projects };
}

t.test('a project, its workspace and its user have one account each', async t => {
  const { projects } = await createTenant(true);
  const [first, other] = projects;
  const { store, findFull } = openQuota();
  await store(1, projects);
  t.same(findFull(projects), [undefined, undefined, undefined, undefined]);
  await store(2 * mebibyte, [first]);
  t.same(findFull(projects), ['projectRowBytes', undefined, undefined, undefined]);
  await store(2 * mebibyte, [other]);
  const full = ['projectRowBytes', 'projectRowBytes', 'workspaceRowBytes', undefined];
  t.same(findFull(projects), full);
  await store(1, projects, 60_000);
  const node = openQuota();
  await node.store(1, projects);
  t.same(node.findFull(projects), full, 'another node finds it in the rows');
  await database.query(`update stored_bytes set day = day - 30`);
  await node.store(1, projects, 60_000);
  t.same(node.findFull(projects), [undefined, undefined, undefined, undefined], 'after 30 days');
});

t.test('before an address is verified, all projects of a user share a small quota', async t => {
  const { userId, projects } = await createTenant(false);
  const [first, , , elsewhere] = projects;
  const { quota, store, findFull } = openQuota();
  await store(1, projects);
  await store(mebibyte, [first]);
  t.same(findFull([elsewhere]), ['unverifiedRowBytes'], 'in another workspace, too');
  await database.query('update users set email_verified_at = now() where user_id = $1', [userId]);
  t.throws(() => quota.refuse(elsewhere), new LimitReached('unverifiedRowBytes', mebibyte));
  await store(0, [], 5_000);
  t.same(findFull([elsewhere]), [undefined]);
});

t.test('a project that is new to a node is full at once if its tenant is', async t => {
  const { projects } = await createTenant(false);
  const [first, second, third] = projects;
  const { quota, store, findFull } = openQuota();
  await store(mebibyte - 1, [first]);
  await Promise.all([quota.learn(second), quota.learn(second)]);
  t.same([quota.known.has(second), quota.full.has(second)], [true, false]);
  await store(1, [second]);
  await quota.learn(third);
  t.same(findFull([third]), ['unverifiedRowBytes'], 'by what this node has counted');
  await store(1, [first], 60_000);
  const { quota: other } = openQuota();
  await other.learn(third);
  t.equal(other.full.get(third), 'unverifiedRowBytes', 'by the rows');
});

t.test('what could not be settled is settled later, once', async t => {
  const { projects } = await createTenant(false);
  const [projectId] = projects;
  let fails = true;
  const { quota, store } = openQuota({
    query: (...args) => (fails ? Promise.reject(new Error('away')) : database.query(...args)),
  });
  await store(7, [projectId]);
  await quota.settle(true);
  fails = false;
  await quota.settle(true);
  await quota.settle(true);
  t.match(await database.query('select bytes::int from stored_bytes where owner = $1', [projectId]), [
    { bytes: 7 },
  ]);
});

t.test('a disk with less than its floor is full, and so is a database beyond its size', async t => {
  const folder = await mkdtemp(join(tmpdir(), 'skein-disk-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const measure = async (where: string | undefined, changed: Partial<Limits>): Promise<boolean> => {
    const clock = new VirtualClock();
    const options = { folder: where, database, clock, registry: new Registry(), log: silentLog };
    const disk = new DiskSpace({ ...options, limits: { ...defaultLimits, ...changed } });
    await disk.start();
    disk.stop();
    return disk.isFull;
  };
  t.equal(await measure(folder, { freeDiskBytes: 0 }), false);
  t.equal(await measure(folder, { freeDiskBytes: Number.MAX_SAFE_INTEGER }), true);
  t.equal(await measure(undefined, { freeDiskBytes: Number.MAX_SAFE_INTEGER }), false, 'it is not our disk');
  t.equal(await measure(undefined, { databaseBytes: 1 }), true);
});

t.test('a node without room refuses what stores more, and nothing else', async t => {
  const plenty = { limit: 1_000_000, windowSeconds: 1 };
  const keys = { SECRET_KEYS: freshKey(), TOKEN_KEYS: freshKey() };
  const skein = await startSkeinOn(t, url, {
    ...keys,
    LIMITS: '{"unverifiedRowBytes": 20000}',
    RATE_LIMITS: JSON.stringify({ messageThread: plenty, messageProject: plenty }),
  });
  const { key, person, projectId, environmentId, channelId } = await skein.tenant();
  const { secret } = await newKey(person, projectId);
  const receive = () =>
    key.ask<{ threadId: string }>('createInboundMessage', {
      params: { channelId },
      body: { projectId, body: 'x'.repeat(1_000), externalParticipantRef: 'ada' },
    });
  const taken = await receive();
  t.equal(taken.status, 201);
  const { threadId } = taken.body;
  let last = taken as { status: number; body: unknown };
  for (let sent = 0; sent < 1_000 && last.status === 201; sent++) last = await receive();
  t.match(last, {
    status: 409,
    body: {
      error: 'svc/runtime/conflict',
      message: /verified their e-mail address/,
      details: { limit: 'unverifiedRowBytes', most: 20_000 },
    },
  });
  const { workspaceId } = await person.get<{ workspaceId: string }>('getProject', { params: { projectId } });
  const { projectId: next } = await person.get<{ projectId: string }>('createProject', {
    body: { workspaceId, name: 'Next' },
  });
  const elsewhere = await person.ask('createApiKey', {
    body: { projectId: next, name: 'Next', environment: 'test', scopes: ['*'] },
  });
  t.match(
    elsewhere,
    { status: 409, body: { details: { limit: 'unverifiedRowBytes' } } },
    'a new project has no room',
  );
  const refused = await person.ask('createThread', {
    body: { projectId, environmentId, externalRef: 'bob' },
  });
  t.equal(refused.status, 409);
  t.equal((await key.ask('listMessages', { params: { threadId } })).status, 200);
  t.equal((await person.ask('erasePersonalData', { params: { threadId } })).status, 202);

  const full = await startSkeinOn(t, url, { ...keys, LIMITS: '{"databaseBytes": 1}' });
  const other = full.client(secret);
  const body = { projectId, environmentId, externalRef: 'eve' };
  const noRoom = await other.ask('createThread', { body });
  t.match(noRoom, { status: 507, body: { error: 'svc/runtime/storage_full' } });
  t.equal(noRoom.headers['retry-after'], '60');
  t.equal((await other.ask('listMessages', { params: { threadId } })).status, 200);
  t.equal((await other.ask('archiveThread', { params: { threadId } })).status, 204);
  t.equal((await full.client().ask('forgotPassword', { body: { email: 'ada@example.com' } })).status, 200);
});
