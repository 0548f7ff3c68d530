/** Members of a workspace over HTTP: listed, given other roles, removed. */
import t from 'tap';
import { Value } from 'typebox/value';
import { eventTypes } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import { WorkspaceMember } from '../../../protocol/resources/workspace.ts';
import { ConsoleMember, ProjectMember } from '../../../storage/entities/tenancy.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startAuthNode } from '../auth/auth-fixture.ts';
import {
  absent,
  conflict,
  denied,
  membership,
  newAddress,
  password,
  type User,
} from './membership-fixture.ts';
import { auditContext } from '../../support/accounts.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const { joined, invited, accept, events } = membership(node, db);
const stamps = { createdAt: new Date(), updatedAt: new Date() };

const getPath = (user: Pick<User, 'workspaceId'>, of?: Pick<User, 'userId'>) =>
  `/workspaces/${user.workspaceId}/members${of === undefined ? '' : `/${of.userId}`}`;
const get = (by: User, of: Pick<User, 'userId'>) => by.client.call('GET', getPath(by, of));
const change = (by: User, of: Pick<User, 'userId'>, role: unknown) =>
  by.client.call('PATCH', getPath(by, of), { body: { role } });
const remove = (by: User, of: Pick<User, 'userId'>) => by.client.call('DELETE', getPath(by, of));

async function rolesIn(user: User): Promise<unknown[]> {
  const { status, body } = await user.client.call('GET', getPath(user));
  t.equal(status, 200);
  return (body['data'] as Record<string, unknown>[]).map(member => member['role']);
}

t.test('the founder is the owner; members are listed and read', async t => {
  const owner = await node.signedUp();
  const viewer = await joined(owner, 'viewer');
  const { body } = await viewer.client.call('GET', getPath(owner));
  const { workspaceId } = owner;
  t.match(body, {
    data: [
      { workspaceId, userId: owner.userId, email: owner.email, role: 'owner' },
      { workspaceId, userId: viewer.userId, email: viewer.email, role: 'viewer' },
    ],
    hasMore: false,
    nextCursor: null,
  });
  for (const member of body['data'] as unknown[]) t.ok(Value.Check(WorkspaceMember, member));
  t.same((await get(viewer, owner)).body, (body['data'] as unknown[])[0]);
});

t.test('every member may leave, except the last owner', async t => {
  const owner = await node.signedUp();
  const [admin, viewer, other] = [
    await joined(owner, 'admin'),
    await joined(owner, 'viewer'),
    await joined(owner, 'viewer'),
  ];
  t.match(await remove(viewer, other), denied, 'another’s membership is not theirs to end');
  t.match(await remove(viewer, owner), denied);
  t.match(await change(viewer, viewer, 'admin'), denied, 'nor their own theirs to change');
  for (const one of [viewer, admin]) {
    t.equal((await remove(one, one)).status, 204);
    t.match(await get(one, one), absent, 'and that is the end of it');
  }
  t.match(await remove(owner, owner), conflict);
  t.same(await rolesIn(owner), ['owner', 'viewer']);
});

t.test('a role is changed, and shows at once', async t => {
  const owner = await node.signedUp();
  const member = await joined(owner, 'viewer');
  const { workspaceId } = owner;
  const create = () => member.client.call('POST', '/projects', { body: { workspaceId, name: 'Mine' } });
  t.match(await create(), denied);
  const changed = await change(owner, member, 'admin');
  t.equal(changed.status, 200);
  t.ok(Value.Check(WorkspaceMember, changed.body));
  t.match(changed.body, { userId: member.userId, email: member.email, role: 'admin' });
  t.same((await change(owner, member, 'admin')).body, changed.body, 'the same again changes nothing');
  t.equal((await create()).status, 201);
  t.equal((await change(owner, member, 'viewer')).status, 200);
  t.match(await create(), denied);
  for (const role of ['developer', 'agent', '', null, 7])
    t.equal((await change(owner, member, role)).status, 422);
});

t.test('owners are made and unmade by owners alone', async t => {
  const owner = await node.signedUp();
  const admin = await joined(owner, 'admin');
  const viewer = await joined(owner, 'viewer');
  t.match(await change(admin, admin, 'owner'), denied);
  t.match(await change(admin, viewer, 'owner'), denied);
  t.match(await change(admin, owner, 'viewer'), denied);
  t.match(await remove(admin, owner), denied);
  t.equal((await change(admin, viewer, 'admin')).status, 200);
  t.equal((await change(owner, admin, 'owner')).status, 200);
  t.equal((await change(admin, owner, 'viewer')).status, 200, 'being one now');
  t.same((await rolesIn(admin)).sort(), ['admin', 'owner', 'viewer']);
});

