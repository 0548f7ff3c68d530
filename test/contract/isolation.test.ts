/**
 * Nobody learns of what is another's: at every place of every request that holds an id, be it in a list or deep in an object, that of
 * another tenant, and that of the other environment of the same project, gets the answer of one that does not exist, to the byte but
 * for the request's own id. And no answer whatever shows an id that is another's.
 *
 * The id is sent alone and beside every combination of what a body or query can switch (`archived`, `status` and the like), because a check
 * that one of them turns off lets the id in. Where they are many, beside every combination of any three.
 */
import t, { type Test } from 'tap';
import type { Operation } from '../../protocol/operation.ts';
import { newId, prefixes, type Resource } from '../../protocol/ids.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Asked, Client, Reply } from '../node/client.ts';
import { ask } from './ask.ts';
import { foreignIds, tenantRows as rows, sharedByEnvironments } from './coverage.ts';
import { scenarios } from './scenarios/all.ts';
import { getIdFields, type IdField } from './id-fields.ts';
import { getSwitches, listCombinations } from './switches.ts';
import type { Schema } from '../node/sample.ts';
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

/** What an object needs beside such an id, where the request has none. */
const companions: Readonly<Record<string, object>> = { attachmentId: { kind: 'document' } };

/** The request with another value at the field; an item of a list replaces the list. */
function put(asked: Asked, { part, path }: IdField, value: unknown): Asked {
  const within = (inner: unknown, [name, ...rest]: IdField['path']): unknown => {
    if (name === undefined) return value;
    if (typeof name === 'number') {
      const [first] = Array.isArray(inner) ? (inner as unknown[]) : [];
      return [within(first, rest)];
    }
    const members = (inner ?? {}) as Readonly<Record<string, unknown>>;
    return { ...companions[name], ...members, [name]: within(members[name], rest) };
  };
  return { ...asked, [part]: within(asked[part], path) };
}

/** What an environment has: an id of each sort, and every id that its requests and the answers to them show. */
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

/** @param named the id that was sent, which the answer may repeat */
const anonymous = ({ status, text }: Reply<unknown>, named: string): string =>
  `${status} ${text.replace(/"requestId":"[^"]+"/, '').replaceAll(named, '')}`;

/** A filter shows nothing of what is not there: everything else is refused with 404. */
function getExpectedStatus(id: OperationId, { part, path }: IdField): number {
  const [name] = path;
  if (part === 'query' && !['projectId', 'environmentId', 'workspaceId'].includes(String(name))) return 200;
  // Of many threads each has its own result.
  if (id === 'changeThreads' && name === 'threadIds') return 200;
  // Lists of what a user sees, narrowed.
  if (id === 'listProjects' || id === 'listEnvironments') return 200;
  return 404;
}

/** The request that has the field, or else the first. */
function requestWith(requests: readonly Asked[], field: IdField): Asked {
  return requests.find(asked => at(asked, field) !== undefined) ?? requests[0] ?? {};
}

const getPrefix = (id: string): string => id.slice(0, id.lastIndexOf('_'));

/** Whether the operation takes such a credential: some take no keys. */
function isOpenTo(by: Client, { key }: TenantEnvironment, { access }: Operation): boolean {
  return by !== key || Boolean(access?.scopes);
}

/** The request with every combination of what that part of it can switch. */
function* combine(operation: Operation, part: IdField['part'], sent: Asked): Generator<Asked> {
  if (part === 'params') return;
  const given = (sent[part] ?? {}) as Readonly<Record<string, unknown>>;
  for (const switches of listCombinations(getSwitches(operation, part))) {
    const members = Object.entries({ ...given, ...switches }).filter(([, value]) => value !== undefined);
    yield { ...sent, [part]: Object.fromEntries(members) };
  }
}

