/** What somebody is told whom the server refuses, and where they go from the sign-in page. */
import t from 'tap';
import {
  describeProblem,
  isEmail,
  isPassword,
  readLinkToken,
  toPathIn,
} from '../../../clients/kit/account/problems.ts';
import { english } from '../../../clients/kit/texts/en.ts';
import { ApiError, ConnectionError } from '../../../clients/sdk/index.ts';

const refuse = (code: string): ApiError =>
  new ApiError({
    status: 401,
    code,
    reason: 'Words of the server.',
    requestId: 'req_1',
    docsUrl: undefined,
    details: undefined,
    retryAfterSeconds: undefined,
    headers: new Headers(),
  });

t.test('tells what the code means, and what it does not know in the words of the server', async t => {
  const { problems } = english.account;
  t.equal(describeProblem(refuse('svc/auth/signup_disabled'), problems), problems.closed);
  t.equal(describeProblem(refuse('svc/auth/email_not_verified'), problems), problems.unverified);
  t.equal(describeProblem(refuse('svc/new/code'), problems), 'Words of the server. (req_1)');
  t.equal(describeProblem(new ConnectionError('no answer'), problems), problems.unreachable);
  t.throws(() => describeProblem(new TypeError('of ours'), problems), TypeError);
});

t.test('goes nowhere but into the Console', async t => {
  t.equal(toPathIn('/console', '/console/prj_1/env_1/mine?tag=vip'), '/prj_1/env_1/mine?tag=vip');
  t.equal(toPathIn('/console', '/prj_1/env_1/mine'), '/prj_1/env_1/mine');
  for (const elsewhere of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/console//evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/console/\t/evil.example',
    '/prj_1\\@evil.example',
    '/\u0000/evil.example',
    '\t//evil.example',
    '',
  ]) {
    t.equal(toPathIn('/console', elsewhere), '/', elsewhere);
  }
  t.equal(toPathIn('/console', undefined), '/');
});

t.test('knows addresses, passwords and links when it sees them', async t => {
  t.strictSame(['a@b.example', ' a@b ', 'a b@c', 'ab'].map(isEmail), [true, true, false, false]);
  // As the contract counts: code points.
  t.strictSame(['1234567', '12345678', '😀'.repeat(8), 'x'.repeat(257)].map(isPassword), [
    false,
    true,
    true,
    false,
  ]);
  t.strictSame(['#token=abc', '#token=', '', '#other=1'].map(readLinkToken), [
    'abc',
    undefined,
    undefined,
    undefined,
  ]);
});
