/** Archived projects and workspaces on a whole node: what is refused, what stops, that nothing is lost, and the way back. */
import t, { type Test } from 'tap';
import type { Project } from '../../../protocol/resources/project.ts';
import type { Workspace } from '../../../protocol/resources/workspace.ts';
import type { OperationId } from '../../../protocol/operations/table.ts';
import { eventually } from '../../support/eventually.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';
import { shareSkein } from '../../support/skein.ts';
import type { Client, Asked, Refusal } from '../../node/client.ts';
import { newStitch, type Tenant } from '../../node/tenant.ts';
import { openStream } from '../stream/stream-fixture.ts';

const skein = await shareSkein(t);
const { database } = skein;

const refused = (status: number, error: string) => ({ status, body: { error, message: /archived/ } });
const keyRefused = refused(401, 'svc/auth/invalid_api_key');
const writeRefused = refused(403, 'svc/auth/insufficient_scope');

/** Somebody else in the tenant's workspace. */
async function join({ workspaceId }: Tenant, role: string): Promise<Tenant> {
  const other = await skein.tenant();
  await database.query(
    `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at) values ($1, $2, $3, now(), now())`,
    [workspaceId, other.userId, role],
  );
  return other;
}

const say = ({ key, projectId, channelId }: Tenant, by: Client = key) =>
  by.ask<Refusal & { threadId: string }>('createInboundMessage', {
    params: { channelId },
    body: { projectId, externalParticipantRef: 'ada', body: 'hello' },
  });

const listAudit = async ({ person }: Tenant, query: Record<string, string>) =>
  (await person.all<{ action: string; details: unknown }>('listAuditLogs', { query })).map(
    ({ action, details }) => ({ action, details }),
  );

/** A project that is archived with its keys, its stitch and its people. */
async function holdsArchived(t: Test, tenant: Tenant, receiver: Receiver, threadId: string): Promise<void> {
  const { person, projectId, environmentId, channelId } = tenant;
  t.match(await tenant.key.ask('listThreads'), keyRefused);
  t.match(await tenant.key.ask('getCaller'), keyRefused);
  t.match(await say(tenant), keyRefused, 'nothing comes in by a key');
  t.match(await say(tenant, person), writeRefused, 'nor by a person');
  const writes: readonly (readonly [OperationId, Asked])[] = [
    ['createMessage', { params: { threadId }, body: { projectId, body: 'hi' } }],
    ['updateThread', { params: { threadId }, body: { projectId, status: 'closed' } }],
    ['createApiKey', { body: { projectId, name: 'k', environment: 'test', scopes: ['threads:read'] } }],
    ['createChannel', { body: { projectId, environmentId, name: 'c', kind: 'custom' } }],
    ['upsertProjectMember', { params: { projectId }, body: { userId: tenant.userId, role: 'viewer' } }],
  ];
  for (const [id, asked] of writes) t.match(await person.ask(id, asked), writeRefused, id);
  const consoleWrite = { params: { projectId }, body: { userId: tenant.userId, role: 'agent' } };
  t.match(await person.ask('upsertConsoleMember', consoleWrite), refused(403, 'svc/console/forbidden'));

  const query = { projectId };
  for (const [id, asked] of [
    ['listThreads', { query }],
    ['listMessages', { params: { threadId }, query }],
    ['listStitches', { query }],
    ['getChannel', { params: { channelId }, query }],
    ['listStreamEvents', { params: { projectId } }],
  ] as const) {
    t.equal((await person.ask(id, asked)).status, 200, id);
  }
  t.equal((await person.ask('createStreamTicket', { params: { projectId } })).status, 200);

  // DELETE works, and is an event that the stitch wants.
  const before = receiver.received.length;
  t.equal((await person.ask('archiveThread', { params: { threadId }, query })).status, 204);
  await eventually('a stitch that was postponed', async () => {
    const found = `select 1 from stitches where project_id = $1 and (state ->> 'dueAt') is not null`;
    return (await database.query(found, [projectId])).length === 1;
  });
  t.equal(receiver.received.length, before, 'nothing is sent');
}

async function prepared(t: Test) {
  const receiver = await startReceiver(t);
  const tenant = await skein.tenant();
  await newStitch(tenant, receiver.url(), ['thread.*']);
  const { threadId } = (await say(tenant)).body;
  const { projectId } = tenant;
  await eventually('first deliveries', async () => {
    const rows = await database.query(
      `select 1 from events where project_id = $1 and event_name like 'thread.%'`,
      [projectId],
    );
    return rows.length > 0 && receiver.received.length === rows.length;
  });
  const open = (by: Client) => openStream(t, skein, projectId, by);
  return { receiver, tenant, threadId, open };
}