t.test('ownership is handed over: the member is the owner, and who was it an admin', async t => {
  const owner = await node.signedUp();
  const [admin, viewer] = [await joined(owner, 'admin'), await joined(owner, 'viewer')];
  const { workspaceId } = owner;
  const path = `/workspaces/${workspaceId}/transfer-ownership`;
  const transfer = (by: User, to: Pick<User, 'userId'>, headers = {}) =>
    by.client.call('POST', path, { body: { userId: to.userId }, headers });

  t.match(await transfer(admin, viewer), denied, 'only an owner can');
  t.match(await transfer(viewer, viewer), denied);
  t.match(await transfer(await node.signedUp(), viewer), absent);
  t.match(await transfer(owner, owner), conflict, 'to oneself');
  const outsider = await node.signedUp();
  for (const to of [outsider, { userId: 'usr_00000000000000000000000000' }]) {
    const reply = await transfer(owner, to);
    t.match(reply, absent);
    t.match(reply.body, { details: { issues: [{ path: '/body/userId' }] } });
  }
  t.same(await rolesIn(owner), ['owner', 'admin', 'viewer'], 'nothing has changed');
  t.match(await remove(owner, owner), conflict, 'an owner leaves after it');

  const key = { 'Idempotency-Key': 'handed-over' };
  const transferred = await transfer(owner, viewer, key);
  t.equal(transferred.status, 200);
  t.ok(Value.Check(WorkspaceMember, transferred.body));
  t.match(transferred.body, { userId: viewer.userId, role: 'owner' });
  t.same(await rolesIn(owner), ['admin', 'admin', 'owner']);
  t.same(
    (await transfer(owner, viewer, key)).body,
    transferred.body,
    'the repetition of one who is none any more',
  );
  t.match(await transfer(owner, admin), denied);
  const { body: acts } = await viewer.client.call(
    'GET',
    `/audit-logs?workspaceId=${workspaceId}&action=workspace.transferred`,
  );
  t.match(acts['data'], [
    {
      actor: { id: owner.userId },
      targetId: viewer.userId,
      details: { fromUserId: owner.userId, previousRole: 'viewer' },
    },
  ]);
  t.equal((acts['data'] as unknown[]).length, 1);
  t.equal((await remove(owner, owner)).status, 204, 'and leaves');
  t.same(await rolesIn(viewer), ['admin', 'owner']);
});

t.test('handed over to two at once: one is the owner', async t => {
  for (let round = 0; round < 3; round++) {
    const owner = await node.signedUp();
    const others = [await joined(owner, 'admin'), await joined(owner, 'viewer')];
    const replies = await Promise.all(
      others.map(({ userId }) =>
        owner.client.call('POST', `/workspaces/${owner.workspaceId}/transfer-ownership`, {
          body: { userId },
        }),
      ),
    );
    t.same(replies.map(reply => reply.status).sort(), [200, 403]);
    t.equal((await rolesIn(owner)).filter(role => role === 'owner').length, 1);
  }
});

t.test('the last owner stays', async t => {
  const owner = await node.signedUp();
  await joined(owner, 'admin');
  t.match(await change(owner, owner, 'admin'), conflict);
  t.match(await remove(owner, owner), conflict);
  t.equal((await change(owner, owner, 'owner')).status, 200);
  const second = await joined(owner, 'owner');
  t.equal((await remove(owner, owner)).status, 204, 'with another there, the first may go');
  t.match(await remove(second, second), conflict);
});

t.test('two owners who unmake each other at once: one is left', async t => {
  for (let round = 0; round < 3; round++) {
    const one = await node.signedUp();
    const two = await joined(one, 'owner');
    const replies = await Promise.all([change(one, two, 'admin'), change(two, one, 'admin')]);
    const statuses = replies.map(reply => reply.status);
    t.equal(statuses.filter(status => status === 200).length, 1);
    t.ok([403, 409].includes(statuses.find(status => status !== 200) ?? 0), String(statuses));
    t.same((await rolesIn(one)).sort(), ['admin', 'owner']);

    const three = await node.signedUp();
    const four = await joined(three, 'owner');
    const removals = await Promise.all([remove(three, four), remove(four, three)]);
    t.same(removals.map(reply => reply.status).sort(), [204, 404]);
    const owners = await db.query(
      `select 1 from workspace_members where workspace_id = $1 and role = 'owner'`,
      [three.workspaceId],
    );
    t.equal(owners.length, 1);
  }
});

