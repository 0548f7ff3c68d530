/**
 * Checks that no tenant learns of another tenant's resources. At every place of every request that holds an id, the id of another tenant or of
 * the other environment of the project gets the answer of an id that does not exist, to the byte except for the request's own id. No answer
 * contains such an id.
 *
 * The id is also sent beside values that a body or query can switch (`archived`, `status` and the like), because one of them could turn a check
 * off.
 */
import type { Test } from 'tap';
import type { Operation } from '../../protocol/operation.ts';
import { newId, prefixes, type Resource } from '../../protocol/ids.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Asked, Client, Reply } from '../node/client.ts';
import type { Schema } from '../node/sample.ts';
import { ask } from './ask.ts';
import { type ContractFixture, startContractFixture, type TenantEnvironment } from './contract-fixture.ts';
import { getIdFields, type IdField } from './id-fields.ts';
import type { Level } from './level.ts';
import { scenarios } from './scenarios/all.ts';

/** Combinations of switches for each field. A list of threads has 5,103. */
const maxCombinations: Readonly<Record<Level, number>> = { quick: 1, full: 100 };

/** Operations whose requests name resources of a tenant. */
const rows = (Object.entries(operations) as [OperationId, Operation][]).filter(
  ([, { auth }]) => auth === 'project' || auth === 'user' || auth === 'stream',
);

/** Resources that both environments of a project share. */
const sharedByEnvironments: readonly Resource[] = [
  ...(['project', 'workspace', 'user', 'apiKey', 'invitation', 'partnerApp', 'cannedReply'] as const),
  ...(['audit', 'request'] as const),
];

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
const everything = new WeakMap<TenantEnvironment, Promise<Resources>>();

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
  const found = everything.get(env) ?? gather(env);
  everything.set(env, found);
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

/** Sends the request with combinations of what that part of it can switch. Fields with more than 8 values are names, and switch nothing. */
function* combine(operation: Operation, part: IdField['part'], sent: Asked, most: number): Generator<Asked> {
  if (part === 'params') return;
  const given = (sent[part] ?? {}) as Readonly<Record<string, unknown>>;
  const { properties = {} } = (operation[part] ?? {}) as Schema;
  const switches = Object.entries(properties).flatMap(([name, { enum: values, type }]) => {
    const known = values ?? (type === 'boolean' ? [true, false] : []);
    return known.length === 0 || known.length > 8 ? [] : [{ name, values: [undefined, ...known] }];
  });
  const count = switches.reduce((product, { values }) => product * values.length, 1);
  const tried = Math.min(count, most);
  for (let n = 1; n <= tried; n++) {
    // Spread evenly over all combinations. The last one switches everything.
    let index = Math.ceil((n * count) / tried) - 1;
    const members = { ...given };
    for (const { name, values } of switches) {
      const value = values[index % values.length];
      index = Math.floor(index / values.length);
      if (value === undefined) delete members[name];
      else members[name] = value;
    }
    yield { ...sent, [part]: members };
  }
}

/** Returns the requests that read what the request was about: every GET whose path has no other ids. */
function* listReadings({ params }: Asked): Generator<readonly [OperationId, Asked]> {
  if (params === undefined) return;
  for (const [id, { method, params: named }] of rows) {
    const names = Object.keys(((named ?? {}) as Schema).properties ?? {});
    if (method !== 'GET' || names.length === 0 || !names.every(name => name in params)) continue;
    yield [id, { params: Object.fromEntries(names.map(name => [name, params[name] ?? ''])) }];
  }
}

/** Sends another tenant's or environment's ids with the credential. */
class Probe {
  readonly #t: Test;
  readonly #by: Client;
  readonly #env: TenantEnvironment;
  readonly #ours: Resources;
  readonly #theirs: Resources;
  readonly #secrets: ReadonlySet<string>;
  readonly #level: Level;

