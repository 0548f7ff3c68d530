/** Threads whose assignee may no longer answer in them are found by the sweep, and unassigned. */
import t from 'tap';
import { FormerAssignees } from '../../../gateway/jobs/former-assignees.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import type { Node } from '../../../runtime/node/node.ts';
import { ConsoleMember, ProjectMember, WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import { newThread } from '../../support/conversations.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein.ts';

const { database, url } = await startTestDatabase(t);
// The test itself sweeps.
const skein = await startSkeinOn(t, url, {}, { sweepEveryMs: 3_600_000 });
const em = database.em();
const stamps = { createdAt: new Date(), updatedAt: new Date() };

/** Threads of a tenant, each with an assignee who is a member of its workspace. */
async function createThreads() {
  const tenant = await skein.tenant();
  const { key, workspaceId, projectId } = tenant;
  async function assign(role: 'admin' | 'viewer', more?: 'developer' | 'agent') {
    const { userId } = await skein.tenant();
    await em.insert(WorkspaceMember, { workspaceId, userId, role, ...stamps });
    if (more === 'agent') await em.insert(ConsoleMember, { projectId, userId, role: more, ...stamps });
    if (more === 'developer') await em.insert(ProjectMember, { projectId, userId, role: more, ...stamps });
    const { threadId } = await newThread(tenant);
    await key.get('assignThread', { params: { threadId }, body: { projectId, userId } });
    return { userId, threadId };
  }
  return { ...tenant, assign };
}

/** Records what the sweep asks of threads. */
function recordAsks(refuses: (threadId: string) => boolean = () => false) {
  const asked = new Map<string, unknown>();
  const ask = (async (to, _command, payload) => {
    asked.set(to.id, payload);
    if (refuses(to.id)) throw new ServiceError('svc/runtime/unavailable');
    return null as never;
  }) as Node['ask'];
  return { asked, sweeper: new FormerAssignees({ database, node: { ask } }) };
}

t.test('threads of assignees who lost access are unassigned by the system, others stay', async t => {
  const { workspaceId, projectId, assign } = await createThreads();
  const stays = [await assign('admin'), await assign('viewer', 'developer'), await assign('viewer', 'agent')];
  const [gone, demoted] = [await assign('admin'), await assign('admin')];
  const retired = await assign('viewer', 'agent');
  await em.nativeDelete(WorkspaceMember, { workspaceId, userId: gone.userId });
  await em.nativeUpdate(WorkspaceMember, { workspaceId, userId: demoted.userId }, { role: 'viewer' });
  await em.nativeDelete(ConsoleMember, { projectId, userId: retired.userId });
  const { asked, sweeper } = recordAsks();
  await sweeper.sweep();
  for (const { threadId } of [gone, demoted, retired])
    t.match(asked.get(threadId), { userId: null, author: { type: 'system' } });
  for (const { threadId } of stays) t.notOk(asked.has(threadId));
});

t.test('a thread that does not answer delays no other, and is tried again', async t => {
  const { workspaceId, assign } = await createThreads();
  const threads = [await assign('admin'), await assign('admin'), await assign('admin')];
  for (const { userId } of threads) await em.nativeDelete(WorkspaceMember, { workspaceId, userId });
  const { asked, sweeper } = recordAsks(threadId => threadId === threads[0]?.threadId);
  for (let round = 0; round < 2; round++) {
    asked.clear();
    await t.rejects(sweeper.sweep(), { errors: [{ code: 'svc/runtime/unavailable' }] });
    for (const { threadId } of threads) t.ok(asked.has(threadId));
  }
});
