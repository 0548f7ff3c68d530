/** Roles in one project over HTTP: given, changed, taken away, and what each lets its user do. */
import t from 'tap';
import { Value } from 'typebox/value';
import { eventTypes } from '../../../protocol/events.ts';
import { ListedProjectMember, ProjectMember } from '../../../protocol/resources/project.ts';
import { WorkspaceMember } from '../../../protocol/resources/workspace.ts';
import { auditContext } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startAuthNode } from '../auth/auth-fixture.ts';
import { absent, conflict, denied, membership, type User } from './membership-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const { joined, events } = membership(node, db);

const getPath = ({ projectId }: Pick<User, 'projectId'>) => `/projects/${projectId}/members`;
const list = (by: User, query = '') => by.client.call('GET', `${getPath(by)}${query}`);
const give = (by: User, to: Pick<User, 'userId'>, role: unknown) =>
  by.client.call('PUT', getPath(by), { body: { userId: to.userId, role } });
const take = (by: User, from: Pick<User, 'userId'>) =>
  by.client.call('DELETE', `${getPath(by)}/${from.userId}`);
const makeKey = ({ client, projectId }: User) =>
  client.call('POST', '/api-keys', {
    body: { projectId, name: 'k', environment: 'test', scopes: ['threads:read'] },
  });

t.test('a viewer of the workspace becomes a developer, a viewer again, and each counts at once', async t => {
  const owner = await node.signedUp();
  const member = await joined(owner, 'viewer');
  const { projectId } = owner;
  const { userId } = member;
  t.match(await makeKey(member), denied);

  const given = await give(owner, member, 'developer');
  t.equal(given.status, 200);
  t.ok(Value.Check(ProjectMember, given.body));
  t.match(given.body, { projectId, userId, role: 'developer' });
  t.same((await give(owner, member, 'developer')).body, given.body, 'the same again changes nothing');
  t.equal((await makeKey(member)).status, 201);

  const listed = await list(member);
  t.match(listed.body, { data: [{ userId, role: 'developer', avatarColor: null }], hasMore: false });
  for (const one of listed.body['data'] as unknown[]) t.ok(Value.Check(ListedProjectMember, one));

  t.match((await give(owner, member, 'viewer')).body, { role: 'viewer', createdAt: given.body['createdAt'] });
  t.match(await makeKey(member), denied);
  await give(owner, member, 'developer');
  t.equal((await makeKey(member)).status, 201);
  t.equal((await take(owner, member)).status, 204);
  t.match(await makeKey(member), denied, 'what the workspace gives is left');
  t.match(await take(owner, member), absent);
  t.match((await list(owner)).body, { data: [] });

  const { body: keys } = await owner.client.call('GET', `/api-keys?projectId=${projectId}`);
  const statuses = (keys['data'] as { status: string }[]).map(({ status }) => status);
  t.same(statuses, ['active', 'active'], 'keys belong to the project');
});

t.test('every change is an event of the project and in the audit log', async t => {
  const owner = await node.signedUp();
  const member = await joined(owner, 'viewer');
  const { projectId } = owner;
  const { userId } = member;
  for (const role of ['viewer', 'viewer', 'developer']) await give(owner, member, role);
  await take(owner, member);
  const told = await events(owner);
  t.same(
    told.map(event => event.eventName),
    ['project.role.upserted', 'project.role.upserted', 'project.role.removed'],
  );
  for (const event of told) {
    t.ok(Value.Check(eventTypes['project.role.upserted'].data, event.data));
    t.match(event.data, { actor: { type: 'user', id: owner.userId }, member: { projectId, userId } });
  }
  const { body } = await owner.client.call('GET', `/audit-logs?projectId=${projectId}&targetId=${userId}`);
  t.match(body['data'], [
    { action: 'project_member.removed', actor: { id: owner.userId }, details: { role: 'developer' } },
    { action: 'project_member.upserted', details: { role: 'developer', previousRole: 'viewer' } },
    { action: 'project_member.upserted', targetId: userId, details: { role: 'viewer' } },
  ]);
});

t.test('only members of the workspace who do not administer it can be given a role', async t => {
  const owner = await node.signedUp();
  const admin = await joined(owner, 'admin');
  const outsider = await node.signedUp();
  for (const to of [outsider, { userId: 'usr_00000000000000000000000000' }]) {
    const reply = await give(owner, to, 'developer');
    t.match(reply, absent);
    t.match(reply.body, { details: { issues: [{ path: '/body/userId' }] } });
  }
  for (const to of [owner, admin]) t.match(await give(admin, to, 'viewer'), conflict);
  const viewer = await joined(owner, 'viewer');
  for (const role of ['owner', 'admin', 'agent', '', null]) {
    t.equal((await give(owner, viewer, role)).status, 422);
  }
  t.same(await events(owner), []);
});

