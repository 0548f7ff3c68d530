import t from 'tap';
import {
  errors,
  grpcStatus,
  invalid,
  notFound,
  ServiceError,
  type ErrorCode,
} from '../../protocol/errors.ts';

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
    507: ['RESOURCE_EXHAUSTED'],
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
