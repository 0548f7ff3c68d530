/** The second factor of a user, and the second step of a login. */
import type { Operation } from '../operation.ts';
import {
  PasswordAndCodeBody,
  RecoveryCodes,
  SecondFactor,
  SecondFactorBody,
  SecondFactorCodeBody,
  SecondFactorEnrolment,
  SecondFactorLoginBody,
  TokenResponse,
} from '../resources/index.ts';
import { always, checked, signedIn, verified } from './rules.ts';

const tag = 'Account';
const wrongPassword = ['svc/auth/invalid_credentials'] as const;
const wrongCode = ['svc/auth/invalid_code'] as const;
const conflicting = ['svc/runtime/conflict'] as const;

export const secondFactorOperations = {
  getSecondFactor: {
    method: 'GET',
    path: '/studio/second-factor',
    tag,
    summary: 'Read what second factors you have',
    auth: 'user',
    success: { status: 200, body: SecondFactor },
    errors: [...always, ...checked, ...signedIn],
    rate: 'read',
    idempotency: 'none',
  },
  enrolSecondFactor: {
    method: 'POST',
    path: '/studio/second-factor',
    tag,
    summary: 'Begin to set up a second factor',
    description:
      'Takes the password, and a verified e-mail address. Answers with the secret of an authenticator app (TOTP, RFC 6238: SHA-1, six digits, 30 seconds), and as the address that its QR code holds. Nothing asks for a code until one has confirmed it.',
    auth: 'user',
    body: SecondFactorBody,
    success: { status: 200, body: SecondFactorEnrolment },
    secret: true,
    errors: [...always, ...checked, ...signedIn, ...wrongPassword, ...verified, ...conflicting],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'Each request makes another secret, and the earlier ones are void.',
  },
  confirmSecondFactor: {
    method: 'POST',
    path: '/studio/second-factor/confirm',
    tag,
    summary: 'Confirm the second factor by a code of the app',
    description:
      'Takes a verified e-mail address. From now on a login takes a code, too. All other sessions end. Answers with ten recovery codes, each of use once in the place of a code.',
    auth: 'user',
    body: SecondFactorCodeBody,
    success: { status: 200, body: RecoveryCodes },
    secret: true,
    errors: [...always, ...checked, ...signedIn, ...wrongCode, ...verified, ...conflicting],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect:
      'A repeated request finds it confirmed (409): renew the recovery codes if the answer was lost.',
  },
  renewRecoveryCodes: {
    method: 'POST',
    path: '/studio/second-factor/recovery-codes',
    tag,
    summary: 'Get new recovery codes in the place of the earlier ones',
    auth: 'user',
    body: PasswordAndCodeBody,
    success: { status: 200, body: RecoveryCodes },
    secret: true,
    errors: [...always, ...checked, ...signedIn, ...wrongPassword, ...wrongCode, ...conflicting],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'A repeated request finds its code used (401).',
  },
  disableSecondFactor: {
    method: 'POST',
    path: '/studio/second-factor/disable',
    tag,
    summary: 'Remove your second factor',
    auth: 'user',
    body: PasswordAndCodeBody,
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...wrongPassword, ...wrongCode, ...conflicting],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'A repeated request finds none (409).',
  },
  loginWithSecondFactor: {
    method: 'POST',
    path: '/studio/auth/login/second-factor',
    tag: 'Studio authentication',
    summary: 'Log in with a code, after the password',
    description:
      'Takes the challenge of a login that was answered 401 svc/auth/second_factor_required, and a code of the app or a recovery code. Sets the refresh cookie. After 5 wrong codes the challenge is void (401 svc/auth/invalid_token); after 10 wrong codes of a user further ones are refused for 15 minutes (429).',
    auth: 'none',
    body: SecondFactorLoginBody,
    success: { status: 200, body: TokenResponse },
    setsCookie: true,
    errors: [
      ...always,
      ...checked,
      ...wrongCode,
      'svc/auth/invalid_token',
      'svc/auth/expired_token',
      'svc/auth/no_workspace',
    ],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'A repeated request finds its challenge used (401): log in again.',
  },
} as const satisfies Record<string, Operation>;
