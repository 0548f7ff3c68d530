/** How an operation comes to refuse with the codes that its row alone explains. */
import type { ErrorCode } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { Operation, Scope } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import { Client, type Asked, type Reply } from '../node/client.ts';
import { fields, type Field } from '../node/sample.ts';
import { ask } from './ask.ts';
import { usualCaller, type AnyScenario, type Provoke, type Refused } from './scenario.ts';
import { roles, type TenantEnvironment, type Role, type ContractFixture } from './contract-fixture.ts';

/** A request of the scenario, and who sends it. */
export async function good(
  id: OperationId,
  { request, by }: AnyScenario,
  env: TenantEnvironment,
): Promise<Refused> {
  return { asked: await request(env), by: (await by?.(env)) ?? usualCaller(operations[id], env) };
}

const refused = new WeakMap<TenantEnvironment, Map<OperationId, Promise<Refused>>>();

/** A request of the scenario that is only made so that it is refused, and so stays good: the same one each time. */
export function toRefuse(id: OperationId, scenario: AnyScenario, env: TenantEnvironment): Promise<Refused> {
  let requests = refused.get(env);
  if (requests === undefined) refused.set(env, (requests = new Map()));
  let request = requests.get(id);
  if (request === undefined) requests.set(id, (request = good(id, scenario, env)));
  return request;
}

/** The request with another value in one field. */
export function put(asked: Asked, { part, name }: Pick<Field, 'part' | 'name'>, value: unknown): Asked {
  return { ...asked, [part]: { ...(asked[part] as object | undefined), [name]: value } };
}

/** Whether the row admits the role. Workspace owner and admin are developers in every project. */
export function admits({ access }: Operation, role: Role): boolean {
  if (access === undefined) return true;
  const [part, name] = role.split(' ') as ['studio' | 'console', string];
  const admitted: readonly string[] = access[part];
  const asDeveloper = part === 'studio' && (name === 'owner' || name === 'admin');
  return admitted.includes(name) || (asDeveloper && admitted.includes('developer'));
}

/** A scope that the row does not ask for. */
export function otherScope({ access }: Operation): Scope {
  const needed: readonly string[] = access?.scopes ?? [];
  return needed.includes('usage:read') ? 'audit:read' : 'usage:read';
}

type Derive = (fixture: ContractFixture, id: OperationId, scenario: AnyScenario) => Promise<Refused>;

const as =
  (client: (fixture: ContractFixture, operation: Operation) => Client | Promise<Client>): Derive =>
  async (fixture, id, scenario) => ({
    asked: (await toRefuse(id, scenario, fixture.sandbox)).asked,
    by: await client(fixture, operations[id]),
  });

/** The first field of the request that names what is not there: of the path, or else the project or workspace. */
const absent: Derive = async (fixture, id, scenario) => {
  const { asked, by } = await toRefuse(id, scenario, fixture.sandbox);
  const named = fields(operations[id]).find(
    ({ part, name, resource }) =>
      resource !== undefined &&
      name in ((asked[part] as object | undefined) ?? {}) &&
      (part === 'params' || name === 'projectId' || name === 'workspaceId'),
  );
  if (named?.resource === undefined) throw new Error(`${id} names nothing that could be absent`);
  return { by, asked: put(asked, named, newId(named.resource)) };
};

const malformed: Derive = async (fixture, id, scenario) => {
  const { asked, by } = await toRefuse(id, scenario, fixture.sandbox);
  const operation: Operation = operations[id];
  if (operation.body !== undefined) return { by, asked: put(asked, { part: 'body', name: 'unknown' }, 1) };
  const known = fields(operation);
  const field = known.find(({ part }) => part === 'params') ?? known.find(({ name }) => name !== 'cursor');
  if (field === undefined) return { by, asked: put(asked, { part: 'query', name: 'unknown' }, 1) };
  return { by, asked: put(asked, field, field.part === 'params' ? 'malformed' : '') };
};

/** The tag of another state of the resource. */
const outdated: Derive = async (fixture, id, scenario) => {
  const { asked, by } = await toRefuse(id, scenario, fixture.sandbox);
  return { by, asked: { ...asked, headers: { 'if-match': '"another"' } } };
};

