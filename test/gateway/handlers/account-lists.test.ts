/** Lists of accounts and workspaces, by pages. A table with each list, its order and how an item is added. */
import t from 'tap';
import type { OperationId } from '../../../protocol/operations/table.ts';
import type { Asked, ListOf } from '../../node/client.ts';
import { Authenticator } from '../../support/authenticator.ts';
import { shareSkein } from '../../support/skein.ts';
import { createPeople, type Json, newAddress, password, type Person } from './people.ts';

const skein = await shareSkein(t);
const { browser, verified, join, invite } = createPeople(skein);
const [owner, other] = [await verified(), await verified()];

interface List {
  readonly id: OperationId;
  readonly order: 'newest first' | 'oldest first';
  readonly ask?: (of: Person) => Asked;
  readonly add: (to: Person) => Promise<unknown>;
}

const inWorkspace = ({ workspaceId }: Person) => ({ params: { workspaceId } });
const inProject = ({ projectId }: Person) => ({ params: { projectId } });
const ofWorkspace = ({ workspaceId }: Person) => ({ query: { workspaceId } });
const ofProject = ({ projectId }: Person) => ({ query: { projectId } });
const give = (id: OperationId, role: string) => async (to: Person) => {
  const { userId } = await join(to, 'viewer');
  await to.browser.get(id, { ...inProject(to), body: { userId, role } });
};

/** The second factor of the passkeys after the first. */
const recoveryCodes: string[] = [];

const lists: readonly List[] = [
  { id: 'listSessions', order: 'newest first', add: ({ email }) => browser().logIn(email) },
  {
    id: 'listWorkspaces',
    order: 'oldest first',
    add: to => to.browser.get('createWorkspace', { body: { name: 'More' } }),
  },
  {
    id: 'listProjects',
    order: 'oldest first',
    ask: ofWorkspace,
    add: ({ browser: by, workspaceId }) => by.get('createProject', { body: { workspaceId, name: 'More' } }),
  },
  {
    id: 'listApiKeys',
    order: 'newest first',
    ask: ofProject,
    add: ({ browser: by, projectId }) =>
      by.get('createApiKey', {
        body: { projectId, name: 'k', environment: 'test', scopes: ['threads:read'] },
      }),
  },
  {
    id: 'listPartnerApps',
    order: 'newest first',
    ask: ofWorkspace,
    add: ({ browser: by, workspaceId }) =>
      by.get('createPartnerApp', {
        body: { workspaceId, name: 'app', appId: '1', appSecret: 'secret of an app' },
      }),
  },
  { id: 'listInvitations', order: 'newest first', ask: inWorkspace, add: to => invite(to, newAddress()) },
  { id: 'listMembers', order: 'oldest first', ask: inWorkspace, add: to => join(to, 'viewer') },
  {
    id: 'listProjectMembers',
    order: 'oldest first',
    ask: inProject,
    add: give('upsertProjectMember', 'developer'),
  },
  {
    id: 'listConsoleMembers',
    order: 'oldest first',
    ask: inProject,
    add: give('upsertConsoleMember', 'agent'),
  },
  {
    id: 'listAuditLogs',
    order: 'newest first',
    ask: ofWorkspace,
    add: ({ browser: by, workspaceId }) => by.get('createProject', { body: { workspaceId, name: 'More' } }),
  },
  {
    id: 'listPasskeys',
    order: 'oldest first',
    add: async ({ browser: by }) => {
      const code = recoveryCodes.pop();
      const body = { password, ...(code === undefined ? {} : { code }) };
      const { options } = await by.get<{ options: Json }>('beginPasskey', { body });
      const response = new Authenticator(skein.url.replace('127.0.0.1', 'localhost')).create(options);
      const created = await by.get<{ recoveryCodes: readonly string[] }>('createPasskey', {
        body: { name: 'key', response },
      });
      recoveryCodes.push(...created.recoveryCodes);
    },
  },
];

for (const { id, order, ask = (): Asked => ({}), add } of lists) {
  t.test(`${id}: ${order}`, async t => {
    const read = (more: Asked['query'], by = owner) => {
      const asked = ask(by);
      return by.browser.ask<ListOf<Json>>(id, { ...asked, query: { ...asked.query, ...more } });
    };
    const before = (await read({ limit: 100 })).body.data;
    for (let i = 0; i < 3; i++) await add(owner);
    const { body: whole } = await read({ limit: 100 });
    t.equal(whole.data.length, before.length + 3);
    t.same([whole.hasMore, whole.nextCursor], [false, null]);
    const earlier = order === 'newest first' ? whole.data.slice(3) : whole.data.slice(0, before.length);
    const getId = (item: Json) => Object.entries(item).filter(([name]) => name.endsWith('Id'));
    t.same(earlier.map(getId), before.map(getId), 'added at the right end');

    const paged: Json[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: ListOf<Json> } = await read({ limit: 2, ...(cursor !== null && { cursor }) });
      t.ok(body.data.length <= 2);
      paged.push(...body.data);
      cursor = body.nextCursor;
    } while (cursor !== null);
    t.same(paged, whole.data);

    const first = await read({ limit: 1 });
    const foreign = await read({ cursor: String(first.body.nextCursor) }, other);
    t.match(foreign, { status: 400, body: { error: 'svc/runtime/invalid_request' } });
  });
}
