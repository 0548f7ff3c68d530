/** Workspaces, projects and environments. */
import t from 'tap';
import { shareSkein } from '../../support/skein.ts';
import { createPeople, type Json } from './people.ts';

const skein = await shareSkein(t);
const { signUp, verified, events, acts } = createPeople(skein);

t.test('a new user has a workspace, a project and a sandbox, and makes more', async t => {
  const { browser, workspaceId, projectId } = await verified();
  const own = [{ projectId, kind: 'sandbox', name: 'sandbox' }];
  t.match(await browser.list('listWorkspaces'), [{ workspaceId, archivedAt: null }]);
  t.match(await browser.list('listProjects'), [{ workspaceId, projectId }]);
  t.match(await browser.list('listEnvironments'), own);

  const second = await browser.get<Json>('createWorkspace', { body: { name: 'Second' } });
  const query = { workspaceId: String(second['workspaceId']) };
  t.equal((await browser.list('listProjects', { query })).length, 1, 'with a default project');
  const project = await browser.get<{ projectId: string }>('createProject', {
    body: { ...query, name: 'Another' },
  });
  t.match(await browser.list('listEnvironments', { query: { projectId: project.projectId } }), [
    { kind: 'sandbox' },
  ]);
  t.equal((await browser.list('listEnvironments')).length, 3);

  await browser.list('listApiKeys', { query: { projectId } });
  const live = { projectId, kind: 'production', name: 'Live' };
  t.match(await browser.get('createEnvironment', { body: { projectId, name: 'Live' } }), live);
  t.match(await browser.list('listEnvironments', { query: { projectId } }), [...own, live]);
});

t.test('lists name nothing of another tenant', async t => {
  const { workspaceId, projectId } = await signUp();
  const { browser } = await signUp();
  t.same(await browser.list('listProjects', { query: { workspaceId } }), []);
  t.same(await browser.list('listEnvironments', { query: { projectId } }), []);
});

t.test('workspace, project, environment and key are renamed, each once in the audit log', async t => {
  const owner = await signUp();
  const { browser, workspaceId, projectId } = owner;
  const [environment] = await browser.list<{ environmentId: string }>('listEnvironments');
  const { apiKeyId } = await browser.get<{ apiKeyId: string }>('createApiKey', {
    body: { projectId, name: 'A key', environment: 'test', scopes: ['threads:read'] },
  });
  for (const [what, action, params] of [
    ['Workspace', 'workspace', { workspaceId }],
    ['Project', 'project', { projectId }],
    ['Environment', 'environment', { environmentId: environment?.environmentId ?? '' }],
    ['ApiKey', 'api_key', { apiKeyId }],
  ] as const) {
    const rename = () => browser.get(`update${what}`, { params, body: { name: 'Renamed' } });
    t.notMatch(await browser.get(`get${what}`, { params }), { name: 'Renamed' });
    const renamed = await rename();
    t.match(renamed, { name: 'Renamed' });
    t.same(await rename(), renamed, 'the same name is no change');
    t.same(await browser.get(`get${what}`, { params }), renamed);
    const recorded = await acts(owner, { action: `${action}.updated` });
    t.match(recorded, [{ details: { name: 'Renamed' } }], what);
    t.equal(recorded.length, 1, what);
  }
  const told = (await events(owner)).filter(({ eventName }) => eventName === 'project.api_key.updated');
  t.match(told, [{ data: { apiKey: { name: 'Renamed' }, actor: { id: owner.userId } } }]);
  t.equal(told.length, 1);
});
