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

/** Neutral names of three LLM providers. */
export const providers = ['llm_provider_1', 'llm_provider_2', 'llm_provider_3'] as const;
export type Provider = (typeof providers)[number];

/** The secret is write-only. An empty `modelAllowlist` allows every model. */
export const ByokCredential = resource('ByokCredential', {
  byokCredentialId: id('byok'),
  projectId: id('project'),
  provider: choice(providers),
  displayName: text(1, 128),
  status: choice(['active', 'revoked', 'rotating']),
  keyFingerprint: Type.String(),
  modelAllowlist: Type.Array(Type.String()),
  lastUsedAt: optional(nullable(instant())),
  rotationGraceExpiresAt: optional(nullable(instant())),
  revokedAt: optional(nullable(instant())),
  metadata: freeForm(),
  createdAt: instant(),
  updatedAt: instant(),
  environmentId: optional(id('environment')),
});
export type ByokCredential = Static<typeof ByokCredential>;

/** The key itself: write-only. */
const secret = text(8, 4096);
const modelAllowlist = (options?: { readonly default: [] }) =>
  Type.Array(text(1, 256), { maxItems: 100, ...options });

export const CreateByokCredentialBody = body('CreateByokCredentialBody', {
  projectId: id('project'),
  /** The project's sandbox when absent. */
  environmentId: optional(id('environment')),
  provider: choice(providers),
  displayName: text(1, 128),
  secret,
  modelAllowlist: optional(modelAllowlist({ default: [] })),
  metadata: optional(freeFormInput()),
});
export type CreateByokCredentialBody = Static<typeof CreateByokCredentialBody>;

/** All but the secret, which is rotated. */
export const UpdateByokCredentialBody = body('UpdateByokCredentialBody', {
  displayName: optional(text(1, 128)),
  modelAllowlist: optional(modelAllowlist()),
  metadata: optional(freeFormInput()),
});
export type UpdateByokCredentialBody = Static<typeof UpdateByokCredentialBody>;

/** How long the previous key keeps working, in seconds. */
export const byokGraceSeconds = 300;

export const RotateByokCredentialBody = body('RotateByokCredentialBody', {
  secret,
  gracePeriodSeconds: optional(Type.Integer({ minimum: 0, maximum: 86_400, default: byokGraceSeconds })),
});
export type RotateByokCredentialBody = Static<typeof RotateByokCredentialBody>;
