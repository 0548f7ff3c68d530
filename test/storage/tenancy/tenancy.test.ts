import t from 'tap';
import { systemClock } from '../../../runtime/time/clock.ts';
import type { Page } from '../../../storage/paging/cursors.ts';
import { ConsoleMember, ProjectMember, WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import type { PageRequest } from '../../../storage/paging/cursors.ts';
import { accountServices, auditContext } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database: db } = await startTestDatabase(t);
// Held answers never age here, so that no test depends on how fast it runs.
const clock = { ...systemClock, monotonic: () => 0 };
const { access, workspaces, projects, environments, newPerson } = accountServices(db, clock);
const stamps = { createdAt: new Date(), updatedAt: new Date() };

/** All items of a list, two by two; fails when the pages overlap. */
async function all<T>(list: (page: PageRequest) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<T> = await list({ cursor, limit: 2 });
    t.equal(page.hasMore, page.nextCursor !== null);
    items.push(...page.data);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

t.test('a workspace begins with a default project and its sandbox, and its maker as owner', async t => {
  const { userId } = await newPerson();
  const workspace = await workspaces.create('Second', auditContext(userId));
  const [project, ...none] = await all(page => projects.list(userId, workspace.workspaceId, page));
  t.same(none, []);
  t.equal(project?.name, 'Default project');
  const found = await access.project(userId, project?.projectId ?? '');
  t.match(found, { studioRole: 'owner', consoleRole: 'project_owner', environments: [{ kind: 'sandbox' }] });
  const [stream] = await db.query('select 1 from project_streams where project_id = $1', [
    project?.projectId,
  ]);
  t.ok(stream);
});

t.test('lists show what is visible, oldest first, in pages', async t => {
  const person = await newPerson();
  const unknown = await newPerson();
  const { userId } = person;
  const made = [person.projectId];
  for (const name of ['a', 'b', 'c', 'd']) {
    const now = Date.now() + made.length;
    made.push(
      (await projects.create({ workspaceId: person.workspaceId, name, ...auditContext(userId, now) }))
        .projectId,
    );
  }
  t.same(
    (await all(page => projects.list(userId, undefined, page))).map(project => project.projectId),
    made,
  );
  t.equal((await all(page => environments.list(userId, undefined, page))).length, 5);
  t.equal((await all(page => environments.list(userId, made[2], page))).length, 1);
  t.same(
    (await all(page => workspaces.list(userId, page))).map(workspace => workspace.workspaceId),
    [person.workspaceId],
  );
  t.same(await all(page => projects.list(unknown.userId, person.workspaceId, page)), []);
  t.same(await all(page => environments.list(unknown.userId, person.projectId, page)), []);
});

t.test('a cursor is good for its own list and user only', async t => {
  const person = await newPerson();
  const unknown = await newPerson();
  await workspaces.create('Second', auditContext(person.userId));
  const { nextCursor } = await workspaces.list(person.userId, { limit: 1 });
  const cursor = nextCursor ?? '';
  t.equal((await workspaces.list(person.userId, { cursor, limit: 1 })).data.length, 1);
  const refused = { name: 'InvalidCursor' };
  await t.rejects(workspaces.list(unknown.userId, { cursor, limit: 1 }), refused);
  await t.rejects(projects.list(person.userId, undefined, { cursor, limit: 1 }), refused);
  await t.rejects(workspaces.list(person.userId, { cursor: `${cursor}A`, limit: 1 }), refused);
});

t.test('a role in the workspace or in the project makes a project visible, and says how much', async t => {
  const owner = await newPerson();
  const { workspaceId, projectId } = owner;
  const inWorkspace = async (role: 'admin' | 'viewer') => {
    const { userId } = await newPerson();
    await db.em().insert(WorkspaceMember, { workspaceId, userId, role, ...stamps });
    return userId;
  };
  const admin = await inWorkspace('admin');
  const viewer = await inWorkspace('viewer');
  const developer = await inWorkspace('viewer');
  await db.em().insert(ProjectMember, { projectId, userId: developer, role: 'developer', ...stamps });
  const { userId: operator } = await newPerson();
  await db.em().insert(ConsoleMember, { projectId, userId: operator, role: 'agent', ...stamps });
  const { userId: unknown } = await newPerson();

  const roles = async (userId: string) => {
    const found = await access.project(userId, projectId);
    return found && [found.studioRole, found.consoleRole];
  };
  t.same(await roles(owner.userId), ['owner', 'project_owner']);
  t.same(await roles(admin), ['admin', undefined]);
  t.same(await roles(viewer), ['viewer', undefined]);
  t.same(await roles(developer), ['developer', undefined]);
  t.same(await roles(operator), [undefined, 'agent']);
  t.equal(await roles(unknown), undefined);
  t.same(await access.workspace(admin, workspaceId), {
    role: 'admin',
    isArchived: false,
    requiresSecondFactor: false,
  });
  t.equal(await access.workspace(operator, workspaceId), undefined);

  for (const userId of [admin, viewer, developer, operator]) {
    const seen = await projects.list(userId, workspaceId, { limit: 10 });
    t.same(
      seen.data.map(project => project.projectId),
      [projectId],
    );
  }
});

t.test('an answer is held, and what this process changes shows at once', async t => {
  const person = await newPerson();
  const { userId, projectId } = person;
  await access.project(userId, projectId);
  const held = access.project(userId, projectId);
  t.notOk(held instanceof Promise, 'synchronous');

  await environments.createProduction(projectId, 'Live', auditContext(userId));
  const found = await access.project(userId, projectId);
  t.same(
    found?.environments.map(environment => environment.kind),
    ['sandbox', 'production'],
  );

  await db.em().nativeDelete(WorkspaceMember, { userId });
  await db.em().nativeDelete(ConsoleMember, { userId });
  t.notOk(access.project(userId, projectId) instanceof Promise, 'still held');
  access.invalidateUser(userId);
  t.equal(await access.project(userId, projectId), undefined);
});

t.test('a project has one production environment', async t => {
  const { projectId, userId } = await newPerson();
  const attempts = Array.from({ length: 3 }, () =>
    environments.createProduction(projectId, 'Live', auditContext(userId)),
  );
  const outcomes = await Promise.allSettled(attempts);
  const made = outcomes.filter(outcome => outcome.status === 'fulfilled');
  t.equal(made.length, 1);
  t.match(made[0]?.value, { projectId, kind: 'production', name: 'Live' });
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') t.match(outcome.reason, { code: 'svc/runtime/conflict' });
  }
});