t.test(
  'an archived project: keys are refused, stitches stop, people read, and all of it comes back',
  async t => {
    const { receiver, tenant, threadId, open } = await prepared(t);
    const { person, projectId, key } = tenant;
    const [byKey, byPerson] = [open(key), open(person)];
    await byKey.resume();
    await byPerson.resume();
    for (const once of ['', 'again']) {
      const { status, text } = await person.ask('archiveProject', { params: { projectId } });
      t.same([status, text], [204, ''], once);
    }
    const archived = await person.get<Project>('getProject', { params: { projectId } });
    t.type(archived.archivedAt, 'string');
    await holdsArchived(t, tenant, receiver, threadId);
    t.equal(await byKey.end(), 4001, 'the stream of a key ends');
    t.equal(byPerson.closed, undefined, 'whoever may read goes on');
    t.equal((await open(key).opened()).refused, 401);

    const renamed = await person.ask('updateProject', { params: { projectId }, body: { name: 'Old' } });
    t.match(renamed, { status: 200, body: { name: 'Old', archivedAt: archived.archivedAt } });
    t.equal(
      (await person.ask('updateProject', { params: { projectId }, body: { archived: true } })).status,
      422,
      'DELETE is the way into the archive',
    );
    const before = receiver.received.length;
    const body = { archived: false };
    t.match(await person.ask('updateProject', { params: { projectId }, body }), {
      status: 200,
      body: { archivedAt: null },
    });
    t.match(await person.ask('updateProject', { params: { projectId }, body }), { status: 200 });
    await receiver.arrived(before + 1);
    t.equal((await key.ask('listThreads')).status, 200, 'at once');
    t.equal((await say(tenant)).status, 201);
    t.match(await listAudit(tenant, { projectId, targetId: projectId }), [
      { action: 'project.updated', details: { archived: false } },
      { action: 'project.updated', details: { name: 'Old' } },
      { action: 'project.archived', details: { name: archived.name } },
    ]);
  },
);

t.test('an archived workspace: all its projects are, and those that were before stay so', async t => {
  const { receiver, tenant, threadId } = await prepared(t);
  const { person, workspaceId, projectId } = tenant;
  const body = { workspaceId, name: 'Second' };
  const second = await person.get<Project>('createProject', { body });
  await person.get('archiveProject', { params: { projectId: second.projectId } });
  const admin = await join(tenant, 'admin');
  t.match(await admin.person.ask('archiveWorkspace', { params: { workspaceId } }), {
    status: 403,
    body: { error: 'svc/auth/insufficient_scope' },
  });
  for (const once of ['', 'again']) {
    t.equal((await person.ask('archiveWorkspace', { params: { workspaceId } })).status, 204, once);
  }
  const archived = await person.get<Workspace>('getWorkspace', { params: { workspaceId } });
  t.type(archived.archivedAt, 'string');
  await holdsArchived(t, tenant, receiver, threadId);
  t.match(await person.ask('createProject', { body }), writeRefused);
  t.match(await person.ask('updateProject', { params: { projectId }, body: { name: 'x' } }), { status: 200 });
  const email = 'somebody@example.com';
  t.match(await person.ask('createInvitation', { params: { workspaceId }, body: { email } }), writeRefused);
  t.equal((await person.ask('listMembers', { params: { workspaceId } })).status, 200);
  const params = { workspaceId, userId: admin.userId };
  t.equal((await person.ask('updateMember', { params, body: { role: 'viewer' } })).status, 200);
  t.equal((await person.ask('updateMember', { params, body: { role: 'admin' } })).status, 200);

  const back = { params: { workspaceId }, body: { archived: false } };
  t.match(await admin.person.ask('updateWorkspace', back), {
    status: 403,
    body: { error: 'svc/auth/insufficient_scope' },
  });
  const before = receiver.received.length;
  t.match(await person.ask('updateWorkspace', back), { status: 200, body: { archivedAt: null } });
  await receiver.arrived(before + 1);
  t.equal((await say(tenant)).status, 201);
  t.match(
    await person.ask('createEnvironment', { body: { projectId: second.projectId, name: 'production' } }),
    writeRefused,
    'a project that was archived by itself',
  );
  t.match(await listAudit(tenant, { workspaceId, targetId: workspaceId }), [
    { action: 'workspace.updated', details: { archived: false } },
    { action: 'workspace.archived' },
    { action: 'workspace.created' },
  ]);
});
