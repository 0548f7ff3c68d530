import Type from 'typebox';
import type { Static } from 'typebox';
import {
  body,
  choice,
  freeForm,
  freeFormInput,
  id,
  instant,
  nullable,
  optional,
  resource,
  text,
} from './fields.ts';
import { page } from './list.ts';

const common = {
  partnerAppCredentialId: id('partnerApp'),
  workspaceId: id('workspace'),
  name: text(1, 128),
  appId: text(1, 128),
  status: choice(['active', 'revoked']),
  keyFingerprint: Type.String(),
  metadata: freeForm(),
  createdAt: instant(),
  updatedAt: instant(),
  revokedAt: optional(nullable(instant())),
};

export const PartnerAppCredential = resource('PartnerAppCredential', common);
export type PartnerAppCredential = Static<typeof PartnerAppCredential>;

/** `verifyToken` is shown once; `webhookUrl` contains the placeholder ch_REPLACE_WITH_CHANNEL_ID. */
export const CreatedPartnerAppCredential = resource('CreatedPartnerAppCredential', {
  ...common,
  verifyToken: text(16, 256),
  webhookUrl: Type.String({ format: 'uri' }),
});
export type CreatedPartnerAppCredential = Static<typeof CreatedPartnerAppCredential>;

/** The app secret: write-only. */
const appSecret = text(8, 4096);

export const CreatePartnerAppBody = body('CreatePartnerAppBody', {
  workspaceId: id('workspace'),
  name: text(1, 128),
  appId: text(1, 128),
  appSecret,
  metadata: optional(freeFormInput()),
});
export type CreatePartnerAppBody = Static<typeof CreatePartnerAppBody>;

export const RotatePartnerAppSecretBody = body('RotatePartnerAppSecretBody', { appSecret });
export type RotatePartnerAppSecretBody = Static<typeof RotatePartnerAppSecretBody>;

export const ListPartnerAppsQuery = Type.Object({ workspaceId: id('workspace'), ...page });
