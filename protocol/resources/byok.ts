import Type from 'typebox';
import type { Static } from 'typebox';
import { choice, freeForm, id, instant, nullable, optional, resource, text } from './fields.ts';

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
  /** [+] */
  environmentId: optional(id('environment')),
});
export type ByokCredential = Static<typeof ByokCredential>;
