/** Single sign-on by OpenID Connect: the settings of a workspace, and signing in. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  AddSsoDomainBody,
  BeginSingleSignOnBody,
  FinishSingleSignOnBody,
  id,
  SetSingleSignOnBody,
  SingleSignOn,
  SsoDomain,
  StartedSingleSignOn,
  TokenResponse,
  UpdateSsoDomainBody,
} from '../resources/index.ts';
import { absent, access, always, checked, forbidden, signedIn, verified } from './rules.ts';

const tag = 'Single sign-on';
const path = '/workspaces/{workspaceId}/single-sign-on';
const workspace = Type.Object({ workspaceId: id('workspace') });
const oneDomain = Type.Object({
  workspaceId: id('workspace'),
  domain: Type.String({ maxLength: 253 }),
});
const usual = [...always, ...checked, ...signedIn, ...forbidden, ...absent] as const;
const conflicting = ['svc/runtime/conflict'] as const;
const failed = ['svc/auth/sso_failed'] as const;

export const ssoOperations = {
  getSingleSignOn: {
    method: 'GET',
    path,
    tag,
    summary: "Read a workspace's identity provider and its domains",
    auth: 'user',
    access: access.administer,
    params: workspace,
    success: { status: 200, body: SingleSignOn },
    errors: usual,
    rate: 'read',
    idempotency: 'none',
  },
  setSingleSignOn: {
    method: 'PUT',
    path,
    tag,
    summary: "Set a workspace's identity provider",
    description:
      'By OpenID Connect: issuer, client id and client secret, as the provider has given them out for `redirectUri`. The provider is looked up at once (422 where it is none). Without `clientSecret` the present one stays. With another issuer all domains have to be proven anew. Your own address has to be verified, here and for all changes of domains but their removal.',
    auth: 'user',
    access: access.administer,
    params: workspace,
    body: SetSingleSignOnBody,
    success: { status: 200, body: SingleSignOn },
    errors: [...usual, ...verified, ...conflicting],
    rate: 'write',
    idempotency: 'none',
  },
  removeSingleSignOn: {
    method: 'DELETE',
    path,
    tag,
    summary: "Remove a workspace's identity provider and its domains",
    description:
      'Accounts and memberships stay. Whoever has no password sets one by the link for forgotten passwords.',
    auth: 'user',
    access: access.administer,
    params: workspace,
    success: { status: 204, body: null },
    errors: usual,
    rate: 'write',
    idempotency: 'none',
  },
  addSsoDomain: {
    method: 'POST',
    path: `${path}/domains`,
    tag,
    summary: 'Add a domain whose addresses sign in by the identity provider',
    description:
      'Nobody signs in by it before it is proven: answers with the record that its DNS has to have. A domain that is there already stays as it is.',
    auth: 'user',
    access: access.administer,
    params: workspace,
    body: AddSsoDomainBody,
    success: { status: 200, body: SsoDomain },
    errors: [...usual, ...verified, ...conflicting],
    rate: 'write',
    idempotency: 'none',
    repeatEffect: 'A repeated request finds the domain there, and answers with it.',
  },
  proveSsoDomain: {
    method: 'POST',
    path: `${path}/domains/{domain}/prove`,
    tag,
    summary: "Look for the proof in a domain's DNS",
    description:
      'From then on verified addresses of the domain sign in. 409 while the record is not there, and where another workspace has proven the domain.',
    auth: 'user',
    access: access.administer,
    params: oneDomain,
    success: { status: 200, body: SsoDomain },
    errors: [...usual, ...verified, ...conflicting],
    rate: 'write',
    idempotency: 'none',
    repeatEffect: 'A repeated request finds it proven, and answers with it.',
  },
  updateSsoDomain: {
    method: 'PATCH',
    path: `${path}/domains/{domain}`,
    tag,
    summary: 'Say whether addresses of a domain have to sign in by the identity provider',
    description:
      'Takes a proven domain. Passwords and passkeys alone are refused then for its addresses, and so are new accounts; sessions that the identity provider has not opened end at their next refresh, within 15 minutes. The owners of this workspace are excepted.',
    auth: 'user',
    access: access.administer,
    params: oneDomain,
    body: UpdateSsoDomainBody,
    success: { status: 200, body: SsoDomain },
    errors: [...usual, ...verified, ...conflicting],
    rate: 'write',
    idempotency: 'none',
  },
  removeSsoDomain: {
    method: 'DELETE',
    path: `${path}/domains/{domain}`,
    tag,
    summary: 'Remove a domain',
    auth: 'user',
    access: access.administer,
    params: oneDomain,
    success: { status: 204, body: null },
    errors: usual,
    rate: 'write',
    idempotency: 'none',
  },
  beginSingleSignOn: {
    method: 'POST',
    path: '/studio/auth/sso',
    tag: 'Studio authentication',
    summary: 'Begin to sign in by the identity provider of an e-mail domain',
    description:
      'Answers with the address to send the browser to, and with `flow`, which stays in the browser. 404: no workspace has proven the domain.',
    auth: 'none',
    body: BeginSingleSignOnBody,
    success: { status: 200, body: StartedSingleSignOn },
    errors: [...always, ...checked, ...absent, ...failed],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'Each request begins another sign-in; the earlier ones stay good for their 10 minutes.',
  },
  finishSingleSignOn: {
    method: 'POST',
    path: '/studio/auth/sso/finish',
    tag: 'Studio authentication',
    summary: 'Sign in with what the identity provider has sent back',
    description:
      'Takes `flow` and what the provider has put into the address that it led back to. Sets the refresh cookie. The account is that of the address that the provider has verified; there is one afterwards, and it is a member of the workspace, as a viewer by default. Where the account has a second factor, the answer is 401 svc/auth/second_factor_required, as after a password.',
    auth: 'none',
    body: FinishSingleSignOnBody,
    success: { status: 200, body: TokenResponse },
    setsCookie: true,
    errors: [
      ...always,
      ...checked,
      ...failed,
      'svc/auth/invalid_token',
      'svc/auth/expired_token',
      'svc/auth/second_factor_required',
      'svc/auth/email_domain_not_allowed',
    ],
    rate: 'auth',
    idempotency: 'none',
    repeatEffect: 'A repeated request finds its flow used (401): begin again.',
  },
} as const satisfies Record<string, Operation>;
