/** Partner app credentials. Only Studio tokens are accepted. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  CreatedPartnerAppCredential,
  CreatePartnerAppBody,
  id,
  createList,
  ListPartnerAppsQuery,
  PartnerAppCredential,
  RotatePartnerAppSecretBody,
} from '../resources/index.ts';
import { absent, access, always, checked, forbidden, paged, repeatable, signedIn } from './rules.ts';

const tag = 'Partner apps';
const onePartnerApp = Type.Object({ metaAppCredentialId: id('partnerApp') });

export const partnerAppOperations = {
  listPartnerApps: {
    method: 'GET',
    path: '/meta-apps',
    tag,
    summary: "List a workspace's partner app credentials, newest first, without secrets",
    auth: 'user',
    access: access.readWorkspace,
    query: ListPartnerAppsQuery,
    success: { status: 200, body: createList(PartnerAppCredential) },
    errors: [...always, ...paged, ...signedIn, ...forbidden, ...absent],
    rate: 'read',
    idempotency: 'none',
  },
  createPartnerApp: {
    method: 'POST',
    path: '/meta-apps',
    tag,
    summary: 'Register a partner app; only this answer contains its verify token',
    description:
      'Give the provider `webhookUrl`, with the id of a channel in place of `ch_REPLACE_WITH_CHANNEL_ID`, and `verifyToken`.',
    auth: 'user',
    access: access.administer,
    body: CreatePartnerAppBody,
    success: { status: 201, body: CreatedPartnerAppCredential },
    secret: true,
    errors: [
      ...always,
      ...checked,
      ...signedIn,
      ...forbidden,
      ...absent,
      ...repeatable,
      'svc/runtime/conflict',
    ],
    rate: 'write',
    idempotency: 'accepted',
  },
  rotatePartnerAppSecret: {
    method: 'POST',
    path: '/meta-apps/{metaAppCredentialId}/rotate-secret',
    tag,
    summary: 'Replace the app secret of a partner app',
    description:
      'Calls of the provider use the new secret at once. Webhooks that are signed with the previous one are accepted for 24 hours. A revoked partner app is a conflict.',
    auth: 'user',
    access: access.administer,
    params: onePartnerApp,
    body: RotatePartnerAppSecretBody,
    success: { status: 200, body: PartnerAppCredential },
    errors: [
      ...always,
      ...checked,
      ...signedIn,
      ...forbidden,
      ...absent,
      ...repeatable,
      'svc/runtime/conflict',
    ],
    rate: 'write',
    idempotency: 'accepted',
  },
  revokePartnerApp: {
    method: 'DELETE',
    path: '/meta-apps/{metaAppCredentialId}',
    tag,
    summary: 'Revoke a partner app that no chatapp channel uses; repeating it changes nothing',
    auth: 'user',
    access: access.administer,
    params: onePartnerApp,
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...forbidden, ...absent, 'svc/partner_app/in_use'],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
