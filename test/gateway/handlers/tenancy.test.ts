import t from 'tap';
import { Value } from 'typebox/value';
import { Environment, Project } from '../../../protocol/resources/project.ts';
import { Workspace } from '../../../protocol/resources/workspace.ts';
import { WorkspaceMember } from '../../../storage/entities/tenancy.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startAuthNode, type Client } from '../auth/auth-fixture.ts';

const { database: db } = await startTestDatabase(t);
const node = await startAuthNode(t, db);
const stamps = { createdAt: new Date(), updatedAt: new Date() };
const absent = { status: 404, body: { error: 'svc/runtime/not_found' } };

async function items(client: Client, path: string): Promise<Record<string, unknown>[]> {
  const { status, body } = await client.call('GET', path);
  t.equal(status, 200, path);
  return body['data'] as Record<string, unknown>[];
}

t.test('a new user finds a workspace, a project and a sandbox', async t => {
  const { client, workspaceId, projectId } = await node.signedUp();
  const [workspace, ...otherWorkspaces] = await items(client, '/workspaces');
  const [project, ...otherProjects] = await items(client, '/projects');
  const [environment, ...otherEnvironments] = await items(client, '/environments');
  t.same([otherWorkspaces, otherProjects, otherEnvironments], [[], [], []]);
  t.ok(Value.Check(Workspace, workspace));
  t.ok(Value.Check(Project, project));
  t.ok(Value.Check(Environment, environment));
  t.match(workspace, { workspaceId, archivedAt: null });
  t.match(project, { workspaceId, projectId });
  t.match(environment, { projectId, kind: 'sandbox', name: 'sandbox' });
});

t.test('a user makes workspaces, and projects in them', async t => {
  const { client } = await node.signedUp();
  const made = await client.call('POST', '/workspaces', { body: { name: 'Second' } });
  t.equal(made.status, 201);
  t.ok(Value.Check(Workspace, made.body));
  const workspaceId = String(made.body['workspaceId']);
  t.equal((await items(client, `/projects?workspaceId=${workspaceId}`)).length, 1);

  const project = await client.call('POST', '/projects', { body: { workspaceId, name: 'Another' } });
  t.equal(project.status, 201);
  t.ok(Value.Check(Project, project.body));
  const inIt = await items(client, `/environments?projectId=${String(project.body['projectId'])}`);
  t.match(inIt, [{ kind: 'sandbox' }]);
  t.equal((await items(client, '/environments')).length, 3);

  for (const name of ['', 'x'.repeat(257), null, 'nul\u0000']) {
    t.equal((await client.call('POST', '/workspaces', { body: { name } })).status, 422);
    t.equal((await client.call('POST', '/projects', { body: { workspaceId, name } })).status, 422);
  }
});

t.test("another tenant's resources are not found, and not listed", async t => {
  const owner = await node.signedUp();
  const { client } = await node.signedUp();
  const { workspaceId, projectId } = owner;
  t.match(await client.call('POST', '/projects', { body: { workspaceId, name: 'Mine' } }), absent);
  t.match(await client.call('POST', '/environments', { body: { projectId, name: 'Live' } }), absent);
  t.same(await items(client, `/projects?workspaceId=${workspaceId}`), []);
  t.same(await items(client, `/environments?projectId=${projectId}`), []);
  t.equal((await node.client().call('GET', '/workspaces')).status, 401);
});

t.test('a viewer sees and does not make', async t => {
  const owner = await node.signedUp();
  const viewer = await node.signedUp();
  const { workspaceId, projectId } = owner;
  await db.em().insert(WorkspaceMember, { workspaceId, userId: viewer.userId, role: 'viewer', ...stamps });
  t.equal((await items(viewer.client, '/workspaces')).length, 2);
  t.match(await items(viewer.client, `/projects?workspaceId=${workspaceId}`), [{ projectId }]);
  await node.verify(viewer.email);
  const denied = { status: 403, body: { error: 'svc/auth/insufficient_scope' } };
  t.match(await viewer.client.call('POST', '/projects', { body: { workspaceId, name: 'No' } }), denied);
  t.match(await viewer.client.call('POST', '/environments', { body: { projectId, name: 'No' } }), denied);
});

