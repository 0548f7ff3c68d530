/** Who leaves a workspace leaves its threads: on a whole node. */
import t from 'tap';
import { WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import type { ListOf } from '../../node/client.ts';
import { shareSkein } from '../../support/skein.ts';

interface Thread {
  readonly threadId: string;
  readonly assigneeUserId: string | null;
}

t.test('the threads of a removed member are nobody’s, those of others stay', async t => {
  const skein = await shareSkein(t);
  const { database } = skein;
  const owner = await skein.tenant();
  const admin = await skein.tenant();
  const { workspaceId, projectId, environmentId, key, person } = owner;
  const stamps = { createdAt: new Date(), updatedAt: new Date() };
  await database
    .em()
    .insert(WorkspaceMember, { workspaceId, userId: admin.userId, role: 'admin', ...stamps });

  // More than are taken at once.
  const assignees = [...Array<string>(60).fill(admin.userId), owner.userId];
  await Promise.all(
    assignees.map(async (userId, i) => {
      const { threadId } = await key.get<Thread>('createThread', {
        body: { projectId, environmentId },
        key: `thread-${i}`,
      });
      await person.get('assignThread', { params: { threadId }, body: { projectId, userId } });
    }),
  );
  const own = { params: { workspaceId, userId: owner.userId } };
  t.equal((await person.request('removeMember', own)).status, 409, 'the last owner stays');
  const assigned = async (userId: string) =>
    (
      await key.get<ListOf<Thread>>('listThreads', {
        query: { projectId, assigneeUserId: userId, limit: 100 },
      })
    ).data.length;
  t.equal(await assigned(owner.userId), 1, 'and nothing is taken from who stays');
  t.equal(await assigned(admin.userId), 60);

  await person.get('removeMember', { params: { workspaceId, userId: admin.userId } });
  t.equal(await assigned(admin.userId), 0);
  t.equal(await assigned(owner.userId), 1);
  const told = await database.query<{ actor: string }>(
    `select body::jsonb #>> '{data,actor,id}' as actor from events where project_id = $1
     and event_name = 'thread.assignment.changed' and body::jsonb #>> '{data,previousAssigneeUserId}' = $2`,
    [projectId, admin.userId],
  );
  t.equal(told.length, 60);
  t.ok(told.every(({ actor }) => actor === owner.userId));
});
