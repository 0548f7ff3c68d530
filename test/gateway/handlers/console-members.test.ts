/** Console members over REST, on a real PostgreSQL. */
import t from 'tap';
import type { ConsoleMember } from '../../../protocol/resources/console.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ConsoleNode, type ListBody, type Tenant } from './console-fixture.ts';

const { database } = await startTestDatabase(t);

const getPath = ({ projectId }: Tenant): string => `/console/projects/${projectId}/members`;

async function getEvents({ projectId }: Tenant): Promise<{ eventName: string; body: string }[]> {
  return database.query(
    `select event_name as "eventName", body from events where project_id = $1 order by seq`,
    [projectId],
  );
}

t.test('the founder is the first member', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { status, body } = await node.call('GET', getPath(tenant), tenant.founder.token);
  t.equal(status, 200);
  t.match(body, {
    data: [{ projectId: tenant.projectId, userId: tenant.founder.userId, role: 'project_owner' }],
    nextCursor: null,
    hasMore: false,
  });
});

t.test('a colleague is made a member, changed, and removed; each is an event', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { founder, projectId, sandbox } = tenant;
  const colleague = await node.person();
  await node.join(tenant, colleague);
  const { userId } = colleague;

  const made = await node.call<ConsoleMember>('PUT', getPath(tenant), founder.token, {
    userId,
    role: 'viewer',
  });
  t.equal(made.status, 200);
  t.match(made.body, { projectId, userId, role: 'viewer' });
  const changed = await node.call<ConsoleMember>('PUT', getPath(tenant), founder.token, {
    userId,
    role: 'agent',
  });
  t.match(changed.body, { role: 'agent', createdAt: made.body.createdAt });
  const same = await node.call<ConsoleMember>('PUT', getPath(tenant), founder.token, {
    userId,
    role: 'agent',
  });
  t.same(same.body, changed.body);
  const removed = await node.call('DELETE', `${getPath(tenant)}/${userId}`, founder.token);
  t.equal(removed.status, 204);
  t.equal(removed.body, undefined);
  const again = await node.call('DELETE', `${getPath(tenant)}/${userId}`, founder.token);
  t.match(again, { status: 404, body: { error: 'svc/console/not_found' } });

  const events = await getEvents(tenant);
  t.same(
    events.map(({ eventName }) => eventName),
    ['project.member.upserted', 'project.member.upserted', 'project.member.removed'],
    'the change that changed nothing is no event',
  );
  t.match(JSON.parse(events[2]?.body ?? ''), {
    projectId,
    data: { environmentId: sandbox, actor: { type: 'user', id: founder.userId }, member: changed.body },
  });
});

t.test('a member takes effect at once', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const colleague = await node.person();
  await node.join(tenant, colleague);
  const eventsPath = `/console/projects/${tenant.projectId}/events`;
  t.match(await node.call('GET', eventsPath, colleague.token), {
    status: 403,
    body: { error: 'svc/console/forbidden' },
  });
  const member = { userId: colleague.userId, role: 'viewer' };
  await node.call('PUT', getPath(tenant), tenant.founder.token, member);
  t.equal((await node.call('GET', eventsPath, colleague.token)).status, 200);
});

t.test('only people of the workspace become members', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const outsider = await node.person();
  for (const userId of [outsider.userId, 'usr_00000000000000000000000000']) {
    const answer = await node.call('PUT', getPath(tenant), tenant.founder.token, { userId, role: 'agent' });
    t.match(answer, { status: 404, body: { error: 'svc/console/not_found' } });
  }
  t.same(await getEvents(tenant), []);
});

t.test('who may', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const other = await node.tenant();
  const agent = await node.person();
  await node.join(tenant, agent, 'agent');
  const owner = await node.person();
  await node.join(tenant, owner, 'project_owner');
  const key = await node.key(tenant, ['*']);
  const member = { userId: agent.userId, role: 'viewer' };
  const put = async (bearer: string) => (await node.call('PUT', getPath(tenant), bearer, member)).status;
  t.equal(await put(agent.token), 403, 'an agent');
  t.equal(await put(other.founder.token), 404, 'a stranger');
  t.equal(await put(key.secret), 403, 'a key');
  t.equal(await put(owner.token), 200, 'a project_owner');
  t.equal((await node.call('GET', getPath(tenant), agent.token)).status, 200, 'an agent reads');
  t.equal((await node.call('GET', getPath(tenant), key.secret)).status, 403, 'a key does not');
  t.equal((await node.call('PUT', getPath(tenant), owner.token, { ...member, role: 'king' })).status, 422);
});

t.test('two that make the same member at once make one', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const colleague = await node.person();
  await node.join(tenant, colleague);
  const member = { userId: colleague.userId, role: 'agent' };
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => node.call<ConsoleMember>('PUT', getPath(tenant), tenant.founder.token, member)),
  );
  t.same(new Set(answers.map(({ status }) => status)), new Set([200]));
  t.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
  t.equal((await getEvents(tenant)).length, 1);
});

t.test('pages of members', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const userIds = [tenant.founder.userId];
  for (let i = 0; i < 6; i++) {
    const person = await node.person();
    await node.join(tenant, person, 'agent');
    userIds.push(person.userId);
  }
  const seen: string[] = [];
  let cursor = '';
  for (let pages = 1; ; pages++) {
    const path = `${getPath(tenant)}?limit=3${cursor}`;
    const { body } = await node.call<ListBody<ConsoleMember>>('GET', path, tenant.founder.token);
    seen.push(...body.data.map(({ userId }) => userId));
    if (body.nextCursor === null) {
      t.equal(pages, 3);
      break;
    }
    cursor = `&cursor=${body.nextCursor}`;
  }
  t.same(seen, userIds.sort());
  t.match(await node.call('GET', `${getPath(tenant)}?cursor=AAAA`, tenant.founder.token), {
    status: 400,
    body: { error: 'svc/runtime/invalid_request' },
  });
});
