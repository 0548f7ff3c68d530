/** Every operation, asked for what it does: status, headers and body are those of its row. */
import t from 'tap';
import { compile } from '../../protocol/validate.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import { apiVersion } from '../../protocol/version.ts';
import { readSeals } from '../../storage/secrets/reseal.ts';
import type { Reply } from '../node/client.ts';
import { ask } from './ask.ts';
import { good } from './refusals.ts';
import { scenarios } from './scenarios/all.ts';
import { startContractFixture } from './contract-fixture.ts';
import { countSealedRows } from '../support/sealed.ts';

const fixture = await startContractFixture(t);
const rows = Object.entries(operations) as [OperationId, Operation][];

/** What is asked of a project and of neither of its environments: a key of theirs means one thing there. */
const ofTheProject: ReadonlySet<OperationId> = new Set([
  'createApiKey',
  'createCannedReply',
  'createStreamTicket',
]);

/** What is wrong with the answer. */
function faults(operation: Operation, reply: Reply<unknown>): string[] {
  const found: string[] = [];
  const { success, alternative, setsCookie } = operation;
  const row = [success, alternative].find(each => each?.status === reply.status);
  if (row === undefined) return [`status ${reply.status}: ${reply.text}`];
  const { headers } = reply;
  if (row.status === 101) return found;
  if (row.body === null) {
    if (reply.text !== '') found.push(`a body: ${reply.text}`);
  } else {
    const contentType = operation.success.contentType ?? 'application/json';
    if (headers['content-type'] !== `${contentType}; charset=utf-8`) found.push('the Content-Type');
    for (const issue of compile(row.body)(reply.body, '') ?? []) found.push(JSON.stringify(issue));
  }
  if (!/^req_[0-9a-z]{26}$/.test(String(headers['x-request-id']))) found.push('no X-Request-Id');
  if (headers['service-version'] !== apiVersion) found.push('no Service-Version');
  if (headers['x-content-type-options'] !== 'nosniff') found.push('no X-Content-Type-Options');
  if ((headers['set-cookie'] !== undefined) !== (setsCookie === true)) found.push('the refresh cookie');
  return found;
}

for (const [id, operation] of rows) {
  t.test(id, async t => {
    const scenario = scenarios[id];
    const { asked, by } = await good(id, scenario, fixture.sandbox);
    t.strictSame(faults(operation, await ask(by, id, asked)), []);
    for (const variant of scenario.variants ?? []) {
      t.strictSame(faults(operation, await ask(by, id, await variant(fixture.sandbox))), []);
    }
    if (operation.auth === 'project') {
      const live = await good(id, scenario, fixture.production);
      const caller = scenario.by === undefined ? live.by : by;
      t.strictSame(faults(operation, await ask(caller, id, live.asked)), [], 'in production');
    }
    if (operation.idempotency !== 'none') {
      const { asked, by } = await good(id, scenario, fixture.sandbox);
      const first = await ask(by, id, { ...asked, key: id });
      const second = await ask(by, id, { ...asked, key: id });
      t.strictSame(faults(operation, second), []);
      t.equal(second.headers['idempotent-replayed'], 'true');
      t.equal(second.text, first.text, 'the same answer, to the byte');
    }
    if (!ofTheProject.has(id) && operation.idempotency !== 'none' && operation.auth === 'project') {
      // A person's own environments, of which the request may name none: the key means something else in each.
      for (const env of [fixture.production, fixture.sandbox]) {
        const { asked } = await good(id, scenario, env);
        const reply = await ask(env.person, id, { ...asked, key: `${id}-of-a-person` });
        t.strictSame(faults(operation, reply), [], `a person's key in ${env.kind}`);
        t.equal(reply.headers['idempotent-replayed'], undefined);
      }
    }
  });
}

t.test('every operation of the table was asked', async t => {
  t.strictSame(Object.keys(scenarios).sort(), Object.keys(operations).sort());
});

t.test('whatever is sealed, anywhere in the database, is found by what re-seals it', async t => {
  const found = await countSealedRows(fixture.database);
  // A mail that is sent meanwhile loses its secret.
  found.delete('mails.secret');
  const rows = new Set<string>();
  for await (const { column, id } of readSeals(fixture.database)) rows.add(`${column} ${id}`);
  t.ok(found.size >= 6, [...found.keys()].join());
  for (const [column, count] of found) {
    t.equal([...rows].filter(row => row.startsWith(`${column} `)).length, count, column);
  }
});

t.test('the node', t => fixture.assertHealthy(t));
