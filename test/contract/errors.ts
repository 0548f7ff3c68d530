/** Provokes the errors that operations declare, and compares each refusal with the catalogue. faults.test.ts has those that all operations share. */
import type { Test } from 'tap';
import { errors, type ErrorCode } from '../../protocol/errors.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import { ErrorResponse } from '../../protocol/resources/error.ts';
import { compile } from '../../protocol/validate.ts';
import type { Refusal, Reply } from '../node/client.ts';
import { ask } from './ask.ts';
import { startContractFixture } from './contract-fixture.ts';
import { type Level, select } from './level.ts';
import { provocation } from './refusals.ts';
import { scenarios } from './scenarios/all.ts';

/** May happen to every operation alike: provoked in faults.test.ts. */
const everywhere: readonly ErrorCode[] = [
  'svc/rate_limit/exceeded',
  'svc/runtime/internal_error',
  'svc/runtime/unavailable',
];
const declared = (Object.entries(operations) as [OperationId, Operation][]).flatMap(([id, { errors }]) =>
  errors.filter(code => !everywhere.includes(code)).map(code => ({ id, code })),
);

/** Returns what is wrong with the refusal. */
function findFaults(code: ErrorCode, { status, body, text, headers }: Reply<unknown>): string[] {
  const { error, message, requestId, ...rest } = (body ?? {}) as Refusal;
  if (error !== code) return [`${status} ${text}`];
  const found: string[] = [];
  if (status !== errors[code].http) found.push(`status ${status}`);
  for (const issue of compile(ErrorResponse)(body, '') ?? []) found.push(JSON.stringify(issue));
  if (message.length === 0 || /\bat .*:\d+:\d+/.test(text)) found.push(`the message: ${message}`);
  if (requestId !== headers['x-request-id']) found.push('the requestId');
  const area = code.split('/')[1] ?? '';
  const page = area === 'auth' || area === 'validation' ? `/errors/${area}` : '/errors';
  if (!String(rest.docsUrl).endsWith(`/docs${page}`)) found.push(`the docsUrl ${rest.docsUrl}`);
  if (status === 401 && headers['www-authenticate'] !== 'Bearer') found.push('no WWW-Authenticate');
  if (code === 'svc/validation/invalid_request' && !Array.isArray(rest.details?.['issues']))
    found.push('no issues');
  return found;
}

export async function provokeErrors(t: Test, level: Level): Promise<void> {
  const fixture = await startContractFixture(t);
  await t.test('declared errors', async t => {
    for (const { id, code } of select(level, declared)) {
      const name = `${id}: ${code}`;
      const provoke = provocation(id, scenarios[id], code);
      if (provoke === undefined) {
        t.fail(`${name}: the scenario does not say how to provoke it`);
        continue;
      }
      const refused = await provoke(fixture);
      const reply = 'asked' in refused ? await ask(refused.by, id, refused.asked) : refused;
      t.strictSame(findFaults(code, reply), [], name);
    }
  });
  await t.test('the node', t => fixture.assertHealthy(t));
}