t.test('a removed member loses every role, in projects and the Console, too', async t => {
  const owner = await node.signedUp();
  const member = await joined(owner, 'viewer');
  const { projectId } = owner;
  const { userId } = member;
  await db.em().insert(ConsoleMember, { projectId, userId, role: 'agent', ...stamps });
  await db.em().insert(ProjectMember, { projectId, userId, role: 'developer', ...stamps });
  t.match(await node.access.project(userId, projectId), { studioRole: 'developer', consoleRole: 'agent' });

  t.equal((await remove(owner, member)).status, 204);
  t.equal(await node.access.project(userId, projectId), undefined);
  t.match(await get(member, owner), absent);
  t.match(await member.client.call('GET', `/api-keys?projectId=${projectId}`), absent);
  t.same(await rolesIn(owner), ['owner']);
  t.match(await remove(owner, member), absent);
  t.match(await get(owner, member), absent);
  t.match(await change(owner, member, 'viewer'), absent);

  const [role, event, ...none] = await events(owner);
  t.same(none, []);
  t.equal(role?.eventName, 'project.role.removed');
  t.match(role?.data, { actor: { id: owner.userId }, member: { userId, projectId, role: 'developer' } });
  t.equal(event?.eventName, 'project.member.removed');
  t.ok(Value.Check(eventTypes['project.member.removed'].data, event?.data));
  t.match(event?.data, { actor: { id: owner.userId }, member: { userId, projectId, role: 'agent' } });

  const own = await member.client.call('GET', '/workspaces');
  t.equal((own.body['data'] as unknown[]).length, 1, 'what is theirs elsewhere stays');
});

t.test('who is removed is out, though their threads cannot be reached', async t => {
  const owner = await node.signedUp();
  const member = await joined(owner, 'admin');
  const { projectId, workspaceId } = owner;
  await db.query(
    `insert into threads (thread_id, project_id, environment_id, status, assignee_user_id, last_message_at, active_second,
       created_at, updated_at, state, version)
     select $1, project_id, environment_id, 'open', $3, now(), 0, now(), now(), '{}', 1 from environments where project_id = $2`,
    [newId('thread'), projectId, member.userId],
  );
  t.equal((await remove(owner, member)).status, 204);
  t.equal(await node.access.workspace(member.userId, workspaceId), undefined);
  t.match(await get(member, owner), absent);
});

t.test("a removed member's invitations are revoked, what they made for the project stays", async t => {
  const owner = await node.signedUp();
  const admin = await joined(owner, 'admin');
  const email = newAddress();
  const kept = await invited(owner, newAddress());
  const token = await invited(admin, email);
  const body = { projectId: owner.projectId, name: 'k', environment: 'test', scopes: ['threads:read'] };
  const { body: key } = await admin.client.call('POST', '/api-keys', { body });
  t.equal((await remove(owner, admin)).status, 204);

  t.match(await accept(node.client(), token, password), absent);
  t.equal((await accept(node.client(), kept, password)).status, 200, 'that of somebody else is good');
  const told = (await events(owner)).filter(({ eventName }) => eventName === 'workspace.invitation.revoked');
  t.match(told, [
    { data: { actor: { id: owner.userId }, invitation: { email, invitedByUserId: admin.userId } } },
  ]);
  const { body: keys } = await owner.client.call('GET', `/api-keys?projectId=${owner.projectId}`);
  t.match(keys['data'], [{ apiKeyId: key['apiKeyId'], status: 'active' }]);
  const { apiKeys } = node;
  t.match(await apiKeys.findGrant(String(key['secret'])), { apiKeyId: key['apiKeyId'] }, 'it works on');
});

t.test('a demotion to viewer revokes the invitations that the member sent', async t => {
  const owner = await node.signedUp();
  const admin = await joined(owner, 'admin');
  const second = newAddress();
  const token = await invited(admin, second);
  t.equal((await change(owner, admin, 'viewer')).status, 200);
  t.match(await accept(node.client(), token, password), absent);
  const told = (await events(owner)).filter(({ eventName }) => eventName === 'workspace.invitation.revoked');
  t.match(told, [{ data: { actor: { id: owner.userId }, invitation: { email: second } } }]);

  const another = await joined(owner, 'owner');
  const good = await invited(another, newAddress());
  t.equal((await change(owner, another, 'admin')).status, 200);
  t.equal((await accept(node.client(), good, password)).status, 200, 'an admin may still invite');
});

