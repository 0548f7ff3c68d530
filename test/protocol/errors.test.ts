import t from 'tap';
import {
  errors,
  grpcStatus,
  invalid,
  notFound,
  ServiceError,
  type ErrorCode,
} from '../../protocol/errors.ts';

/** The codes of the public contract with their statuses, written out once more. */
const specified: Record<string, number> = {
  'svc/auth/missing_credentials': 401,
  'svc/auth/insufficient_scope': 403,
  'svc/auth/expired_token': 401,
  'svc/auth/invalid_token': 401,
  'svc/auth/invalid_api_key': 401,
  'svc/auth/signup_disabled': 403,
  'svc/auth/email_domain_not_allowed': 422,
  'svc/auth/email_in_use': 409,
  'svc/auth/invalid_credentials': 401,
  'svc/auth/no_workspace': 403,
  'svc/auth/email_not_verified': 403,
  'svc/auth/login_required': 401,
  'svc/validation/invalid_request': 422,
  'svc/runtime/not_found': 404,
  'svc/runtime/internal_error': 500,
  'svc/runtime/invalid_request': 400,
  'svc/runtime/idempotency_conflict': 409,
  'svc/runtime/missing_idempotency_key': 400,
  'svc/runtime/conflict': 409,
  'svc/runtime/not_implemented': 501,
  'svc/rate_limit/exceeded': 429,
  'svc/console/not_found': 404,
  'svc/console/forbidden': 403,
  'svc/chatapp/invalid_verify_token': 401,
  'svc/chatapp/invalid_signature': 401,
  'svc/chatapp/connect_failed': 422,
  'svc/chatapp/channel_not_connected': 409,
  'svc/chatapp/webhook_identity_mismatch': 422,
  'svc/chatapp/template_required': 409,
  'svc/partner_app/in_use': 409,
  'svc/agent_runs/suggestion_already_resolved': 409,
};

/** The codes of requests that the service cannot take, and of further ways to sign in (docs/contract-decisions.md, "Statuses and schemas"). */
const added: Record<string, number> = {
  'svc/auth/second_factor_required': 401,
  'svc/auth/invalid_code': 401,
  'svc/auth/invalid_passkey': 401,
  'svc/auth/sso_required': 403,
  'svc/auth/sso_failed': 401,
  'svc/runtime/unavailable': 503,
  'svc/runtime/precondition_failed': 412,
};

t.test('the catalogue has the codes and statuses of the contract', async t => {
  const table = Object.fromEntries(Object.entries(errors).map(([code, row]) => [code, row.http]));
  t.strictSame(table, { ...specified, ...added });
});

t.test('every code has the specified form, a message and a gRPC status that agrees with HTTP', async t => {
  const kinds: Record<number, readonly string[]> = {
    400: ['INVALID_ARGUMENT'],
    401: ['UNAUTHENTICATED'],
    403: ['PERMISSION_DENIED'],
    404: ['NOT_FOUND'],
    412: ['FAILED_PRECONDITION'],
    409: ['ALREADY_EXISTS', 'FAILED_PRECONDITION', 'ABORTED'],
    422: ['INVALID_ARGUMENT'],
    429: ['RESOURCE_EXHAUSTED'],
    500: ['INTERNAL'],
    501: ['UNIMPLEMENTED'],
    503: ['UNAVAILABLE'],
  };
  for (const [code, row] of Object.entries(errors)) {
    t.match(code, /^svc\/[a-z_]+\/[a-z0-9_]+$/);
    t.ok(row.message.endsWith('.'), `${code} says it in a sentence`);
    t.ok(kinds[row.http]?.includes(row.grpc), `${code}: ${row.http} and ${row.grpc}`);
    t.type(grpcStatus[row.grpc], 'number');
  }
});

t.test('a ServiceError takes status and message from its row, unless told otherwise', async t => {
  for (const code of Object.keys(errors) as ErrorCode[]) {
    const error = new ServiceError(code);
    t.equal(error.http, errors[code].http);
    t.equal(error.message, errors[code].message);
    t.equal(error.details, undefined);
    t.equal(error.retryAfterSeconds, undefined);
  }
  const told = new ServiceError('svc/validation/invalid_request', {
    message: 'Not JSON.',
    http: 400,
    details: { a: 1 },
    retryAfterSeconds: 3,
  });
  t.match(told, { message: 'Not JSON.', http: 400, details: { a: 1 }, retryAfterSeconds: 3 });
});

t.test('invalid() carries the issues, notFound() tells nothing', async t => {
  const issues = [{ path: '/body/name', message: 'is required', code: 'required' }];
  t.match(invalid(issues), { http: 422, code: 'svc/validation/invalid_request', details: { issues } });
  t.equal(invalid(issues, 'No.').message, 'No.');
  t.match(notFound(), { http: 404, code: 'svc/runtime/not_found', details: undefined });
});
