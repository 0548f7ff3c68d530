/** Who may do what, asked of the running node: each operation in sandbox and production, by keys with each set of scopes and by people in each role. */
import t, { type Test } from 'tap';
import { errors, type ErrorCode } from '../../protocol/errors.ts';
import { scopes, type Operation, type Scope } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Asked, Client, Refusal } from '../node/client.ts';
import { eventually } from '../support/eventually.ts';
import { ask } from './ask.ts';
import { callers, isInEnvironment, knowing as rows } from './coverage.ts';
import { admits, good } from './refusals.ts';
import { scenarios } from './scenarios/all.ts';
import { roles, startContractFixture, type TenantEnvironment, type Role } from './contract-fixture.ts';

const fixture = await startContractFixture(t);
const { sandbox, production } = fixture;
const people = await Promise.all(roles.map(async role => [role, await fixture.inRole(role)] as const));
const byRole = Object.fromEntries(people) as Record<Role, Client>;
let allowed = 0;
let refused = 0;
/** Whether the e-mails of these people are verified: in a sandbox they need not be. */
let isVerified = false;

const keys = new Map<string, Promise<Client>>();

/** A key with these scopes; the same one for the same scopes. */
function createKey(env: TenantEnvironment, wanted: readonly Scope[]): Promise<Client> {
  const name = [env.kind, ...[...wanted].sort()].join();
  let key = keys.get(name);
  if (key === undefined) keys.set(name, (key = fixture.createKey(env, wanted)));
  return key;
}

const requests = new Map<string, Promise<Asked>>();

/** A request that leaves nothing changed, since it is refused or only reads: the same one each time. */
function harmless(
  id: OperationId,
  env: TenantEnvironment,
  make: (env: TenantEnvironment) => Asked | Promise<Asked>,
): Promise<Asked> {
  const name = `${id} ${env.kind}`;
  let request = requests.get(name);
  if (request === undefined) requests.set(name, (request = Promise.resolve(make(env))));
  return request;
}

/** How the row refuses somebody whom the project knows: docs/contract-decisions.md, "Permission or absence". */
function getRefusal(operation: Operation, isUser: boolean): ErrorCode {
  const has = (code: ErrorCode): boolean => operation.errors.includes(code);
  if (isUser && has('svc/console/forbidden')) return 'svc/console/forbidden';
  if (has('svc/auth/insufficient_scope')) return 'svc/auth/insufficient_scope';
  // Where users alone come, a key is no credential.
  if (!isUser && (operation.access?.scopes ?? null) === null) return 'svc/auth/invalid_token';
  return has('svc/runtime/not_found') ? 'svc/runtime/not_found' : 'svc/console/not_found';
}

/** A workspace is nothing to whoever is somebody in one of its projects only. */
const isOutside = ({ auth, access }: Operation, role: Role): boolean =>
  auth === 'user' && access !== undefined && (role.startsWith('console') || role === 'studio developer');

async function expectSuccess(
  t: Test,
  id: OperationId,
  env: TenantEnvironment,
  by: Client,
  name: string,
): Promise<void> {
  const { request, inOwnProject, verifiedOnly = false } = scenarios[id];
  // A key stands for whoever made it, and the makers of these are verified.
  if (verifiedOnly && !isVerified && !name.startsWith('a key')) {
    await expectRefusal(t, id, env, by, 'svc/auth/email_not_verified', name);
    return;
  }
  if (inOwnProject !== undefined) {
    const code = isVerified ? inOwnProject.code : inOwnProject.unverified;
    await expectRefusal(t, id, env, by, code, name);
    return;
  }
  const { method, auth, success } = operations[id];
  const isRead = method === 'GET' && auth !== 'stream';
  const { status, text } = await ask(by, id, await (isRead ? harmless(id, env, request) : request(env)));
  const wanted = success.status;
  if (status !== wanted) t.fail(`${name}: ${status} ${text} instead of ${wanted}`);
  allowed++;
}

async function expectRefusal(
  t: Test,
  id: OperationId,
  env: TenantEnvironment,
  by: Client,
  code: ErrorCode,
  name: string,
): Promise<void> {
  const { request, inOwnProject } = scenarios[id];
  const asked = await harmless(id, env, inOwnProject?.request ?? request);
  const { status, body, text } = await ask(by, id, asked);
  const isIt = status === errors[code].http && (body as Refusal).error === code;
  if (!isIt) t.fail(`${name}: ${status} ${text} instead of ${code}`);
  refused++;
}

async function tryKeys(
  t: Test,
  id: OperationId,
  operation: Operation,
  env: TenantEnvironment,
): Promise<void> {
  const needed = operation.access?.scopes ?? null;
  const code = getRefusal(operation, false);
  const all = await createKey(env, ['*']);
  if (operation.auth === 'any') return expectSuccess(t, id, env, all, 'a key');
  if (needed === null) return expectRefusal(t, id, env, all, code, 'a key with every scope');
  await expectSuccess(t, id, env, all, 'a key with every scope');
  await expectSuccess(t, id, env, await createKey(env, needed), `a key with ${needed.join()}`);
  const others = scopes.filter(scope => scope !== '*');
  for (const scope of needed) {
    const lacking = await createKey(
      env,
      others.filter(each => each !== scope),
    );
    await expectRefusal(t, id, env, lacking, code, `a key without ${scope} alone`);
  }
}

async function tryPeople(
  t: Test,
  id: OperationId,
  operation: Operation,
  env: TenantEnvironment,
): Promise<void> {
  const { refuses = [], ownAccount = false } = scenarios[id];
  if (ownAccount) {
    const { asked, by } = await good(id, scenarios[id], env);
    const { status, text } = await ask(by, id, asked);
    if (status !== operation.success.status) t.fail(`whose account it is: ${status} ${text}`);
    // One stands for all of them.
    allowed += roles.length;
    return;
  }
  for (const role of roles) {
    if (isOutside(operation, role)) {
      await expectRefusal(t, id, env, byRole[role], 'svc/runtime/not_found', role);
    } else if (admits(operation, role) && !refuses.includes(role)) {
      await expectSuccess(t, id, env, byRole[role], role);
    } else {
      await expectRefusal(t, id, env, byRole[role], getRefusal(operation, true), role);
    }
  }
}

for (const [id, operation] of rows) {
  t.test(id, async t => {
    await tryKeys(t, id, operation, sandbox);
    await tryPeople(t, id, operation, sandbox);
    t.pass('every caller was told what the table says');
  });
}

t.test('with e-mails that are verified', async () => {
  isVerified = true;
  await fixture.database.query(
    `update users set email_verified_at = now() where email_verified_at is null and user_id in (
       select user_id from workspace_members where workspace_id = $1 union select user_id from project_members where project_id = $2
       union select user_id from console_members where project_id = $2)`,
    [sandbox.tenant.workspaceId, sandbox.projectId],
  );
  const { projectId, environmentId } = production;
  for (const role of roles) {
    // What is known of a session is held for a second.
    await eventually('verified e-mail', async () => {
      const { status } = await ask(byRole[role], 'listThreads', { query: { projectId, environmentId } });
      return status === 200;
    });
  }
});

for (const [id, operation] of rows) {
  // What is no environment's has been tried.
  if (!isInEnvironment(operation.auth)) continue;
  t.test(`${id} in production`, async t => {
    await tryKeys(t, id, operation, production);
    await tryPeople(t, id, operation, production);
    t.pass('every caller was told what the table says');
  });
}

t.test('all of them', async t => {
  t.ok(allowed > 100 && refused > 100);
  t.equal(allowed + refused, callers());
});

t.test('the node', t => fixture.assertHealthy(t));
