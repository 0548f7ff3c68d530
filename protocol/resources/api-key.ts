import Type from 'typebox';
import type { Static } from 'typebox';
import { scopes } from '../operation.ts';
import { body, choice, id, instant, nullable, optional, resource, text } from './fields.ts';
import { page } from './list.ts';

export const keyEnvironments = ['test', 'live'] as const;
export type KeyEnvironment = (typeof keyEnvironments)[number];
export const keyStatuses = ['active', 'revoked', 'rotating'] as const;
export type KeyStatus = (typeof keyStatuses)[number];

/** The prefix of a secret. */
export const keySecretPrefix = { test: 'svc_test_', live: 'svc_live_' } as const;
/** The form of a secret: its prefix, and 43 characters of base62. */
export const keySecretForm = /^svc_(?:test|live)_[0-9A-Za-z]{43}$/;

const common = {
  apiKeyId: id('apiKey'),
  projectId: id('project'),
  name: text(1, 128),
  environment: choice(keyEnvironments),
  /** The leading part of the secret. */
  keyPrefix: Type.String(),
  scopes: Type.Array(Type.String()),
  createdAt: instant(),
  expiresAt: optional(nullable(instant())),
};

export const ApiKey = resource('ApiKey', {
  ...common,
  status: choice(keyStatuses),
  revokedAt: optional(nullable(instant())),
  rotationGraceExpiresAt: optional(nullable(instant())),
  lastUsedAt: optional(nullable(instant())),
  lastUsedIp: optional(nullable(Type.String())),
});
export type ApiKey = Static<typeof ApiKey>;

/** `secret` is the whole key; it is not shown again. */
export const CreatedApiKey = resource('CreatedApiKey', { ...common, secret: Type.String() });
export type CreatedApiKey = Static<typeof CreatedApiKey>;

export const RotatedApiKey = resource('RotatedApiKey', {
  newKey: CreatedApiKey,
  previousKeyId: id('apiKey'),
  rotationGraceExpiresAt: optional(nullable(instant())),
});
export type RotatedApiKey = Static<typeof RotatedApiKey>;

export const CreateApiKeyBody = body('CreateApiKeyBody', {
  projectId: id('project'),
  name: text(1, 128),
  environment: choice(keyEnvironments),
  scopes: Type.Array(choice(scopes), { minItems: 1, maxItems: 64 }),
  expiresAt: optional(nullable(instant())),
});
export type CreateApiKeyBody = Static<typeof CreateApiKeyBody>;

export const UpdateApiKeyBody = body('UpdateApiKeyBody', { name: optional(text(1, 128)) });
export type UpdateApiKeyBody = Static<typeof UpdateApiKeyBody>;

/** How long the previous key keeps working, in seconds. */
export const defaultGraceSeconds = 300;

export const RotateApiKeyBody = body('RotateApiKeyBody', {
  gracePeriodSeconds: optional(Type.Integer({ minimum: 0, maximum: 86_400, default: defaultGraceSeconds })),
});
export type RotateApiKeyBody = Static<typeof RotateApiKeyBody>;

export const ListApiKeysQuery = Type.Object({ projectId: id('project'), ...page });
