/** Members of a workspace, of its projects and of the Console: added, given other roles, removed. */
import t from 'tap';
import { shareSkein } from '../../support/skein.ts';
import {
  absent,
  conflict,
  createPeople,
  denied,
  type Json,
  newAddress,
  password,
  type Person,
  sortStatuses,
} from './people.ts';

const skein = await shareSkein(t);
const { browser, signUp, verified, join, invited, accept, events, acts } = createPeople(skein);

const inWorkspace = ({ workspaceId }: Person, { userId }: Pick<Person, 'userId'>) => ({
  params: { workspaceId, userId },
});
const get = (by: Person, of: Pick<Person, 'userId'>) => by.browser.ask('getMember', inWorkspace(by, of));
const change = (by: Person, of: Person, role: string) =>
  by.browser.ask('updateMember', { ...inWorkspace(by, of), body: { role } });
const remove = (by: Person, of: Person) => by.browser.ask('removeMember', inWorkspace(by, of));
const transfer = ({ browser: by, workspaceId }: Person, { userId }: Pick<Person, 'userId'>, key?: string) =>
  by.ask('transferWorkspace', {
    params: { workspaceId },
    body: { userId },
    ...(key !== undefined && { key }),
  });
const listRoles = async ({ browser: by, workspaceId }: Person): Promise<unknown[]> =>
  (await by.list('listMembers', { params: { workspaceId } })).map(({ role }) => role);

type MembersOf = 'ProjectMember' | 'ConsoleMember';
const give = (
  of: MembersOf,
  { browser: by, projectId }: Person,
  { userId }: Pick<Person, 'userId'>,
  role: string,
) => by.ask<Json>(`upsert${of}`, { params: { projectId }, body: { userId, role } });
const take = (of: MembersOf, { browser: by, projectId }: Person, { userId }: Person) =>
  by.ask(`remove${of}`, { params: { projectId, userId } });

const createProject = ({ browser: by, workspaceId }: Person) =>
  by.ask<{ projectId: string }>('createProject', { body: { workspaceId, name: 'Another' } });
const createKey = ({ browser: by, projectId }: Person) =>
  by.ask<{ secret: string }>('createApiKey', {
    body: { projectId, name: 'k', environment: 'test', scopes: ['threads:read'] },
  });

t.test('a role is changed, and takes effect at once', async t => {
  const owner = await signUp();
  const member = await join(owner, 'viewer');
  t.match(await owner.browser.list('listMembers', { params: { workspaceId: owner.workspaceId } }), [
    { userId: owner.userId, email: owner.email, role: 'owner' },
    { userId: member.userId, email: member.email, role: 'viewer' },
  ]);
  t.match(await createProject(member), denied);
  const changed = await change(owner, member, 'admin');
  t.match(changed, { status: 200, body: { userId: member.userId, role: 'admin' } });
  t.same((await change(owner, member, 'admin')).body, changed.body, 'the same again changes nothing');
  t.same((await get(member, member)).body, changed.body);
  t.equal((await createProject(member)).status, 201);
  t.match(await change(member, member, 'owner'), denied, 'only owners make owners');
  t.match(await change(member, owner, 'viewer'), denied);
  t.match(await remove(member, owner), denied);
  await change(owner, member, 'viewer');
  t.match(await createProject(member), denied);
  t.match(await change(member, member, 'admin'), denied);
});

t.test('every member may leave, except the last owner', async t => {
  const owner = await signUp();
  const [viewer, other] = [await join(owner, 'viewer'), await join(owner, 'viewer')];
  t.match(await remove(viewer, other), denied);
  t.equal((await remove(viewer, viewer)).status, 200);
  t.match(await get(viewer, viewer), absent);
  t.match(await remove(owner, owner), conflict);
  t.match(await change(owner, owner, 'admin'), conflict);
  const second = await join(owner, 'owner');
  t.equal((await remove(owner, owner)).status, 200);
  t.match(await remove(second, second), conflict);
});