t.test('demotion while invitations are accepted: no deadlock, in either order', async t => {
  for (let round = 0; round < 3; round++) {
    const owner = await node.signedUp();
    const admin = await joined(owner, 'admin');
    const tokens = [await invited(admin, newAddress()), await invited(admin, newAddress())];
    const [changed, ...accepted] = await Promise.all([
      change(owner, admin, 'viewer'),
      ...tokens.map(token => accept(node.client(), token, password)),
    ]);
    t.equal(changed.status, 200);
    for (const { status } of accepted) t.ok([200, 404].includes(status), String(status));
  }
});

t.test('removed and made a Console member at once: never a member of the Console alone', async t => {
  for (let round = 0; round < 5; round++) {
    const owner = await node.signedUp();
    const member = await joined(owner, 'viewer');
    const { projectId } = owner;
    const { userId } = member;
    const made = node.consoleMembers.upsert({
      projectId,
      userId,
      role: 'agent',
      ...auditContext(owner.userId),
    });
    const [upserted, removed] = await Promise.allSettled([made, remove(owner, member)]);
    t.match(removed, { status: 'fulfilled', value: { status: 204 } });
    if (upserted.status === 'rejected') t.match(upserted.reason, { code: 'svc/console/not_found' });
    t.equal(await node.access.project(userId, projectId), undefined);
    const told = (await events(owner)).map(event => event.eventName);
    const both = ['project.member.upserted', 'project.member.removed'];
    t.same(told, upserted.status === 'fulfilled' ? both : []);
  }
});

t.test('removed while making a project: nobody in it either', async t => {
  for (let round = 0; round < 5; round++) {
    const owner = await node.signedUp();
    const member = await joined(owner, 'admin');
    const { workspaceId } = owner;
    const [made, removed] = await Promise.all([
      member.client.call('POST', '/projects', { body: { workspaceId, name: 'Parting gift' } }),
      remove(owner, member),
    ]);
    t.equal(removed.status, 204);
    t.ok([201, 404].includes(made.status), String(made.status));
    const left = await db.query(
      `select 1 from console_members join projects using (project_id) where workspace_id = $1 and user_id = $2`,
      [workspaceId, member.userId],
    );
    t.same(left, []);
  }
});

t.test('who may: viewers read, strangers and keys find nothing', async t => {
  const owner = await node.signedUp();
  const viewer = await joined(owner, 'viewer');
  t.match(await change(viewer, viewer, 'admin'), denied);
  t.match(await remove(viewer, owner), denied);

  const outsider = await node.signedUp();
  const trespasser = { ...outsider, workspaceId: owner.workspaceId };
  t.match(await trespasser.client.call('GET', getPath(owner)), absent);
  t.match(await get(trespasser, owner), absent);
  t.match(await change(trespasser, viewer, 'admin'), absent);
  t.match(await remove(trespasser, viewer), absent);
  const bodies = [
    await get(outsider, owner),
    await get(outsider, { userId: 'usr_00000000000000000000000000' }),
  ];
  t.same(
    bodies.map(({ status, body }) => ({ status, ...body, requestId: '' })),
    [0, 1].map(() => ({ ...bodies[0]?.body, status: 404, requestId: '' })),
    'a foreign user and none are the same',
  );
  t.match(await change(outsider, owner, 'admin'), absent);
  t.match(await remove(outsider, owner), absent);

  const body = { projectId: owner.projectId, name: 'all', environment: 'test', scopes: ['*'] };
  const key = await owner.client.call('POST', '/api-keys', { body });
  const byKey = { ...owner, client: node.client() };
  byKey.client.token = String(key.body['secret']);
  t.equal((await get(byKey, owner)).status, 401);
  t.match(await change(byKey, viewer, 'admin'), denied);
  t.match(await remove(byKey, viewer), denied);
});

t.test('the list pages, and refuses a foreign cursor', async t => {
  const owner = await node.signedUp();
  const ids = [owner.userId, (await joined(owner, 'viewer')).userId, (await joined(owner, 'admin')).userId];
  const first = await owner.client.call('GET', `${getPath(owner)}?limit=2`);
  t.match(first.body, { hasMore: true, data: [{ userId: ids[0] }, { userId: ids[1] }] });
  const cursor = String(first.body['nextCursor']);
  const second = await owner.client.call('GET', `${getPath(owner)}?limit=2&cursor=${cursor}`);
  t.match(second.body, { hasMore: false, nextCursor: null, data: [{ userId: ids[2] }] });
  const other = await node.signedUp();
  t.match(await other.client.call('GET', `${getPath(other)}?cursor=${cursor}`), {
    status: 400,
    body: { error: 'svc/runtime/invalid_request' },
  });
});
