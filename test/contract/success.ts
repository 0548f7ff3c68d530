/** Sends requests of every operation that must succeed. Status, headers and body are those of the operation's row. */
import type { Test } from 'tap';
import { compile } from '../../protocol/validate.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import { apiVersion } from '../../protocol/version.ts';
import { readSeals } from '../../storage/secrets/reseal.ts';
import type { Reply } from '../node/client.ts';
import { countSealedRows } from '../support/sealed.ts';
import { ask } from './ask.ts';
import { type ContractFixture, startContractFixture, type TenantEnvironment } from './contract-fixture.ts';
import type { Level } from './level.ts';
import { good } from './refusals.ts';
import { scenarios } from './scenarios/all.ts';

const rows = Object.entries(operations) as [OperationId, Operation][];

/** Operations of the project and of neither environment: an idempotency key has one meaning in both. */
const ofProject: ReadonlySet<OperationId> = new Set([
  'createApiKey',
  'createCannedReply',
  'createStreamTicket',
]);

/** Returns what is wrong with the answer. */
function findFaults({ success, alternative, setsCookie }: Operation, reply: Reply<unknown>): string[] {
  const found: string[] = [];
  const row = [success, alternative].find(each => each?.status === reply.status);
  if (row === undefined) return [`status ${reply.status}: ${reply.text}`];
  const { headers } = reply;
  if (row.status === 101) return found;
  if (row.body === null) {
    if (reply.text !== '') found.push(`a body: ${reply.text}`);
  } else {
    const contentType = success.contentType ?? 'application/json';
    if (headers['content-type'] !== `${contentType}; charset=utf-8`) found.push('the Content-Type');
    for (const issue of compile(row.body)(reply.body, '') ?? []) found.push(JSON.stringify(issue));
  }
  if (!/^req_[0-9a-z]{26}$/.test(String(headers['x-request-id']))) found.push('no X-Request-Id');
  if (headers['service-version'] !== apiVersion) found.push('no Service-Version');
  if (headers['x-content-type-options'] !== 'nosniff') found.push('no X-Content-Type-Options');
  if ((headers['set-cookie'] !== undefined) !== (setsCookie === true)) found.push('the refresh cookie');
  return found;
}

async function trySandbox(t: Test, id: OperationId, { sandbox }: ContractFixture): Promise<void> {
  const { asked, by } = await good(id, scenarios[id], sandbox);
  t.strictSame(findFaults(operations[id], await ask(by, id, asked)), [], id);
}

/** Other requests that succeed, the other environment, and repeated keys. */
async function tryVariants(
  t: Test,
  id: OperationId,
  { sandbox, production }: ContractFixture,
): Promise<void> {
  const scenario = scenarios[id];
  const operation: Operation = operations[id];
  const { by } = await good(id, scenario, sandbox);
  for (const variant of scenario.variants ?? []) {
    t.strictSame(findFaults(operation, await ask(by, id, await variant(sandbox))), [], `a variant of ${id}`);
  }
  if (operation.auth === 'project') {
    const live = await good(id, scenario, production);
    const caller = scenario.by === undefined ? live.by : by;
    t.strictSame(findFaults(operation, await ask(caller, id, live.asked)), [], `${id} in production`);
  }
  if (operation.idempotency === 'none') return;
  const { asked, by: sender } = await good(id, scenario, sandbox);
  const first = await ask(sender, id, { ...asked, key: id });
  const second = await ask(sender, id, { ...asked, key: id });
  t.strictSame(findFaults(operation, second), [], `${id} again`);
  t.equal(second.headers['idempotent-replayed'], 'true', id);
  t.equal(second.text, first.text, `${id}: the same answer, to the byte`);
  if (ofProject.has(id) || operation.auth !== 'project') return;
  // A person's requests may name no environment. The key has another meaning in each.
  for (const env of [production, sandbox]) await tryPerson(t, id, env);
}

async function tryPerson(t: Test, id: OperationId, env: TenantEnvironment): Promise<void> {
  const { asked } = await good(id, scenarios[id], env);
  const reply = await ask(env.person, id, { ...asked, key: `${id}-of-a-person` });
  t.strictSame(findFaults(operations[id], reply), [], `a person's key in ${env.kind}: ${id}`);
  t.equal(reply.headers['idempotent-replayed'], undefined, id);
}

export async function checkSuccess(t: Test, level: Level): Promise<void> {
  const fixture = await startContractFixture(t);
  const attempt = level === 'quick' ? trySandbox : tryVariants;
  await t.test('every operation', async t => {
    for (const [id] of rows) await attempt(t, id, fixture);
  });
  if (level === 'quick') await t.test('re-sealing finds every sealed text', t => checkSeals(t, fixture));
  await t.test('the node', t => fixture.assertHealthy(t));
}

async function checkSeals(t: Test, { database }: ContractFixture): Promise<void> {
  const found = await countSealedRows(database);
  // A mail that is sent meanwhile loses its secret.
  found.delete('mails.secret');
  const seals = new Set<string>();
  for await (const { column, id } of readSeals(database)) seals.add(`${column} ${id}`);
  t.ok(found.size >= 6, [...found.keys()].join());
  for (const [column, count] of found) {
    t.equal([...seals].filter(seal => seal.startsWith(`${column} `)).length, count, column);
  }
}
