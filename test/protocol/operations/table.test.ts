import t from 'tap';
import type { TSchema } from 'typebox';
import { errors, type ErrorCode } from '../../../protocol/errors.ts';
import { scopes, type Operation } from '../../../protocol/operation.ts';
import { operations } from '../../../protocol/operations/table.ts';

const rows = Object.entries<Operation>(operations);
const properties = (schema: TSchema | undefined): string[] =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});

const takesKeys = ({ auth, access }: Operation): boolean => auth === 'any' || Boolean(access?.scopes);

/** What an error list has to hold because of how the operation is called. */
function implied(operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ['svc/runtime/internal_error', 'svc/runtime/unavailable'];
  if (operation.rate !== 'none') codes.push('svc/rate_limit/exceeded');
  if (operation.auth !== 'none') {
    codes.push('svc/auth/missing_credentials', 'svc/auth/expired_token', 'svc/auth/invalid_token');
  }
  if (takesKeys(operation)) codes.push('svc/auth/invalid_api_key');
  // At the least an unknown parameter of the query.
  codes.push('svc/validation/invalid_request');
  if (properties(operation.query).includes('cursor')) codes.push('svc/runtime/invalid_request');
  if (operation.idempotency !== 'none') codes.push('svc/runtime/idempotency_conflict');
  if (operation.idempotency === 'required') codes.push('svc/runtime/missing_idempotency_key');
  if (operation.auth === 'project' || operation.auth === 'stream') {
    codes.push(operation.path.startsWith('/console/') ? 'svc/console/not_found' : 'svc/runtime/not_found');
  }
  // Canned replies are in no environment.
  const isInEnvironment = !/^\/(console|canned-replies)/.test(operation.path);
  if (operation.auth === 'project' && operation.access?.scopes && isInEnvironment) {
    codes.push('svc/auth/email_not_verified');
  }
  return codes;
}

t.test('no two operations share a route', async t => {
  const routes = rows.map(([, { method, path }]) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  t.equal(new Set(routes).size, routes.length);
});

for (const [id, operation] of rows) {
  t.test(id, async t => {
    const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map(match => match[1]);
    t.strictSame(properties(operation.params), named, 'every path parameter has a schema, and no other');
    t.match(operation.path, /^(\/[a-z0-9_.-]+|\/\{\w+\})+$/, 'the path is normal');

    for (const code of operation.errors) t.ok(code in errors, `${code} is in the catalogue`);
    t.equal(new Set(operation.errors).size, operation.errors.length, 'no error is listed twice');
    const missing = implied(operation).filter(code => !operation.errors.includes(code));
    t.strictSame(missing, [], 'the error list holds what auth, idempotency and schemas imply');
    const keepsNothing = operation.method === 'POST' && operation.idempotency === 'none';
    t.equal(
      operation.repeatEffect !== undefined,
      keepsNothing,
      'a POST keeps its answers, or says what a second one does',
    );
    if (operation.idempotency === 'none') {
      t.notOk(
        operation.errors.includes('svc/runtime/idempotency_conflict'),
        'and nothing of idempotency else',
      );
    }
    if (!takesKeys(operation)) {
      t.notOk(
        operation.errors.includes('svc/auth/invalid_api_key'),
        'and nothing of API keys where none come',
      );
    }

    if (operation.auth === 'project' || operation.auth === 'stream') {
      t.ok(operation.access, 'an operation on a project says who may call it');
    }
    if (operation.access) {
      const { access } = operation;
      t.ok(access.scopes === null || access.scopes.length > 0, 'scopes are null or some');
      for (const scope of access.scopes ?? []) t.ok(scopes.includes(scope), scope);
      t.ok(access.studio.length + access.console.length > 0, 'somebody may');
      // But that everybody may leave, and has read what they have read.
      const isWrite = operation.method !== 'GET' && id !== 'removeMember' && id !== 'moveReadCursor';
      if (isWrite && !operation.path.startsWith('/console/')) {
        t.notOk(access.studio.includes('viewer'), 'viewers write nothing');
        t.notOk(access.console.includes('viewer'), 'neither in Studio nor in Console');
      }
    }

    const safe = operation.method === 'GET';
    t.notOk(safe && operation.body, 'a GET has no body');
    t.notOk(safe && operation.idempotency !== 'none', 'a GET needs no Idempotency-Key');
    if (operation.method === 'POST' && operation.auth === 'project' && id !== 'createStreamTicket') {
      t.not(operation.idempotency, 'none', 'a POST takes an Idempotency-Key');
    }
    if (operation.body)
      t.match(operation.body, { additionalProperties: false }, 'unknown fields are refused');
    t.equal(operation.success.body === null, [101, 204].includes(operation.success.status));
  });
}

t.test('the critical writes require an Idempotency-Key', async t => {
  const required = rows.filter(([, operation]) => operation.idempotency === 'required').map(([id]) => id);
  t.strictSame(required.sort(), ['createInboundMessage', 'createMessage', 'createThread']);
});

t.test('answers with a secret say so', async t => {
  const secret = rows.filter(([, operation]) => operation.secret).map(([id]) => id);
  const expected = `confirmSecondFactor createApiKey createAttachment createPartnerApp createPasskey createStitch createStreamTicket createTool enrolSecondFactor renewRecoveryCodes rotateApiKey rotateStitchSecret rotateToolSecret`;
  t.strictSame(secret.sort(), expected.split(' '));
});

t.test('lists have the parameters and the envelope of a page', async t => {
  for (const [id, operation] of rows) {
    if (!properties(operation.success.body ?? undefined).includes('hasMore')) continue;
    t.match(
      operation.query,
      { properties: { cursor: { type: 'string' }, limit: { minimum: 1, maximum: 100, default: 50 } } },
      id,
    );
    t.match(operation.success.body, { required: ['data', 'nextCursor', 'hasMore'] }, id);
  }
});

t.test('an operation that creates answers 201, and one that only accepts its work 202', async t => {
  const accepted = `erasePersonalData recordReceipt replayDelivery replayFailedDeliveries replayStitch simulateSandbox testStitch`;
  const withStatus = (status: number) =>
    rows.flatMap(([id, { success }]) => (success.status === status ? [id] : [])).sort();
  t.strictSame(withStatus(202), accepted.split(' '));
  const creates = rows.map(([id]) => id).filter(id => id.startsWith('create') && id !== 'createStreamTicket');
  t.strictSame(withStatus(201), [...creates, 'sendChatappTemplate'].sort());
});

t.test('API keys never reach keys, environments and members', async t => {
  for (const [id, operation] of rows) {
    if (
      /^\/(api-keys|environments|projects|workspaces)/.test(operation.path) ||
      operation.path.includes('/members')
    ) {
      t.notOk(operation.access?.scopes, id);
    }
  }
});
