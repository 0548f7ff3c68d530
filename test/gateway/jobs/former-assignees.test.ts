/** Threads whose assignee may not answer in them any more are found by the sweep, and are nobody's. */
import t from 'tap';
import { FormerAssignees } from '../../../gateway/jobs/former-assignees.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import type { Node } from '../../../runtime/node/node.ts';
import { ConsoleMember, ProjectMember, WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ConversationNode, type Tenant } from '../handlers/conversation-fixture.ts';

const { database } = await startTestDatabase(t);
const stamps = { createdAt: new Date(), updatedAt: new Date() };

/** A way to the node's actors, and how often it was gone. */
function wayTo(node: ConversationNode, refuses: (threadId: string) => boolean = () => false) {
  const asked: string[] = [];
  const ask: Node['ask'] = (to, command, payload) => {
    asked.push(to.id);
    if (refuses(to.id)) return Promise.reject(new ServiceError('svc/runtime/unavailable'));
    return node.askActor(to, command, payload) as Promise<never>;
  };
  return { asked, ask };
}

t.test('assignees who lost access are unassigned, others stay', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const { workspaceId, projectId, secret } = tenant;
  const em = database.em();

  /** Somebody in the workspace of the tenant, with a thread. */
  async function assigned(role: 'admin' | 'viewer', more: 'developer' | 'agent' | undefined) {
    const { userId } = await node.tenant();
    await em.insert(WorkspaceMember, { workspaceId, userId, role, ...stamps });
    if (more === 'agent') await em.insert(ConsoleMember, { projectId, userId, role: more, ...stamps });
    if (more === 'developer') await em.insert(ProjectMember, { projectId, userId, role: more, ...stamps });
    return { userId, threadId: await createThread(tenant, userId) };
  }
  async function createThread(of: Tenant, userId: string): Promise<string> {
    const { threadId } = await node.thread(of);
    const body = { projectId: of.projectId, userId };
    const reply = await node.ask('assignThread', of.secret, { params: { threadId }, body });
    if (reply.status !== 200) throw new Error(`the assignment answered ${reply.status}`);
    return threadId;
  }
  const getAssignee = async (threadId: string, bearer = secret) =>
    (await node.ask<Thread>('getThread', bearer, { params: { threadId } })).body.assigneeUserId;

  const admin = await assigned('admin', undefined);
  const gone = await assigned('admin', undefined);
  const demoted = await assigned('admin', undefined);
  const developer = await assigned('viewer', 'developer');
  const operator = await assigned('viewer', 'agent');
  const retired = await assigned('viewer', 'agent');
  const other = await node.tenant();
  const elsewhere = await createThread(other, other.userId);

  const way = wayTo(node);
  const sweeper = new FormerAssignees({ database, node: way });
  await sweeper.sweep();
  t.same(way.asked, [], 'nobody is lost yet');

  await em.nativeDelete(WorkspaceMember, { workspaceId, userId: gone.userId });
  await em.nativeUpdate(WorkspaceMember, { workspaceId, userId: demoted.userId }, { role: 'viewer' });
  await em.nativeDelete(ConsoleMember, { projectId, userId: retired.userId });
  await sweeper.sweep();
  t.same(
    way.asked.sort(),
    [gone.threadId, demoted.threadId, retired.threadId].sort(),
    'no other thread is asked',
  );
  for (const { threadId } of [gone, demoted, retired]) t.equal(await getAssignee(threadId), null);
  for (const { threadId, userId } of [admin, developer, operator])
    t.equal(await getAssignee(threadId), userId);
  t.equal(await getAssignee(elsewhere, other.secret), other.userId);
  const [told] = await database.query<{ data: unknown }>(
    `select body::jsonb -> 'data' as data from events where event_name = 'thread.assignment.changed'
     and body::jsonb #>> '{data,previousAssigneeUserId}' = $1`,
    [gone.userId],
  );
  t.match(told?.data, { actor: { type: 'system', id: null } });
  await sweeper.sweep();
  t.equal(way.asked.length, 3, 'once');
});

t.test('a thread that cannot be asked keeps no other, and is asked again', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const { workspaceId, projectId, userId, secret } = tenant;
  const threadIds: string[] = [];
  for (let i = 0; i < 4; i++) {
    const { threadId } = await node.thread(tenant);
    await node.ask('assignThread', secret, { params: { threadId }, body: { projectId, userId } });
    threadIds.push(threadId);
  }
  await database.em().nativeDelete(ConsoleMember, { projectId, userId });
  await database.em().nativeDelete(WorkspaceMember, { workspaceId, userId });
  let away = true;
  const way = wayTo(node, threadId => away && threadId === threadIds[0]);
  const sweeper = new FormerAssignees({ database, node: way });
  await t.rejects(sweeper.sweep(), { errors: [{ code: 'svc/runtime/unavailable' }] });
  t.equal(way.asked.length, 4);
  away = false;
  await sweeper.sweep();
  t.same(way.asked.slice(4), [threadIds[0]]);
  const left = await database.query('select 1 from threads where assignee_user_id = $1', [userId]);
  t.same(left, []);
});
