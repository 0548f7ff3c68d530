/** Who may do what, asked of the running node: each operation, by keys with each set of scopes and by people in each role. */
import t, { type Test } from 'tap';
import { errors, type ErrorCode } from '../../protocol/errors.ts';
import { scopes, type Operation, type Scope } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Asked, Client, Refusal } from '../node/client.ts';
import { ask } from './ask.ts';
import { admits } from './refusals.ts';
import { scenarios } from './scenarios/all.ts';
import { roles, startWorld } from './world.ts';

t.setTimeout(150_000);

const world = await startWorld(t);
const { sandbox, cast } = world;
let allowed = 0;
let refused = 0;

const keys = new Map<string, Promise<Client>>();

/** A key with these scopes; the same one for the same scopes. */
function keyWith(wanted: readonly Scope[]): Promise<Client> {
  const name = [...wanted].sort().join();
  let key = keys.get(name);
  if (key === undefined) keys.set(name, (key = world.keyWith(sandbox, wanted)));
  return key;
}

/** How the row refuses somebody whom the project knows: decisions section 1, "Permission or absence?". */
function refusalOf(operation: Operation, isUser: boolean): ErrorCode {
  const has = (code: ErrorCode): boolean => operation.errors.includes(code);
  if (isUser && has('svc/console/forbidden')) return 'svc/console/forbidden';
  if (has('svc/auth/insufficient_scope')) return 'svc/auth/insufficient_scope';
  // Where users alone come, a key is no credential.
  if (!isUser && operation.auth === 'user') return 'svc/auth/invalid_token';
  return has('svc/runtime/not_found') ? 'svc/runtime/not_found' : 'svc/console/not_found';
}

async function expectSuccess(t: Test, id: OperationId, by: Client, name: string): Promise<void> {
  const { request, inPlace } = scenarios[id];
  const asked: Asked = await (inPlace ?? request)(sandbox);
  const { status, body, text } = await ask(by, id, asked);
  const { error } = (body ?? {}) as Partial<Refusal>;
  const isLetIn =
    inPlace === undefined
      ? status === operations[id].success.status
      : status !== 404 && error !== refusalOf(operations[id], true);
  if (!isLetIn) t.fail(`${name}: ${status} ${text}`);
  allowed++;
}

async function expectRefusal(t: Test, id: OperationId, by: Client, isUser: boolean, name: string) {
  const { request, inPlace } = scenarios[id];
  const asked: Asked = await (inPlace ?? request)(sandbox);
  const { status, body, text } = await ask(by, id, asked);
  const code = refusalOf(operations[id], isUser);
  const isIt = status === errors[code].http && (body as Refusal).error === code;
  if (!isIt) t.fail(`${name}: ${status} ${text} instead of ${code}`);
  refused++;
}

for (const [id, operation] of Object.entries(operations) as [OperationId, Operation][]) {
  if (operation.auth === 'none' || operation.auth === 'refresh') continue;
  t.test(id, async t => {
    const needed = operation.access?.scopes ?? null;
    if (needed === null) {
      await expectRefusal(t, id, await keyWith(['*']), false, 'a key with every scope');
    } else {
      await expectSuccess(t, id, await keyWith(['*']), 'a key with every scope');
      await expectSuccess(t, id, await keyWith(needed), `a key with ${needed.join()}`);
      const others = scopes.filter(scope => scope !== '*');
      for (const scope of needed) {
        const lacking = others.filter(each => each !== scope);
        await expectRefusal(t, id, await keyWith(lacking), false, `a key without ${scope} alone`);
      }
    }
    if (operation.access !== undefined) {
      for (const role of roles) {
        if (operation.auth === 'user' && (role.startsWith('console') || role === 'studio developer'))
          continue;
        const isAdmitted = admits(operation, role);
        if (isAdmitted) await expectSuccess(t, id, cast[role], role);
        else await expectRefusal(t, id, cast[role], true, role);
      }
    }
    t.pass('every caller was told what the table says');
  });
}

t.test('all of them', async t => {
  t.ok(allowed > 100 && refused > 100);
  t.comment(`${allowed} callers allowed and ${refused} refused, as the table says`);
});

t.test('the node', t => world.unharmed(t));
