/** Threads whose assignee may no longer answer in them are found by the sweep, and unassigned. */
import t from 'tap';
import { FormerAssignees } from '../../../gateway/jobs/former-assignees.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import type { Node } from '../../../runtime/node/node.ts';
import { ConsoleMember, ProjectMember, WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import type { Tenant } from '../../node/tenant.ts';
import { newThread } from '../../support/conversations.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { shareSkein, startSkeinOn } from '../../support/skein.ts';

const stamps = { createdAt: new Date(), updatedAt: new Date() };

async function newAssigned(tenant: Tenant, userId: string): Promise<string> {
  const { key, projectId } = tenant;
  const { threadId } = await newThread(tenant);
  await key.get('assignThread', { params: { threadId }, body: { projectId, userId } });
  return threadId;
}

t.test('assignees who lost access are unassigned, others stay', async t => {
  const { url, database } = await startTestDatabase(t);
  const skein = await startSkeinOn(t, url, {}, { sweepEveryMs: 50 });
  const tenant = await skein.tenant();
  const { workspaceId, projectId } = tenant;
  const em = database.em();

  /** Adds a member of the workspace, with a role, who has a thread. */
  async function join(role: 'admin' | 'viewer', more?: 'developer' | 'agent') {
    const { userId } = await skein.tenant();
    await em.insert(WorkspaceMember, { workspaceId, userId, role, ...stamps });
    if (more === 'agent') await em.insert(ConsoleMember, { projectId, userId, role: more, ...stamps });
    if (more === 'developer') await em.insert(ProjectMember, { projectId, userId, role: more, ...stamps });
    return { userId, threadId: await newAssigned(tenant, userId) };
  }
  const getAssignee = async (threadId: string, { key } = tenant) =>
    (await key.get<Thread>('getThread', { params: { threadId } })).assigneeUserId;

  const [admin, gone, demoted] = [await join('admin'), await join('admin'), await join('admin')];
  const developer = await join('viewer', 'developer');
  const [operator, retired] = [await join('viewer', 'agent'), await join('viewer', 'agent')];
  const other = await skein.tenant();
  const elsewhere = await newAssigned(other, other.userId);

  await em.nativeDelete(WorkspaceMember, { workspaceId, userId: gone.userId });
  await em.nativeUpdate(WorkspaceMember, { workspaceId, userId: demoted.userId }, { role: 'viewer' });
  await em.nativeDelete(ConsoleMember, { projectId, userId: retired.userId });
  for (const { threadId } of [gone, demoted, retired])
    await eventually('unassigned thread', async () => (await getAssignee(threadId)) === null);
  for (const { threadId, userId } of [admin, developer, operator])
    t.equal(await getAssignee(threadId), userId);
  t.equal(await getAssignee(elsewhere, other), other.userId);
  const events = await database.query<{ data: unknown }>(
    `select body::jsonb -> 'data' as data from events where event_name = 'thread.assignment.changed'
     and body::jsonb #>> '{data,previousAssigneeUserId}' = $1`,
    [gone.userId],
  );
  t.match(events, [{ data: { actor: { type: 'system', id: null } } }]);
  t.equal(events.length, 1);
});

t.test('a thread that does not answer delays no other, and is tried again', async t => {
  const skein = await shareSkein(t);
  const { database } = skein;
  const tenant = await skein.tenant();
  const { workspaceId, projectId, userId } = tenant;
  const threadIds: string[] = [];
  for (let i = 0; i < 4; i++) threadIds.push(await newAssigned(tenant, userId));
  await database.em().nativeDelete(ConsoleMember, { projectId, userId });
  await database.em().nativeDelete(WorkspaceMember, { workspaceId, userId });
  const asked = new Set<string>();
  const ask = (async to => {
    asked.add(to.id);
    if (to.id === threadIds[0]) throw new ServiceError('svc/runtime/unavailable');
    return null as never;
  }) as Node['ask'];
  const sweeper = new FormerAssignees({ database, node: { ask } });
  for (let round = 0; round < 2; round++) {
    asked.clear();
    await t.rejects(sweeper.sweep(), { errors: [{ code: 'svc/runtime/unavailable' }] });
    for (const threadId of threadIds) t.ok(asked.has(threadId));
  }
});