const senseless: Derive = async (fixture, id, scenario) => {
  const { asked, by } = await toRefuse(id, scenario, fixture.sandbox);
  if (operations[id].idempotency === 'accepted') return { by, asked: { ...asked, key: 'two words' } };
  return { by, asked: put(asked, { part: 'query', name: 'cursor' }, 'edited') };
};

/**
 * The key of a request that was done, with another request; where there is no other one, or the key of somebody unknown would be
 * another key with it, while it is being done.
 */
const repeated = async (
  fixture: ContractFixture,
  id: OperationId,
  scenario: AnyScenario,
): Promise<Refused | Reply<unknown>> => {
  const { by, asked } = await good(id, scenario, fixture.sandbox);
  const body = asked.body as { readonly name?: string } | undefined;
  const other =
    body?.name === undefined
      ? await scenario.request(fixture.sandbox)
      : put(asked, { part: 'body', name: 'name' }, 'x');
  const isAnonymous = operations[id].auth === 'none';
  if (isAnonymous || JSON.stringify(other) === JSON.stringify(asked)) {
    return overtaken(fixture, by, id, asked);
  }
  const key = newId('request');
  const { status, text } = await ask(by, id, { ...asked, key });
  if (status >= 300) throw new Error(`${id} answered ${text}`);
  return { by, asked: { ...other, key } };
};

/** Of two at once with one key, one is told that the other is at it: that one waits for tables which are locked here. */
async function overtaken(
  { database }: ContractFixture,
  by: Client,
  id: OperationId,
  asked: Asked,
): Promise<Reply<unknown>> {
  const key = newId('request');
  let replies: Promise<Reply<unknown>>[] = [];
  const late = await database.em().transactional(async em => {
    await em.execute('lock table email_tokens, stream_tickets in exclusive mode');
    replies = [1, 2].map(() => ask(by, id, { ...asked, key }));
    return Promise.race(replies);
  });
  await Promise.all(replies);
  return late;
}

const unverified: Derive = async ({ production, inRole }, id, scenario) => {
  const role = roles.find(each => admits(operations[id], each));
  if (role === undefined) throw new Error(`${id} admits nobody`);
  return { asked: await scenario.request(production), by: await inRole(role) };
};

const derived: Partial<Record<ErrorCode, Derive | typeof repeated>> = {
  'svc/auth/missing_credentials': as(({ anonymous }) => anonymous),
  'svc/auth/expired_token': as(
    async fixture => new Client(fixture.line, await fixture.expiredToken(fixture.sandbox.person)),
  ),
  'svc/auth/invalid_token': as(({ line, sandbox }) => new Client(line, `${sandbox.person.bearer}x`)),
  'svc/auth/invalid_api_key': as(({ line }) => new Client(line, `svc_test_${newId('apiKey')}`)),
  'svc/auth/insufficient_scope': as((fixture, operation) =>
    operation.access?.scopes
      ? fixture.createKey(fixture.sandbox, [otherScope(operation)])
      : fixture.sandbox.key,
  ),
  'svc/console/forbidden': as(({ inRole }, operation) => {
    const role = roles.find(each => !admits(operation, each));
    if (role === undefined) throw new Error('no role is refused');
    return inRole(role);
  }),
  'svc/auth/email_not_verified': unverified,
  'svc/runtime/not_found': absent,
  'svc/console/not_found': absent,
  'svc/validation/invalid_request': malformed,
  'svc/runtime/invalid_request': senseless,
  'svc/runtime/precondition_failed': outdated,
  'svc/runtime/missing_idempotency_key': async (fixture, id, scenario) => {
    const { asked, by } = await toRefuse(id, scenario, fixture.sandbox);
    return { by, asked: { ...asked, key: null } };
  },
  'svc/runtime/idempotency_conflict': repeated,
};

/** How the operation is made to refuse with the code: as its scenario says, else as its row does. */
export function provocation(id: OperationId, scenario: AnyScenario, code: ErrorCode): Provoke | undefined {
  const own = scenario.refusals[code];
  if (own !== undefined) return own;
  const derive = derived[code];
  return derive && (fixture => derive(fixture, id, scenario));
}
