/** Which class an answer becomes, and what it tells. */
import t from 'tap';
import {
  ApiError,
  AuthError,
  ConnectionError,
  RateLimitError,
  SkeinError,
  TimeoutError,
  ValidationError,
} from '../../../clients/sdk/index.ts';
import { createApiError } from '../../../clients/sdk/errors.ts';
import { errors } from '../../../protocol/errors.ts';
import { failure, jsonResponse } from './scripted-fetch.ts';

const answer = (status: number, body: unknown, headers = {}): ApiError =>
  createApiError(jsonResponse(status, body, headers), JSON.stringify(body));

t.test('every code of the catalogue has its class', async t => {
  const counts = new Map<string, number>();
  for (const [code, { http }] of Object.entries(errors)) {
    const error = answer(http, failure(code));
    const expected =
      http === 401 || http === 403
        ? AuthError
        : http === 429
          ? RateLimitError
          : code.startsWith('svc/validation/') || http === 400
            ? ValidationError
            : ApiError;
    t.equal(error.constructor, expected, code);
    t.equal(error.code, code);
    counts.set(error.kind, (counts.get(error.kind) ?? 0) + 1);
  }
  t.strictSame([...counts.keys()].sort(), ['api', 'auth', 'rate_limit', 'validation']);
});

t.test('what an error tells', async t => {
  const issues = [{ path: '/body/name', message: 'is required', code: 'required' }];
  const body = {
    ...failure('svc/validation/invalid_request', { issues }),
    docsUrl: 'http://skein.test/docs/errors',
  };
  const error = answer(422, body);
  t.equal(error.message, 'svc/validation/invalid_request: Said so. (req_1)');
  t.match(error, { name: 'ValidationError', kind: 'validation', status: 422, reason: 'Said so.', issues });
  t.strictSame(JSON.parse(JSON.stringify(error)), body, 'as JSON it is what the service wrote');
  t.equal(error.headers.get('x-request-id'), 'req_1');
  t.ok(error instanceof SkeinError && error instanceof ApiError);
  t.match(answer(400, failure('svc/runtime/invalid_request')), { issues: [] });
});

t.test('Retry-After in seconds, as a date, and as neither', async t => {
  const limited = (retryAfter: string): number | undefined =>
    answer(429, failure('svc/rate_limit/exceeded'), { 'retry-after': retryAfter }).retryAfterSeconds;
  t.equal(limited('17'), 17);
  const soon = limited(new Date(Date.now() + 60_000).toUTCString()) ?? 0;
  t.ok(soon > 55 && soon <= 60, `${soon}`);
  t.equal(limited('Thu, 01 Jan 1970 00:00:00 GMT'), 0);
  t.equal(limited('soon'), undefined);
  t.equal(answer(429, failure('svc/rate_limit/exceeded')).retryAfterSeconds, undefined);
});

t.test('an answer that is not the service’s goes by its status', async t => {
  for (const [status, kind] of [
    [401, 'auth'],
    [407, 'api'],
    [413, 'validation'],
    [429, 'rate_limit'],
    [431, 'validation'],
    [502, 'api'],
  ] as const) {
    const page = new Response('<html>', { status, headers: { 'content-type': 'text/html' } });
    t.match(createApiError(page, '<html>'), { kind, code: `http/${status}`, requestId: undefined });
  }
  for (const odd of ['null', '[]', '"no"', '{"error":{"code":1}}']) {
    t.match(createApiError(new Response(odd, { status: 404 }), odd), { code: 'http/404' }, odd);
  }
});

t.test('no answer has two classes of its own', async t => {
  t.match(new ConnectionError('no answer'), { name: 'ConnectionError', kind: 'connection', code: undefined });
  t.match(new TimeoutError('no answer within 1 ms'), { name: 'TimeoutError', kind: 'timeout' });
});
