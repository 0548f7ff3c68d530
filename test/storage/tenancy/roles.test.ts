/** What a request was let in by is asked again in the transaction: its maker may have been removed while it waited. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { ConsoleMember, Environment, WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import { eventually } from '../../support/eventually.ts';
import { accountServices, auditContext, type Person } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database: db } = await startTestDatabase(t);
const { newPerson, consoleMembers, environments, invitations } = accountServices(db);
const stamps = { createdAt: new Date(), updatedAt: new Date() };

type WorkspaceRole = 'owner' | 'admin' | 'viewer';
type ConsoleRole = 'project_owner' | 'agent' | 'viewer';

async function joined(owner: Person, role: WorkspaceRole, consoleRole?: ConsoleRole): Promise<string> {
  const { userId } = await newPerson();
  const { workspaceId, projectId } = owner;
  await db.em().insert(WorkspaceMember, { workspaceId, userId, role, ...stamps });
  if (consoleRole !== undefined)
    await db.em().insert(ConsoleMember, { projectId, userId, role: consoleRole, ...stamps });
  return userId;
}

const change = ({ projectId, environmentId }: Person, userId: string, byUserId: string) => ({
  projectId,
  environmentId,
  userId,
  ...auditContext(byUserId),
});

t.test(
  'a project_owner who is removed while their request waits does not make themselves one again',
  async t => {
    const owner = await newPerson();
    const { projectId } = owner;
    const userId = await joined(owner, 'viewer', 'project_owner');
    const other = await joined(owner, 'viewer', 'agent');
    // Not by `transactional`, within whose callback all that is asked would be of the same transaction.
    const em = db.em();
    await em.begin();
    await em.execute('select 1 from projects where project_id = ? for update', [projectId]);
    const outcomes = Promise.allSettled([
      consoleMembers.upsert({ ...change(owner, userId, userId), role: 'project_owner' }),
      consoleMembers.remove(change(owner, other, userId)),
    ]);
    await eventually('requests that wait for the project', async () => {
      const held = await db.query<object>(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return held.length === 2;
    });
    await em.nativeDelete(ConsoleMember, { projectId, userId });
    await em.commit();
    const refused = { status: 'rejected', reason: { code: 'svc/console/forbidden' } };
    t.match(await outcomes, [refused, refused], 'a viewer of the workspace still, and no more');
    const left = await db.em().find(ConsoleMember, { projectId }, { orderBy: { userId: 'asc' } });
    t.same(
      left.map(member => member.userId),
      [owner.userId, other],
    );
  },
);

t.test('who may change Console members', async t => {
  const owner = await newPerson();
  const target = await joined(owner, 'viewer');
  for (const [role, consoleRole] of [['admin'], ['viewer', 'project_owner']] as const) {
    const by = await joined(owner, role, consoleRole);
    t.match(await consoleMembers.upsert({ ...change(owner, target, by), role: 'agent' }), { role: 'agent' });
    await consoleMembers.remove(change(owner, target, by));
  }
  const agent = await joined(owner, 'viewer', 'agent');
  const forbidden = { code: 'svc/console/forbidden' };
  for (const by of [agent, target]) {
    await t.rejects(consoleMembers.upsert({ ...change(owner, target, by), role: 'agent' }), forbidden);
    await t.rejects(consoleMembers.remove(change(owner, agent, by)), forbidden);
  }
  const { userId: unknown } = await newPerson();
  const absent = { code: 'svc/console/not_found' };
  await t.rejects(consoleMembers.upsert({ ...change(owner, target, unknown), role: 'agent' }), absent);
  await t.rejects(consoleMembers.remove(change(owner, agent, unknown)), absent);
});

t.test('production and invitations are for who may, at that moment', async t => {
  const owner = await newPerson();
  const { workspaceId, projectId } = owner;
  const invitation = await invitations.create({
    workspaceId,
    email: `${newId('user')}@example.com`,
    studioRole: 'viewer',
    consoleRole: 'viewer',
    ...auditContext(owner.userId),
  });
  const revoke = (by: string) => invitations.revoke(workspaceId, invitation.invitationId, auditContext(by));
  const viewer = await joined(owner, 'viewer', 'project_owner');
  const { userId: unknown } = await newPerson();
  await t.rejects(environments.createProduction(projectId, 'Live', auditContext(viewer)), {
    code: 'svc/auth/insufficient_scope',
  });
  const absent = { code: 'svc/runtime/not_found' };
  await t.rejects(environments.createProduction(projectId, 'Live', auditContext(unknown)), absent);
  await t.rejects(revoke(viewer), absent, 'the operation answers no 403');
  await t.rejects(revoke(unknown), absent);
  t.equal(await db.em().count(Environment, { projectId }), 1);

  const admin = await joined(owner, 'admin');
  t.match(await environments.createProduction(projectId, 'Live', auditContext(admin)), {
    kind: 'production',
  });
  await revoke(admin);
});