/** The requests that read what the request was about: every GET whose path has no other ids. */
function* listReadings({ params }: Asked): Generator<readonly [OperationId, Asked]> {
  if (params === undefined) return;
  for (const [id, { method, params: named }] of rows) {
    const names = Object.keys(((named ?? {}) as Schema).properties ?? {});
    if (method !== 'GET' || names.length === 0 || !names.every(name => name in params)) continue;
    yield [id, { params: Object.fromEntries(names.map(name => [name, params[name] ?? ''])) }];
  }
}

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
    if (!isOpenTo(by, env, operation)) continue;
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
      const absent = newId(resource);
      const nothing = await ask(by, id, put(request, field, absent));
      const [shown, like] = [anonymous(answer, foreign), anonymous(nothing, absent)];
      if (shown !== like) t.same(shown, like, name);
      const wanted = getExpectedStatus(id, field);
      if (answer.status !== wanted) t.fail(`${name} answered ${answer.status} ${answer.text}`);
      conceals(name, answer, sent);
      for (const switched of combine(operation, field.part, sent)) {
        const refusal = await ask(by, id, switched);
        if (refusal.status !== wanted && refusal.status !== 422) {
          t.fail(`${name} answered ${refusal.status} to ${JSON.stringify(switched)}`);
        }
        conceals(name, refusal, switched);
      }
      for (const [reading, own] of listReadings(request)) conceals(name, await ask(by, reading, own), own);
      asked++;
    }
  }
  for (const [id, [own]] of ours.requests) {
    if (operations[id].method === 'GET' && own !== undefined && isOpenTo(by, env, operations[id])) {
      conceals(`${id}, in the end,`, await ask(by, id, own), own);
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

/** A column of tenants' rows that refers to something by its id. */
interface Reference {
  readonly table: string;
  readonly column: string;
  readonly isList: boolean;
  /** The primary key. */
  readonly key: readonly string[];
}

// By the names of columns, so that nobody has to remember a new table. Whose a row is, and what identifies it, here or at a channel, refers
// to nothing.
const selectReferences = `
  select c.table_name as "table", c.column_name as "column", c.data_type = 'ARRAY' as "isList", k.key
  from information_schema.columns c
  join information_schema.columns p using (table_schema, table_name)
  join (select table_schema, table_name, array_agg(column_name::text) as key
    from information_schema.table_constraints t
    join information_schema.key_column_usage u using (table_schema, table_name, constraint_name)
    where t.constraint_type = 'PRIMARY KEY' group by 1, 2) k using (table_schema, table_name)
  where c.table_schema = 'public' and p.column_name = 'project_id' and c.column_name ~ '_ids?$' and c.column_name !~ '^external_'
    and c.column_name not in ('project_id', 'workspace_id', rtrim(c.table_name, 's') || '_id') and c.column_name <> all (k.key)
    and not exists (select from pg_inherits where inhrelid = c.table_name::regclass)
  order by 1, 2`;

/**
 * Columns that record who did something, by which channel, with which loom: a user or a loom may have left the tenant since. They show that
 * id, and nothing else of its owner's.
 */
const recorded = [
  ...['audit_logs', 'webhook_deliveries', 'agent_runs'].map(table => `${table}.`),
  ...['messages.channel_id', 'threads.channel_id', 'threads.assignee_user_id', 'thread_notes.author_user_id'],
  ...['canned_replies.created_by_user_id', 'canned_replies.updated_by_user_id'],
];

/** An id of the other tenant that the column could hold by its name, or that it holds there. */
async function findForeignId({ table, column }: Reference): Promise<string | undefined> {
  const { one } = await getResources(foreign);
  const named = [...one].find(([resource]) =>
    column.replace(/_ids?$/, '').endsWith(resource.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)),
  );
  if (named !== undefined) return named[1];
  const [found] = await fixture.database.query<{ id: string }>(
    `select ${column} as id from ${table} where project_id = $1 and ${column} is not null limit 1`,
    [foreign.projectId],
  );
  return found?.id;
}

/** Writes the id into every own row that can take it; the function that it gives puts back what was there. */
async function plant({ table, column, isList, key }: Reference, id: string): Promise<() => Promise<unknown>> {
  const { database } = fixture;
  const backup = `before_${table}_${column}`;
  await database.query(
    `create table ${backup} as select * from ${table} where project_id = '${sandbox.projectId}'`,
  );
  const isRow = key.map(each => `held.${each} = taken.${each}`).join(' and ');
  // One row after the other: where an id has to be unique, one row takes it.
  await database.query(`
    do $$ declare taken record; begin
      for taken in select * from ${backup} loop begin
        update ${table} held set ${column} = ${isList ? `array['${id}']` : `'${id}'`} where ${isRow};
      exception when unique_violation then null; end; end loop;
    end $$`);
  return () =>
    database.query(
      `update ${table} held set ${column} = taken.${column} from ${backup} taken where ${isRow}`,
    );
}

t.test('ids of the other tenant that stand in own rows', async t => {
  const ours = await getResources(sandbox);
  const secrets = (await getResources(foreign)).ids;
  const references = await fixture.database.query<Reference>(selectReferences);
  let planted = 0;
  for (const reference of references) {
    const name = `${reference.table}.${reference.column}`;
    const id = await findForeignId(reference);
    if (id === undefined) continue;
    planted++;
    const restore = await plant(reference, id);
    const permitted = recorded.some(each => name.startsWith(each)) ? id : '';
    for (const [operation, [own]] of ours.requests) {
      if (operations[operation].method !== 'GET' || own === undefined) continue;
      const by = isOpenTo(sandbox.key, sandbox, operations[operation]) ? sandbox.key : sandbox.person;
      const { text } = await ask(by, operation, own);
      const shown = new Set(idsIn(text).filter(found => secrets.has(found) && found !== permitted));
      if (shown.size > 0) t.fail(`${name}: ${operation} shows ${[...shown].join()}`);
    }
    await restore();
  }
  t.ok(planted > 40, `${planted} of ${references.length} columns`);
});