  constructor(
    t: Test,
    level: Level,
    { by, env }: { readonly by: Client; readonly env: TenantEnvironment },
    [ours, theirs]: readonly [Resources, Resources],
    shared: readonly Resource[],
  ) {
    const common = new Set<string>(shared.map(resource => prefixes[resource]));
    this.#t = t;
    this.#level = level;
    this.#by = by;
    this.#env = env;
    this.#ours = ours;
    this.#theirs = theirs;
    this.#secrets = new Set([...theirs.ids].filter(id => !common.has(getPrefix(id))));
    t.ok(this.#secrets.size > rows.length, `${this.#secrets.size} ids looked for`);
  }

  async run(fields: readonly (readonly [OperationId, IdField])[]): Promise<void> {
    for (const [id, field] of fields) await this.#tryField(id, field);
    await this.#readAll();
    this.#t.ok(fields.length > 0, `${fields.length} fields of requests tried`);
  }

  #conceals(name: string, { text }: Reply<unknown>, sent: Asked): void {
    const said = JSON.stringify(sent);
    const shown = idsIn(text).filter(id => this.#secrets.has(id) && !said.includes(id));
    if (shown.length > 0) this.#t.fail(`${name} shows ${shown.join()}`);
  }

  async #tryField(id: OperationId, field: IdField): Promise<void> {
    const [t, by] = [this.#t, this.#by];
    const operation = operations[id];
    const { resource } = field;
    const name = `${id}: ${field.part} ${field.path.join('.')}`;
    const foreign = this.#theirs.one.get(resource);
    if (foreign === undefined) return void t.fail(`${name}: no scenario has a foreign id to put there`);
    const request = requestWith(this.#ours.requests.get(id) ?? [], field);
    const sent = put(request, field, foreign);
    const answer = await ask(by, id, sent);
    const absent = newId(resource);
    const nothing = await ask(by, id, put(request, field, absent));
    const [shown, like] = [anonymous(answer, foreign), anonymous(nothing, absent)];
    if (shown !== like) t.same(shown, like, name);
    const wanted = getExpectedStatus(id, field);
    if (answer.status !== wanted) t.fail(`${name} answered ${answer.status} ${answer.text}`);
    this.#conceals(name, answer, sent);
    for (const switched of combine(operation, field.part, sent, maxCombinations[this.#level])) {
      const refusal = await ask(by, id, switched);
      if (refusal.status !== wanted && refusal.status !== 422) {
        t.fail(`${name} answered ${refusal.status} to ${JSON.stringify(switched)}`);
      }
      this.#conceals(name, refusal, switched);
    }
    // The quick level reads everything once, at the end.
    for (const [reading, own] of this.#level === 'full' ? listReadings(request) : []) {
      this.#conceals(name, await ask(by, reading, own), own);
    }
  }

  async #readAll(): Promise<void> {
    for (const [id, [own]] of this.#ours.requests) {
      if (operations[id].method !== 'GET' || own === undefined) continue;
      if (!isOpenTo(this.#by, this.#env, operations[id])) continue;
      this.#conceals(`${id}, at the end,`, await ask(this.#by, id, own), own);
    }
  }
}

/** Returns everything that lists show to the tenant, except when its credentials were used. */
async function listOwn(env: TenantEnvironment): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  const lists = ['listThreads', 'listChannels', 'listStitches', 'listApiKeys', 'listConsoleMembers'] as const;
  const more = ['listMembers', 'listInvitations', 'listPartnerApps', 'listWorkspaces'] as const;
  for (const id of [...lists, ...more]) {
    const listed = await env.person.all<Record<string, unknown>>(id, await scenarios[id].request(env));
    found[id] = listed.map(({ lastUsedAt: _, lastUsedIp: __, ...row }) => row);
  }
  return found;
}

export async function checkIsolation(t: Test, level: Level): Promise<void> {
  const fixture = await startContractFixture(t);
  const { sandbox, production, foreign } = fixture;
  await getResources(foreign);
  const before = await listOwn(foreign);

  /** @param isTaken whether the credential tries the operation */
  async function probe(
    t: Test,
    by: Client,
    [env, other]: readonly [TenantEnvironment, TenantEnvironment],
    shared: readonly Resource[],
    isTaken = (operation: Operation): boolean => isOpenTo(by, env, operation),
  ): Promise<void> {
    const fields = rows
      .filter(([, operation]) => isTaken(operation))
      .flatMap(([id, operation]) => getIdFields(operation).map(field => [id, field] as const))
      .filter(([, { resource }]) => !shared.includes(resource));
    const both = [await getResources(env), await getResources(other)] as const;
    await new Probe(t, level, { by, env }, both, shared).run(fields);
  }

  await t.test('of another tenant, with an API key', t => probe(t, sandbox.key, [sandbox, foreign], []));
  // The quick level sends an access token only where keys are not taken.
  const takesToken =
    level === 'full' ? undefined : (operation: Operation) => !isOpenTo(sandbox.key, sandbox, operation);
  await t.test('of another tenant, with an access token', t =>
    probe(t, sandbox.person, [sandbox, foreign], [], takesToken),
  );
  await t.test('of production, with a key of the sandbox', t =>
    probe(t, sandbox.key, [sandbox, production], sharedByEnvironments),
  );
  if (level === 'full') {
    await t.test('of the sandbox, with a key of production', t =>
      probe(t, production.key, [production, sandbox], sharedByEnvironments),
    );
  }
  await t.test('the resources of the other tenant are unchanged', async t => {
    t.same(await listOwn(foreign), before);
  });
  await t.test('the node', t => fixture.assertHealthy(t));
  if (level === 'full') await t.test('of another tenant, in own rows', t => tryPlanted(t, fixture));
}

/** A column of tenants' rows that refers to something by its id. */
interface Reference {
  readonly table: string;
  readonly column: string;
  readonly isList: boolean;
  /** The primary key. */
  readonly key: readonly string[];
}

// By the names of columns, so that a new table is covered. Whose a row is, and what identifies it, here or at a channel, refers
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

/** Returns an id of the other tenant that the column could hold by its name, or holds there. */
async function findForeignId(
  { database, foreign }: ContractFixture,
  { table, column }: Reference,
): Promise<string | undefined> {
  const { one } = await getResources(foreign);
  const named = [...one].find(([resource]) =>
    column.replace(/_ids?$/, '').endsWith(resource.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)),
  );
  if (named !== undefined) return named[1];
  const [found] = await database.query<{ id: string }>(
    `select ${column} as id from ${table} where project_id = $1 and ${column} is not null limit 1`,
    [foreign.projectId],
  );
  return found?.id;
}

/** Writes the id into every own row that can take it. Returns a function that restores the rows. */
async function plant(
  { database, sandbox }: ContractFixture,
  { table, column, isList, key }: Reference,
  id: string,
): Promise<() => Promise<void>> {
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
  return async () => {
    await database.query(
      `update ${table} held set ${column} = taken.${column} from ${backup} taken where ${isRow}`,
    );
    await database.query(`drop table ${backup}`);
  };
}

async function tryPlanted(t: Test, fixture: ContractFixture): Promise<void> {
  const { sandbox, foreign, database } = fixture;
  const ours = await getResources(sandbox);
  const secrets = (await getResources(foreign)).ids;
  const references = await database.query<Reference>(selectReferences);
  let planted = 0;
  for (const reference of references) {
    const name = `${reference.table}.${reference.column}`;
    const id = await findForeignId(fixture, reference);
    if (id === undefined) continue;
    planted++;
    const restore = await plant(fixture, reference, id);
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
}
