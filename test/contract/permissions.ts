/**
 * Checks who may call what at the running node: each operation in sandbox and production, by keys with each set of scopes and by people in each
 * role.
 */
import type { Test } from 'tap';
import { errors, type ErrorCode } from '../../protocol/errors.ts';
import { scopes, type Operation, type Scope } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Asked, Client, Refusal, Reply } from '../node/client.ts';
import { eventually } from '../support/eventually.ts';
import { ask } from './ask.ts';
import {
  type ContractFixture,
  roles,
  startContractFixture,
  type TenantEnvironment,
  type Role,
} from './contract-fixture.ts';
import { type Level, select } from './level.ts';
import { admits, good } from './refusals.ts';
import { scenarios } from './scenarios/all.ts';

/** Operations that need a credential. */
const rows = (Object.entries(operations) as [OperationId, Operation][]).filter(
  ([, { auth }]) => auth !== 'none' && auth !== 'refresh',
);

/** Operations of a user's own are the same in both environments: they are tried in one. */
const isInEnvironment = ({ auth }: Operation): boolean => auth !== 'user' && auth !== 'any';

type Make = (env: TenantEnvironment) => Asked | Promise<Asked>;

/** How the row refuses a caller that the project knows: docs/contract-decisions.md, "Permission or absence". */
function getRefusal(operation: Operation, isUser: boolean): ErrorCode {
  const has = (code: ErrorCode): boolean => operation.errors.includes(code);
  if (isUser && has('svc/console/forbidden')) return 'svc/console/forbidden';
  if (has('svc/auth/insufficient_scope')) return 'svc/auth/insufficient_scope';
  // Operations for users alone do not take keys.
  if (!isUser && (operation.access?.scopes ?? null) === null) return 'svc/auth/invalid_token';
  return has('svc/runtime/not_found') ? 'svc/runtime/not_found' : 'svc/console/not_found';
}

/** A person with a role in only one of the workspace's projects does not see the workspace. */
const isOutside = ({ auth, access }: Operation, role: Role): boolean =>
  auth === 'user' && access !== undefined && (role.startsWith('console') || role === 'studio developer');

/** A request of one caller. */
interface Check {
  readonly id: OperationId;
  readonly name: string;
  /** Undefined: the request is about the account of the person that the scenario names. */
  readonly by: (() => Promise<Client>) | undefined;
  /** Undefined: the caller is allowed. */
  readonly refusal?: ErrorCode;
}

class Permissions {
  readonly #fixture: ContractFixture;
  readonly #env: TenantEnvironment;
  /** Whether the addresses of the people are verified. A sandbox does not require it. */
  readonly #isVerified: boolean;
  readonly #keys = new Map<string, Promise<Client>>();
  readonly #requests = new Map<OperationId, Promise<Asked>>();

  constructor(env: TenantEnvironment, isVerified: boolean) {
    this.#fixture = env.fixture;
    this.#env = env;
    this.#isVerified = isVerified;
  }

  list(): Check[] {
    return rows
      .filter(([, operation]) => !this.#isVerified || isInEnvironment(operation))
      .flatMap(([id, operation]) => [...this.#listKeys(id, operation), ...this.#listPeople(id, operation)]);
  }

  #listKeys(id: OperationId, operation: Operation): Check[] {
    const needed = operation.access?.scopes ?? null;
    const code = getRefusal(operation, false);
    const check = (name: string, wanted: readonly Scope[], refusal?: ErrorCode): Check => ({
      id,
      name: `a key ${name}`,
      by: () => this.#createKey(wanted),
      ...(refusal === undefined ? {} : { refusal }),
    });
    if (operation.auth === 'any') return [check('', ['*'])];
    if (needed === null) return [check('with every scope', ['*'], code)];
    const others = scopes.filter(scope => scope !== '*');
    return [
      check('with every scope', ['*']),
      check(`with ${needed.join()}`, needed),
      ...needed.map(scope =>
        check(
          `without ${scope} alone`,
          others.filter(each => each !== scope),
          code,
        ),
      ),
    ];
  }

  #listPeople(id: OperationId, operation: Operation): Check[] {
    const { refuses = [], ownAccount = false } = scenarios[id];
    if (ownAccount) return [{ id, name: 'the owner of the account', by: undefined }];
    return roles.map(role => {
      const by = (): Promise<Client> => this.#fixture.inRole(role);
      if (isOutside(operation, role)) return { id, name: role, by, refusal: 'svc/runtime/not_found' };
      if (admits(operation, role) && !refuses.includes(role)) return { id, name: role, by };
      return { id, name: role, by, refusal: getRefusal(operation, true) };
    });
  }

  /** Returns a key with these scopes: the same one each time. */
  #createKey(wanted: readonly Scope[]): Promise<Client> {
    const name = [...wanted].sort().join();
    const key = this.#keys.get(name) ?? this.#fixture.createKey(this.#env, wanted);
    this.#keys.set(name, key);
    return key;
  }