t.test('an owner who hands over becomes an admin', async t => {
  const owner = await signUp();
  const [admin, viewer] = [await join(owner, 'admin'), await join(owner, 'viewer')];
  t.match(await transfer(owner, owner), conflict);
  const refused = { ...absent, body: { details: { issues: [{ path: '/body/userId' }] } } };
  t.match(await transfer(owner, await signUp()), refused);
  t.same(await listRoles(owner), ['owner', 'admin', 'viewer']);

  const transferred = await transfer(owner, viewer, 'handed-over');
  t.match(transferred, { status: 200, body: { userId: viewer.userId, role: 'owner' } });
  t.same(await listRoles(owner), ['admin', 'admin', 'owner']);
  t.same((await transfer(owner, viewer, 'handed-over')).body, transferred.body, 'also repeated by an admin');
  t.match(await transfer(owner, admin), denied);
  const recorded = await acts(viewer, { action: 'workspace.transferred' });
  t.equal(recorded.length, 1);
  t.match(recorded[0], {
    actor: { id: owner.userId },
    targetId: viewer.userId,
    details: { fromUserId: owner.userId, previousRole: 'viewer' },
  });
});

t.test('changes of owners at once leave one owner', async t => {
  const owner = await signUp();
  const others = [await join(owner, 'admin'), await join(owner, 'viewer')];
  const replies = await Promise.all(others.map(other => transfer(owner, other)));
  t.same(sortStatuses(replies), [200, 403]);
  t.equal((await listRoles(owner)).filter(role => role === 'owner').length, 1);

  for (let round = 0; round < 2; round++) {
    const one = await signUp();
    const two = await join(one, 'owner');
    const [good, bad] = sortStatuses(
      await Promise.all([change(one, two, 'admin'), change(two, one, 'admin')]),
    );
    t.ok(good === 200 && (bad === 403 || bad === 409), `${good} ${bad}`);
    t.same((await listRoles(one)).sort(), ['admin', 'owner']);
    const three = await signUp();
    const four = await join(three, 'owner');
    t.same(sortStatuses(await Promise.all([remove(three, four), remove(four, three)])), [200, 404]);
  }
});

t.test('a removed member loses every role and invitation; their keys stay', async t => {
  const owner = await verified();
  const member = await join(owner, 'viewer', verified());
  const { projectId } = owner;
  const { userId } = member;
  await give('ConsoleMember', owner, member, 'agent');
  await give('ProjectMember', owner, member, 'developer');
  const { body: key } = await createKey(member);
  const admin = await join(owner, 'admin', verified());
  const email = newAddress();
  const [token, kept] = [await invited(admin, email), await invited(owner, newAddress())];
  const before = (await events(owner)).length;

  t.equal((await remove(owner, member)).status, 200);
  t.match(await get(member, owner), absent);
  t.match(await createKey(member), absent);
  t.match(await remove(owner, member), absent);
  const told = (await events(owner)).slice(before);
  const data = { actor: { id: owner.userId }, member: { userId, projectId } };
  t.match(told, [
    { eventName: 'project.role.removed', data: { ...data, member: { role: 'developer' } } },
    { eventName: 'project.member.removed', data: { ...data, member: { role: 'agent' } } },
  ]);
  t.equal(told.length, 2);
  const asked = { query: { projectId } };
  t.equal((await skein.client(key.secret).ask('listThreads', asked)).status, 200);
  t.equal((await member.browser.list('listWorkspaces')).length, 1, 'their own workspace stays');

  await remove(owner, admin);
  t.match(await accept(browser(), token, password), absent);
  t.equal((await accept(browser(), kept, password)).status, 200);
  const revoked = (await events(owner)).filter(({ eventName }) => eventName.endsWith('invitation.revoked'));
  t.match(revoked, [{ data: { actor: { id: owner.userId }, invitation: { email } } }]);
  t.equal(revoked.length, 1);
});

t.test('a demotion to viewer revokes invitations, also while they are accepted', async t => {
  const owner = await verified();
  const [admin, other] = [await join(owner, 'admin', verified()), await join(owner, 'owner', verified())];
  const [token, good] = [await invited(admin, newAddress()), await invited(other, newAddress())];
  await change(owner, admin, 'viewer');
  t.match(await accept(browser(), token, password), absent);
  await change(owner, other, 'admin');
  t.equal((await accept(browser(), good, password)).status, 200, 'an admin may still invite');

  const tokens = [await invited(other, newAddress()), await invited(other, newAddress())];
  const [changed, ...accepted] = await Promise.all([
    change(owner, other, 'viewer'),
    ...tokens.map(each => accept(browser(), each, password)),
  ]);
  t.equal(changed.status, 200, 'no deadlock');
  for (const { status } of accepted) t.ok([200, 404].includes(status), String(status));
});

