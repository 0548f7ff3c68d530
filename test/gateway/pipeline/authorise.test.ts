/** Who may do what, and what the others are told (docs/contract-decisions.md, "Who may do what"). */
import t from 'tap';
import {
  foreignProjectId,
  otherProjectId,
  production,
  projectId,
  sandbox,
  startRest,
  type TestHandlers,
} from '../rest/rest-fixture.ts';

const note = { projectId, text: 'hello' };

t.test('who is refused is told what is missing', async t => {
  const { ask } = await startRest(t);
  t.match((await ask('POST', '/v1/notes', { as: 'reader', body: note })).json, {
    message: 'The API key lacks the scope messages:write.',
    details: { missingScopes: ['messages:write'] },
  });
  t.match((await ask('POST', '/v1/notes', { as: 'viewer', body: note })).json, {
    message:
      /^Your role does not allow this: it takes owner, admin, developer in Studio, or agent in the Console\.$/,
  });
  for (const [method, path] of [
    ['POST', '/v1/workspaces'],
    ['GET', `/v1/console/${projectId}/members`],
  ] as const) {
    t.match((await ask(method, path, { as: 'everything' })).json, { message: /send a Studio access token/ });
  }
});

t.test('users act in the sandbox unless they name another environment of the project', async t => {
  const { ask } = await startRest(t);
  const environment = async (as: string, environmentId?: string) => {
    const { json } = await ask('POST', '/v1/notes', { as, body: { ...note, environmentId } });
    return json?.error ?? json?.project;
  };
  t.match(await environment('owner'), { environmentId: sandbox, environmentKind: 'sandbox' });
  t.match(await environment('owner', production), {
    environmentId: production,
    environmentKind: 'production',
  });
  t.equal(await environment('owner', 'env_foreign'), 'svc/runtime/not_found');
  t.match(await environment('unverified'), { environmentKind: 'sandbox' });
  t.equal(await environment('unverified', production), 'svc/auth/email_not_verified');
});

t.test('a request that names two projects names none', async t => {
  let ran = 0;
  const { ask } = await startRest(t, {
    createNote: () => {
      ran++;
      return {};
    },
  });
  const twice = await ask('GET', `/v1/notes?projectId=${projectId}&projectId=${otherProjectId}`, {
    as: 'owner',
  });
  t.equal(twice.status, 422);
  t.equal(ran, 0);
});

t.test('authoriseScope decides about a resource that was found by its id', async t => {
  const resource: TestHandlers['getNote'] = async call => {
    const [owner = '', environmentId] = call.header('x-resource').split(' ');
    return { body: await call.authoriseScope(owner, environmentId) };
  };
  const { ask } = await startRest(t, { getNote: resource });
  const of = async (as: string, place: string, query = '') => {
    const { status, json } = await ask('GET', `/v1/notes/note_1${query}`, {
      as,
      headers: { 'X-Resource': place },
    });
    return json?.error ?? status;
  };
  const absent = 'svc/runtime/not_found';
  t.equal(await of('writer', `${projectId} ${sandbox}`), 200);
  t.equal(await of('writer', projectId), 200);
  t.equal(await of('writer', `${projectId} ${production}`), absent, 'another environment than the key’s');
  t.equal(await of('writer', `${otherProjectId} ${sandbox}`), absent);
  t.equal(await of('developer', `${projectId} ${production}`), 200, 'users see both');
  t.equal(await of('developer', foreignProjectId), absent);
  t.equal(await of('viewer', projectId), 'svc/auth/insufficient_scope');
  t.equal(await of('unverified', `${projectId} ${production}`), 'svc/auth/email_not_verified');
  t.equal(
    await of('developer', otherProjectId, `?projectId=${projectId}`),
    absent,
    'not where the request says',
  );
  t.equal(await of('developer', `${projectId} ${production}`, `?projectId=${projectId}`), 200);
  t.equal(
    await of('developer', `${projectId} ${production}`, `?projectId=${projectId}&environmentId=${sandbox}`),
    absent,
  );
});

t.test('requireWorkspaceRole decides about a workspace that was found by other means', async t => {
  const { ask } = await startRest(t, {
    createWorkspace: async call => ({
      body: { role: await call.requireWorkspaceRole(call.header('x-workspace')) },
    }),
  });
  const of = async (as: string, id: string) => {
    const { json } = await ask('POST', '/v1/workspaces', { as, headers: { 'X-Workspace': id } });
    return json?.error ?? (json as { role: string }).role;
  };
  t.equal(await of('viewer', 'ws_one'), 'viewer');
  t.equal(await of('viewer', 'ws_two'), 'svc/runtime/not_found');
  t.equal(await of('nobody', 'ws_one'), 'svc/runtime/not_found');
});
