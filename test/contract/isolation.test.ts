/**
 * Nobody learns of what is another's: at every place of every request that holds an id, be it in a list or deep in an object, that of
 * another tenant, and that of the other environment of the same project, gets the answer of one that does not exist, to the byte but
 * for the request's own id. And no answer whatever shows an id that is another's.
 */
import t, { type Test } from 'tap';
import { newId, prefixes, type Resource } from '../../protocol/ids.ts';
import type { OperationId } from '../../protocol/operations/table.ts';
import type { Asked, Client, Reply } from '../node/client.ts';
import { ask } from './ask.ts';
import { foreignIds, tenantRows as rows, sharedByEnvironments } from './coverage.ts';
import { scenarios } from './scenarios/all.ts';
import { getIdFields, type IdField } from './id-fields.ts';
import { startContractFixture, type TenantEnvironment } from './contract-fixture.ts';

const fixture = await startContractFixture(t);
let tried = 0;

/** The value at the field; undefined where the request has none. */
function at(asked: Asked, { part, path }: IdField): unknown {
  return path.reduce<unknown>(
    (inner, name) => (inner as Readonly<Record<string, unknown>> | undefined)?.[name],
    asked[part],
  );
}

/** The request with another value at the field; an item of a list replaces the list. */
function put(asked: Asked, { part, path }: IdField, value: unknown): Asked {
  const within = (inner: unknown, [name, ...rest]: IdField['path']): unknown => {
    if (name === undefined) return value;
    if (typeof name === 'number') {
      const [first] = Array.isArray(inner) ? (inner as unknown[]) : [];
      return [within(first, rest)];
    }
    const members = (inner ?? {}) as Readonly<Record<string, unknown>>;
    return { ...members, [name]: within(members[name], rest) };
  };
  return { ...asked, [part]: within(asked[part], path) };
}

/** What a place has: an id of each sort, and every id that its requests and the answers to them show. */
interface Resources {
  readonly one: ReadonlyMap<Resource, string>;
  readonly ids: ReadonlySet<string>;
  /** What the scenario of each operation asks for. Here it only reads, or is changed so that it does nothing. */
  readonly requests: ReadonlyMap<OperationId, readonly Asked[]>;
}

const idOfAny = new RegExp(`\\b(?:${Object.values(prefixes).join('|')})_[0-9a-z]{26}\\b`, 'g');
const idsIn = (text: string): string[] => text.match(idOfAny) ?? [];
const everything = new Map<TenantEnvironment, Promise<Resources>>();

async function gather(env: TenantEnvironment): Promise<Resources> {
  const one = new Map<Resource, string>();
  const ids = new Set<string>();
  const requests = new Map<OperationId, Asked[]>();
  for (const [id, operation] of rows) {
    const { request, variants = [] } = scenarios[id];
    const made: Asked[] = [];
    requests.set(id, made);
    for (const make of [request, ...variants]) {
      const asked = await make(env);
      made.push(asked);
      for (const found of idsIn(JSON.stringify(asked))) ids.add(found);
      for (const field of getIdFields(operation)) {
        const value = at(asked, field);
        if (typeof value === 'string') one.set(field.resource, value);
      }
      // A key sees its own environment and no more.
      if (operation.method !== 'GET' || !operation.access?.scopes) continue;
      const { text, status } = await ask(env.key, id, asked);
      if (status < 300) for (const found of idsIn(text)) ids.add(found);
    }
  }
  return { one, ids, requests };
}

function getResources(env: TenantEnvironment): Promise<Resources> {
  let found = everything.get(env);
  if (found === undefined) everything.set(env, (found = gather(env)));
  return found;
}

const anonymous = ({ status, text }: Reply<unknown>): string =>
  `${status} ${text.replace(/"requestId":"[^"]+"/, '')}`;

/** What something new is to be made of, or to use: none of these is the resource that is asked for. */
const ingredients: readonly Resource[] = ['attachment', 'byok', 'tool', 'loom'];

