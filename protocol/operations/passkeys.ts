/** A user's passkeys, and signing in with them. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  AddedPasskey,
  BeginPasskeyBody,
  createList,
  CreatePasskeyBody,
  id,
  ListQuery,
  Passkey,
  PasskeyLoginBody,
  PasskeyLoginOptionsBody,
  PasskeyOptions,
  RemovePasskeyBody,
  TokenResponse,
  UpdatePasskeyBody,
} from '../resources/index.ts';
import { absent, always, checked, paged, secondFactor, signedIn, verified } from './rules.ts';

const tag = 'Account';
const loginTag = 'Studio authentication';
const wrongPassword = ['svc/auth/invalid_credentials'] as const;
const wrongPasskey = ['svc/auth/invalid_passkey'] as const;
const conflicting = ['svc/runtime/conflict'] as const;
const usedChallenge = ['svc/auth/invalid_token', 'svc/auth/expired_token'] as const;
const params = Type.Object({ passkeyId: id('passkey') });

export const passkeyOperations = {
  listPasskeys: {
    method: 'GET',
    path: '/studio/passkeys',
    tag,
    summary: 'List your passkeys',
    description: 'The oldest first.',
    auth: 'user',
    query: ListQuery,
    success: { status: 200, body: createList(Passkey) },
    errors: [...always, ...paged, ...signedIn],
    rate: 'read',
    idempotency: 'none',
  },
  beginPasskey: {
    method: 'POST',
    path: '/studio/passkeys/options',
    tag,
    summary: 'Begin to add a passkey',
    description:
      'Takes the password, the second factor of a user who has one (`code`, or `passkey`), and a verified e-mail address. Answers with what the browser takes to make one (WebAuthn, PublicKeyCredentialCreationOptionsJSON), for 5 minutes. A user has 20 at most (409).',
    auth: 'user',
    body: BeginPasskeyBody,
    success: { status: 200, body: PasskeyOptions },
    errors: [
      ...always,
      ...checked,
      ...signedIn,
      ...wrongPassword,
      ...secondFactor,
      ...verified,
      ...conflicting,
    ],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'Each request makes another challenge; the earlier ones stay good for their 5 minutes.',
  },
  createPasskey: {
    method: 'POST',
    path: '/studio/passkeys',
    tag,
    summary: 'Add a passkey',
    description:
      'Takes the answer of the browser (RegistrationResponseJSON). The passkey signs in alone, and from now on a login by password takes it, or a code, as well. With the first second factor all other sessions end. Answers with ten recovery codes where the user has none left.',
    auth: 'user',
    body: CreatePasskeyBody,
    success: { status: 201, body: AddedPasskey },
    secret: true,
    errors: [...always, ...checked, ...signedIn, ...wrongPasskey, ...conflicting],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'A repeated request finds its challenge used (401).',
  },
  updatePasskey: {
    method: 'PATCH',
    path: '/studio/passkeys/{passkeyId}',
    tag,
    summary: 'Rename a passkey',
    auth: 'user',
    params,
    body: UpdatePasskeyBody,
    success: { status: 200, body: Passkey },
    errors: [...always, ...checked, ...signedIn, ...absent],
    rate: 'write',
    idempotency: 'none',
  },
  removePasskey: {
    method: 'POST',
    path: '/studio/passkeys/{passkeyId}/remove',
    tag,
    summary: 'Remove a passkey',
    description:
      'Takes the password, and the second factor: `code`, or `passkey`, which may be this one. It does not sign in any more; with the last second factor the recovery codes go, too.',
    auth: 'user',
    params,
    body: RemovePasskeyBody,
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...wrongPassword, ...secondFactor, ...absent],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'A repeated request finds none (404).',
  },
  beginPasskeyLogin: {
    method: 'POST',
    path: '/studio/auth/login/passkey/options',
    tag: loginTag,
    summary: 'Begin to log in with a passkey',
    description:
      'Answers with what the browser takes to use one (WebAuthn, PublicKeyCredentialRequestOptionsJSON), for 5 minutes. With the challenge of a login that was answered 401 svc/auth/second_factor_required it names the passkeys of that user; without, the user chooses.',
    auth: 'none',
    body: PasskeyLoginOptionsBody,
    success: { status: 200, body: PasskeyOptions },
    errors: [...always, ...checked, ...usedChallenge, ...wrongPasskey],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'Each request makes another challenge; the earlier ones stay good for their 5 minutes.',
  },
  loginWithPasskey: {
    method: 'POST',
    path: '/studio/auth/login/passkey',
    tag: loginTag,
    summary: 'Log in with a passkey, alone or after the password',
    description:
      'Takes the answer of the browser (AuthenticationResponseJSON), and after the password the challenge of that login. Sets the refresh cookie. Each challenge is good for one answer. The authenticator has to have verified its user, so that a passkey alone counts as two factors.',
    auth: 'none',
    body: PasskeyLoginBody,
    success: { status: 200, body: TokenResponse },
    setsCookie: true,
    errors: [
      ...always,
      ...checked,
      ...wrongPasskey,
      ...usedChallenge,
      'svc/auth/sso_required',
      'svc/auth/no_workspace',
    ],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'A repeated request finds its challenge used (401): begin again.',
  },
} as const satisfies Record<string, Operation>;