  /** Returns a request that leaves everything unchanged, because it is refused or only reads: the same one each time. */
  #makeHarmless(id: OperationId, make: Make): Promise<Asked> {
    const request = this.#requests.get(id) ?? Promise.resolve(make(this.#env));
    this.#requests.set(id, request);
    return request;
  }

  async run(t: Test, check: Check): Promise<void> {
    const { id, name } = check;
    const { request, inOwnProject } = scenarios[id];
    const { method, auth, success } = operations[id];
    const refusal = check.refusal ?? this.#getOwnRefusal(check);
    const isRead = method === 'GET' && auth !== 'stream';
    const sender = await check.by?.();
    if (refusal !== undefined && sender !== undefined) {
      const asked = await this.#makeHarmless(id, inOwnProject?.request ?? request);
      const { status, body, text } = await ask(sender, id, asked);
      const isRefused = status === errors[refusal].http && (body as Refusal).error === refusal;
      t.ok(isRefused, `${id} by ${name}: ${isRefused ? refusal : text}`);
      return;
    }
    const { status, text } =
      sender === undefined
        ? await this.#askOwner(id)
        : await ask(sender, id, await (isRead ? this.#makeHarmless(id, request) : request(this.#env)));
    t.equal(status, success.status, `${id} by ${name}: ${status === success.status ? '' : text}`);
  }

  async #askOwner(id: OperationId): Promise<Reply<unknown>> {
    const { asked, by } = await good(id, scenarios[id], this.#env);
    return ask(by, id, asked);
  }

  /** How the operation refuses a caller with the right role. */
  #getOwnRefusal({ id, name }: Check): ErrorCode | undefined {
    const { inOwnProject, verifiedOnly = false } = scenarios[id];
    // A key acts for the person who created it, and that person is verified.
    if (verifiedOnly && !this.#isVerified && !name.startsWith('a key')) return 'svc/auth/email_not_verified';
    return this.#isVerified ? inOwnProject?.code : inOwnProject?.unverified;
  }
}

async function verifyPeople({ database, sandbox, production, inRole }: ContractFixture): Promise<void> {
  const people = await Promise.all(roles.map(inRole));
  await database.query(
    `update users set email_verified_at = now() where email_verified_at is null and user_id in (
       select user_id from workspace_members where workspace_id = $1 union select user_id from project_members where project_id = $2
       union select user_id from console_members where project_id = $2)`,
    [sandbox.tenant.workspaceId, sandbox.projectId],
  );
  const { projectId, environmentId } = production;
  for (const person of people) {
    // The node caches a session for a second.
    await eventually('verified e-mail', async () => {
      const { status } = await ask(person, 'listThreads', { query: { projectId, environmentId } });
      return status === 200;
    });
  }
}

export async function checkPermissions(t: Test, level: Level): Promise<void> {
  const fixture = await startContractFixture(t);
  for (const env of [fixture.sandbox, fixture.production]) {
    await t.test(env.kind, async t => {
      const isVerified = env.kind === 'production';
      if (isVerified) await verifyPeople(fixture);
      const permissions = new Permissions(env, isVerified);
      const checks = permissions.list();
      t.ok(checks.length > 1_000, `${checks.length} callers`);
      for (const check of select(level, checks, 6)) await permissions.run(t, check);
    });
  }
  await t.test('the node', t => fixture.assertHealthy(t));
}