/** A filter shows nothing of what is not there, and a field that refers to it does not fit: everything else is refused with 404. */
function getExpectedStatus(id: OperationId, { part, path, resource }: IdField): number {
  const [name] = path;
  if (part === 'query' && !['projectId', 'environmentId', 'workspaceId'].includes(String(name))) return 200;
  // Lists of what a user sees, narrowed.
  if (id === 'listProjects' || id === 'listEnvironments') return 200;
  return part === 'body' && ingredients.includes(resource) ? 422 : 404;
}

/** The request that has the field, or else the first. */
function requestWith(requests: readonly Asked[], field: IdField): Asked {
  return requests.find(asked => at(asked, field) !== undefined) ?? requests[0] ?? {};
}

const getPrefix = (id: string): string => id.slice(0, id.lastIndexOf('_'));

async function probe(
  t: Test,
  by: Client,
  env: TenantEnvironment,
  other: TenantEnvironment,
  shared: readonly Resource[],
): Promise<void> {
  const [ours, theirs] = [await getResources(env), await getResources(other)];
  const common = new Set<string>(shared.map(resource => prefixes[resource]));
  const secrets = new Set([...theirs.ids].filter(id => !common.has(getPrefix(id))));
  const conceals = (name: string, { text }: Reply<unknown>, sent: Asked): void => {
    const said = JSON.stringify(sent);
    const shown = idsIn(text).filter(id => secrets.has(id) && !said.includes(id));
    if (shown.length > 0) t.fail(`${name} shows ${shown.join()}`);
  };
  let asked = 0;
  for (const [id, operation] of rows) {
    if (by === env.key && !operation.access?.scopes) continue;
    const requests = ours.requests.get(id) ?? [];
    const [own] = requests;
    if (operation.method === 'GET' && own !== undefined) {
      conceals(id, await ask(by, id, own), own);
    }
    for (const field of getIdFields(operation)) {
      const { resource } = field;
      if (shared.includes(resource)) continue;
      const name = `${id}: ${field.part} ${field.path.join('.')}`;
      const foreign = theirs.one.get(resource);
      if (foreign === undefined) {
        t.fail(`${name}: no scenario has anything foreign to put there`);
        continue;
      }
      const request = requestWith(requests, field);
      const sent = put(request, field, foreign);
      const answer = await ask(by, id, sent);
      const nothing = await ask(by, id, put(request, field, newId(resource)));
      if (anonymous(answer) !== anonymous(nothing)) t.same(anonymous(answer), anonymous(nothing), name);
      const wanted = getExpectedStatus(id, field);
      if (answer.status !== wanted) t.fail(`${name} answered ${answer.status} ${answer.text}`);
      conceals(name, answer, sent);
      asked++;
    }
  }
  t.ok(secrets.size > rows.length, `${asked} fields of requests tried, ${secrets.size} ids looked for`);
  tried += asked;
}

/** Everything that is listed for the tenant's own, but when its credentials were used. */
async function kept(env: TenantEnvironment): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const lists = ['listThreads', 'listChannels', 'listStitches', 'listApiKeys', 'listConsoleMembers'] as const;
  for (const id of [
    ...lists,
    'listMembers',
    'listInvitations',
    'listPartnerApps',
    'listWorkspaces',
  ] as const) {
    const rows = await env.person.all<Record<string, unknown>>(id, await scenarios[id].request(env));
    found[id] = rows.map(({ lastUsedAt: _, lastUsedIp: __, ...row }) => row);
  }
  return found;
}

const { sandbox, production, foreign } = fixture;
await getResources(foreign);
const before = await kept(foreign);

t.test("another tenant's, with an API key", t => probe(t, sandbox.key, sandbox, foreign, []));
t.test("another tenant's, with an access token", t => probe(t, sandbox.person, sandbox, foreign, []));

t.test("production's, with a key of the sandbox", t =>
  probe(t, sandbox.key, sandbox, production, sharedByEnvironments),
);
t.test("the sandbox's, with a key of production", t =>
  probe(t, production.key, production, sandbox, sharedByEnvironments),
);

t.test('all of them', t => {
  t.equal(tried, foreignIds());
  t.end();
});

t.test('what the other tenant has is as it was', async t => {
  t.same(await kept(foreign), before);
});

t.test('the node', t => fixture.assertHealthy(t));
