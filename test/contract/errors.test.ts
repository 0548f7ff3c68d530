/** Every error that an operation declares, provoked, and held against the catalogue. What all have alike is in faults.test.ts. */
import t from 'tap';
import { errors, type ErrorCode } from '../../protocol/errors.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import { ErrorResponse } from '../../protocol/resources/error.ts';
import { compile } from '../../protocol/validate.ts';
import type { Refusal, Reply } from '../node/client.ts';
import { ask } from './ask.ts';
import { declaredErrors, everywhere } from './coverage.ts';
import { provocation } from './refusals.ts';
import { scenarios } from './scenarios/all.ts';
import { startContractFixture } from './contract-fixture.ts';

const fixture = await startContractFixture(t);
let provoked = 0;

/** What is wrong with the refusal. */
function faults(code: ErrorCode, { status, body, text, headers }: Reply<unknown>, docsUrl: string): string[] {
  const { error, message, requestId, ...rest } = (body ?? {}) as Refusal;
  if (error !== code) return [`${status} ${text}`];
  const found: string[] = [];
  if (status !== errors[code].http) found.push(`status ${status}`);
  for (const issue of compile(ErrorResponse)(body, '') ?? []) found.push(JSON.stringify(issue));
  if (message.length === 0 || /\bat .*:\d+:\d+/.test(text)) found.push(`the message: ${message}`);
  if (requestId !== headers['x-request-id']) found.push('the requestId');
  const area = code.split('/')[1] ?? '';
  const page = area === 'auth' || area === 'validation' ? `/errors/${area}` : '/errors';
  if (rest.docsUrl !== `${docsUrl}${page}`) found.push(`the docsUrl ${rest.docsUrl}`);
  if (status === 401 && headers['www-authenticate'] !== 'Bearer') found.push('no WWW-Authenticate');
  if (code === 'svc/validation/invalid_request' && !Array.isArray(rest.details?.['issues']))
    found.push('no issues');
  return found;
}

for (const [id, operation] of Object.entries(operations) as [OperationId, Operation][]) {
  t.test(id, async t => {
    for (const code of operation.errors) {
      if (everywhere.includes(code)) continue;
      const provoke = provocation(id, scenarios[id], code);
      if (provoke === undefined) {
        t.fail(`nothing provokes ${code}`);
        continue;
      }
      const refused = await provoke(fixture);
      const reply = 'asked' in refused ? await ask(refused.by, id, refused.asked) : refused;
      const isHere = reply.headers['x-request-id'] !== undefined;
      const docsUrl =
        id === 'signUp' && code === 'svc/auth/signup_disabled' ? getDocs(reply) : `${fixture.url}/docs`;
      t.strictSame(isHere ? faults(code, reply, docsUrl) : ['no answer'], [], code);
      provoked++;
    }
  });
}

/** Of another node than the fixture's. */
function getDocs({ body }: Reply<unknown>): string {
  return (body as Refusal).docsUrl.replace(/\/errors.*$/, '');
}

t.test('all of them', async t => {
  t.equal(provoked, declaredErrors());
});

t.test('the node', t => fixture.assertHealthy(t));