t.test('removed while they get a role or make a project: the member has nothing left', async t => {
  const owner = await signUp();
  for (const what of [
    'ConsoleMember',
    'ProjectMember',
    'project',
    'ConsoleMember',
    'ProjectMember',
  ] as const) {
    const member = await join(owner, what === 'project' ? 'admin' : 'viewer');
    const before = (await events(owner)).length;
    const [given, removed] = await Promise.all([
      what === 'project' ? createProject(member) : give(what, owner, member, 'viewer'),
      remove(owner, member),
    ]);
    t.equal(removed.status, 200);
    t.ok([200, 201, 404].includes(given.status), `${what}: ${given.status}`);
    const left = await skein.database.query(
      'select from console_members where user_id = $1 and project_id in (select project_id from projects where workspace_id = $2)',
      [member.userId, owner.workspaceId],
    );
    t.same(left, [], what);
    t.match(await get(owner, member), absent);
    const told = (await events(owner)).slice(before);
    if (what !== 'project') t.equal(told.length, given.status === 200 ? 2 : 0, 'given and taken');
  }
});

for (const [of, first, second, kind] of [
  ['ProjectMember', 'developer', 'viewer', 'role'],
  ['ConsoleMember', 'viewer', 'agent', 'member'],
] as const) {
  t.test(`a ${of} is made, changed and removed, with an event for each change`, async t => {
    const owner = await signUp();
    const [member, outsider] = [await join(owner, 'viewer'), await signUp()];
    const { projectId } = owner;
    const { userId } = member;
    t.equal((await give(of, owner, outsider, first)).status, 404, 'only members of the workspace');
    const made = await Promise.all([1, 2, 3].map(() => give(of, owner, member, first)));
    t.same(sortStatuses(made), [200, 200, 200]);
    t.equal(new Set(made.map(({ text }) => text)).size, 1, 'several at once make one');
    const changed = await give(of, owner, member, second);
    t.match(changed.body, { projectId, userId, role: second, createdAt: made[0]?.body['createdAt'] });
    t.equal((await take(of, owner, member)).status, 204);
    t.equal((await take(of, owner, member)).status, 404);
    const told = await events(owner);
    t.same(
      told.map(({ eventName }) => eventName),
      ['upserted', 'upserted', 'removed'].map(what => `project.${kind}.${what}`),
    );
    for (const { data } of told)
      t.match(data, { actor: { type: 'user', id: owner.userId }, member: { projectId, userId } });
    const recorded = (await acts(owner, { targetId: userId })).filter(({ action }) =>
      action.endsWith('_member.upserted'),
    );
    t.match(recorded, [{ details: { role: first } }, { details: { role: second, previousRole: first } }]);
  });
}

t.test('a role in a project or the Console takes effect at once', async t => {
  const owner = await signUp();
  const member = await join(owner, 'viewer');
  const read = async () =>
    (await member.browser.ask('listStreamEvents', { params: { projectId: owner.projectId } })).status;
  t.match(await createKey(member), denied);
  t.equal(await read(), 403);
  await give('ProjectMember', owner, member, 'developer');
  await give('ConsoleMember', owner, member, 'viewer');
  t.equal((await createKey(member)).status, 201);
  t.equal(await read(), 200);
  await take('ProjectMember', owner, member);
  await take('ConsoleMember', owner, member);
  t.match(await createKey(member), denied);
  t.equal(await read(), 403);
  const admin = await join(owner, 'admin');
  t.match(await give('ProjectMember', owner, admin, 'viewer'), conflict, 'an admin has every project');
});

t.test('members are shown with their roles in the projects of this workspace only', async t => {
  const owner = await signUp();
  const member = await join(owner, 'viewer');
  const { workspaceId, projectId } = owner;
  const { body: second } = await createProject(owner);
  const other = await signUp();
  await give('ProjectMember', other, await join(other, 'viewer', Promise.resolve(member)), 'developer');
  await give('ProjectMember', owner, member, 'developer');
  await give('ProjectMember', { ...owner, ...second }, member, 'viewer');
  const projectRoles = [
    { projectId, role: 'developer' },
    { projectId: second.projectId, role: 'viewer' },
  ];
  t.match(await member.browser.list('listMembers', { params: { workspaceId } }), [
    { userId: owner.userId, projectRoles: [] },
    { userId: member.userId, projectRoles },
  ]);
  t.same((await get(owner, member)).body['projectRoles'], projectRoles);
});