t.test('who may: admins give, members read, strangers and keys find nothing', async t => {
  const owner = await node.signedUp();
  const [admin, viewer, developer] = [
    await joined(owner, 'admin'),
    await joined(owner, 'viewer'),
    await joined(owner, 'viewer'),
  ];
  t.equal((await give(admin, developer, 'developer')).status, 200);
  t.match(await give(developer, viewer, 'developer'), denied, 'a developer gives nobody a role');
  t.match(await give(viewer, viewer, 'developer'), denied, 'nor does anybody to themselves');
  t.match(await take(viewer, developer), denied);
  t.equal((await list(viewer)).status, 200);

  const outsider = { ...(await node.signedUp()), projectId: owner.projectId };
  t.match(await list(outsider), absent);
  t.match(await give(outsider, viewer, 'developer'), absent);
  t.match(await take(outsider, developer), absent);

  const key = await owner.client.call('POST', '/api-keys', {
    body: { projectId: owner.projectId, name: 'all', environment: 'test', scopes: ['*'] },
  });
  const byKey = { ...owner, client: node.client() };
  byKey.client.token = String(key.body['secret']);
  t.match(await list(byKey), denied);
  t.match(await give(byKey, viewer, 'developer'), denied);
  t.match(await take(byKey, developer), denied);
});

t.test('the members of a workspace are shown with their roles in its projects, and in no other', async t => {
  const owner = await node.signedUp();
  const member = await joined(owner, 'viewer');
  const { workspaceId, projectId } = owner;
  const { body: second } = await owner.client.call('POST', '/projects', {
    body: { workspaceId, name: 'Second' },
  });
  const other = await node.signedUp();
  const elsewhere = { workspaceId: other.workspaceId, userId: member.userId, role: 'viewer' };
  await db.query(
    `insert into workspace_members (workspace_id, user_id, role, created_at, updated_at) values ($1, $2, $3, now(), now())`,
    Object.values(elsewhere),
  );
  await give(other, member, 'developer');
  await give(owner, member, 'developer');
  await give({ ...owner, projectId: String(second['projectId']) }, member, 'viewer');
  const projectRoles = [
    { projectId, role: 'developer' },
    { projectId: second['projectId'], role: 'viewer' },
  ];
  const listed = await member.client.call('GET', `/workspaces/${workspaceId}/members`);
  t.match(listed.body, {
    data: [
      { userId: owner.userId, projectRoles: [] },
      { userId: member.userId, projectRoles },
    ],
  });
  for (const one of listed.body['data'] as unknown[]) t.ok(Value.Check(WorkspaceMember, one));
  const one = await owner.client.call('GET', `/workspaces/${workspaceId}/members/${member.userId}`);
  t.same(one.body['projectRoles'], projectRoles);
});

t.test(
  'a member who is removed from the workspace loses them, with events; removing at once is safe',
  async t => {
    const owner = await node.signedUp();
    const member = await joined(owner, 'viewer');
    const path = `/workspaces/${owner.workspaceId}/members/${member.userId}`;
    await give(owner, member, 'developer');
    t.equal((await owner.client.call('DELETE', path)).status, 204);
    t.match(await makeKey(member), absent);
    t.match((await events(owner)).at(-1), {
      eventName: 'project.role.removed',
      data: { member: { userId: member.userId, role: 'developer' } },
    });
    const query = `workspaceId=${owner.workspaceId}&targetId=${member.userId}`;
    const { body } = await owner.client.call('GET', `/audit-logs?${query}`);
    const actions = (body['data'] as { action: string }[]).map(({ action }) => action);
    t.ok(actions.includes('project_member.removed'));

    for (let round = 0; round < 5; round++) {
      const next = await joined(owner, 'viewer');
      const { projectId } = owner;
      const made = node.projectMembers.upsert({
        projectId,
        userId: next.userId,
        role: 'developer',
        ...auditContext(owner.userId),
      });
      const gone = owner.client.call('DELETE', `/workspaces/${owner.workspaceId}/members/${next.userId}`);
      const [given, removed] = await Promise.allSettled([made, gone]);
      t.match(removed, { status: 'fulfilled', value: { status: 204 } });
      if (given.status === 'rejected') t.match(given.reason, { code: 'svc/runtime/not_found' });
      t.equal(await node.access.project(next.userId, owner.projectId), undefined);
      const told = (await events(owner)).filter(
        ({ data }) => (data['member'] as { userId: string }).userId === next.userId,
      );
      t.equal(
        told.length,
        given.status === 'fulfilled' ? 2 : 0,
        'each role that was given is told to be gone',
      );
    }
  },
);

t.test('the list pages, and refuses the cursor of another project', async t => {
  const owner = await node.signedUp();
  const userIds: string[] = [];
  for (let i = 0; i < 3; i++) {
    const member = await joined(owner, 'viewer');
    await give(owner, member, i === 1 ? 'viewer' : 'developer');
    userIds.push(member.userId);
  }
  const first = await list(owner, '?limit=2');
  t.match(first.body, { hasMore: true, data: [{ userId: userIds[0] }, { userId: userIds[1] }] });
  const cursor = String(first.body['nextCursor']);
  const rest = await list(owner, `?limit=2&cursor=${cursor}`);
  t.match(rest.body, { hasMore: false, nextCursor: null, data: [{ userId: userIds[2] }] });
  t.equal((await list(await node.signedUp(), `?cursor=${cursor}`)).status, 400);
});