t.test('the production environment is there for its project at once', async t => {
  const { client, email, projectId } = await node.signedUp();
  await client.call('GET', `/api-keys?projectId=${projectId}`);
  await node.verify(email);
  const made = await client.call('POST', '/environments', { body: { projectId, name: 'Live' } });
  t.equal(made.status, 201);
  t.ok(Value.Check(Environment, made.body));
  t.match(made.body, { kind: 'production', name: 'Live' });
  const kinds = (await items(client, `/environments?projectId=${projectId}`)).map(each => each['kind']);
  t.same(kinds, ['sandbox', 'production']);
});

t.test('lists page by limit and cursor', async t => {
  const { client } = await node.signedUp();
  for (const name of ['b', 'c']) await client.call('POST', '/workspaces', { body: { name } });
  const first = await client.call('GET', '/workspaces?limit=2');
  t.match(first.body, { hasMore: true, nextCursor: /./ });
  const second = await client.call('GET', `/workspaces?limit=2&cursor=${String(first.body['nextCursor'])}`);
  t.match(second.body, { hasMore: false, nextCursor: null, data: [{ name: 'c' }] });
  t.match(await client.call('GET', '/workspaces?cursor=bogus'), {
    status: 400,
    body: { error: 'svc/runtime/invalid_request' },
  });
  t.equal((await client.call('GET', '/workspaces?limit=0')).status, 422);
});

t.test('workspace, project, environment and key are read and renamed by those who may', async t => {
  const owner = await node.signedUp();
  const viewer = await node.signedUp();
  const outsider = await node.signedUp();
  const { workspaceId, projectId } = owner;
  await db.em().insert(WorkspaceMember, { workspaceId, userId: viewer.userId, role: 'viewer', ...stamps });
  const [environment] = await items(owner.client, `/environments?projectId=${projectId}`);
  const body = { projectId, name: 'A key', environment: 'test', scopes: ['threads:read'] };
  const key = await owner.client.call('POST', '/api-keys', { body });
  const denied = { status: 403, body: { error: 'svc/auth/insufficient_scope' } };
  for (const [path, action] of [
    [`/workspaces/${workspaceId}`, 'workspace.updated'],
    [`/projects/${projectId}`, 'project.updated'],
    [`/environments/${String(environment?.['environmentId'])}`, 'environment.updated'],
    [`/api-keys/${String(key.body['apiKeyId'])}`, 'api_key.updated'],
  ] as const) {
    const rename = (client: Client) => client.call('PATCH', path, { body: { name: 'Renamed' } });
    t.match(await owner.client.call('GET', path), { status: 200, body: { name: /^(?!Renamed)/ } }, path);
    t.match(await viewer.client.call('GET', path), { status: 200 }, path);
    t.match(await rename(viewer.client), denied, path);
    t.match(await outsider.client.call('GET', path), absent, path);
    t.match(await rename(outsider.client), absent, path);
    const renamed = await rename(owner.client);
    t.match(renamed, { status: 200, body: { name: 'Renamed' } }, path);
    t.same((await rename(owner.client)).body, renamed.body, 'the same name is no change');
    t.same((await owner.client.call('GET', path)).body, renamed.body);
    t.equal('secret' in renamed.body, false);
    const acts = await items(owner.client, `/audit-logs?workspaceId=${workspaceId}&action=${action}`);
    t.match(acts, [{ action, details: { name: 'Renamed' } }], action);
    t.equal((await owner.client.call('PATCH', path, { body: { name: '' } })).status, 422);
  }
  const events = await db.query<{ body: string }>(
    `select body from events where project_id = $1 and event_name = 'project.api_key.updated'`,
    [projectId],
  );
  t.equal(events.length, 1);
  const data = { apiKey: { name: 'Renamed' }, actor: { id: owner.userId } };
  t.match(JSON.parse(events[0]?.body ?? '{}'), { data });
});
