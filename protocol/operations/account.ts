/** What signed-in users do with their own account: sessions, password, e-mail address, and its end. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  Accepted,
  ChangeEmailBody,
  ChangePasswordBody,
  ConfirmEmailBody,
  createList,
  DeleteAccountBody,
  EndedSessions,
  id,
  ListQuery,
  Session,
} from '../resources/index.ts';
import { absent, always, checked, paged, repeatable, secondFactor, signedIn } from './rules.ts';

const tag = 'Account';
const wrong = ['svc/auth/invalid_credentials'] as const;

export const accountOperations = {
  listSessions: {
    method: 'GET',
    path: '/studio/sessions',
    tag,
    summary: 'List your sessions',
    description:
      'Those that live, the newest first. `lastUsedAt` is exact to about 15 minutes: a client in use exchanges its refresh cookie that often.',
    auth: 'user',
    query: ListQuery,
    success: { status: 200, body: createList(Session) },
    errors: [...always, ...paged, ...signedIn],
    rate: 'read',
    idempotency: 'none',
  },
  endSession: {
    method: 'DELETE',
    path: '/studio/sessions/{sessionId}',
    tag,
    summary: 'End one of your sessions',
    description:
      'Its access tokens stop within seconds on every node, and its Console streams are closed. The session of the request may end itself.',
    auth: 'user',
    params: Type.Object({ sessionId: id('session') }),
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...absent],
    rate: 'write',
    idempotency: 'none',
  },
  endOtherSessions: {
    method: 'POST',
    path: '/studio/sessions/end-others',
    tag,
    summary: 'End all your sessions but this one',
    auth: 'user',
    success: { status: 200, body: EndedSessions },
    errors: [...always, ...checked, ...signedIn],
    rate: 'write',
    idempotency: 'none',
    repeatEffect: 'Each request ends what other sessions there are by then.',
  },
  changePassword: {
    method: 'POST',
    path: '/studio/auth/change-password',
    tag,
    summary: 'Change your password',
    description:
      'Takes the present one, and the second factor of a user who has one: `code`, or `passkey`. All other sessions end, links that were mailed to reset it or to change the address are void, and a mail tells a verified address.',
    auth: 'user',
    body: ChangePasswordBody,
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...wrong, ...secondFactor],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'A repeated request finds the present password wrong (401): it has changed.',
  },
  changeEmail: {
    method: 'POST',
    path: '/studio/auth/change-email',
    tag,
    summary: 'Ask for another e-mail address',
    description:
      'Takes the password. A link is mailed to the new address, and a notice to the present one, where it is verified; that one stays until the link is confirmed. Where the new address has an account, the answer is the same, and its owner gets a notice instead of the link. Another request voids the earlier link; after five within an hour of yours, or to that address, further ones are refused (429). An address that has to sign in by an identity provider does not change.',
    auth: 'user',
    beforeVerification: true,
    body: ChangeEmailBody,
    success: { status: 200, body: Accepted },
    errors: [
      ...always,
      ...checked,
      ...signedIn,
      ...repeatable,
      ...wrong,
      'svc/auth/email_domain_not_allowed',
      'svc/auth/sso_required',
    ],
    rate: 'auth',
    idempotency: 'accepted',
  },
  confirmEmail: {
    method: 'POST',
    path: '/studio/auth/confirm-email',
    tag,
    summary: 'Change the e-mail address with the e-mailed token',
    description:
      'Takes the password of the account, too, so that nobody can make a stranger who opens the link share an account. The new address counts as verified, and a notice goes to the former one, where it had been verified.',
    auth: 'none',
    body: ConfirmEmailBody,
    success: { status: 200, body: Accepted },
    errors: [
      ...always,
      ...checked,
      ...repeatable,
      ...wrong,
      'svc/auth/invalid_token',
      'svc/auth/expired_token',
      'svc/auth/email_in_use',
      'svc/auth/sso_required',
    ],
    rate: 'auth',
    idempotency: 'accepted',
  },
  deleteAccount: {
    method: 'POST',
    path: '/studio/auth/delete-account',
    tag,
    summary: 'Delete your account',
    description:
      'Takes the password. Sessions and memberships end, the address is free again, and the user is shown as deleted wherever they are named. A workspace that is not archived and has no other owner is handed over or archived first: until then 409, whose `details.workspaces` names them. API keys that the user made belong to their projects and stay.',
    auth: 'user',
    beforeVerification: true,
    body: DeleteAccountBody,
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...wrong, 'svc/runtime/conflict'],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'A repeated request finds its access token invalid (401): the session has ended.',
  },
} as const satisfies Record<string, Operation>;
