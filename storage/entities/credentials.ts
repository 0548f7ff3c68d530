/** Credentials: keys that we check (kept as keyed hashes) and secrets that we use (kept as JWE, see storage/secrets/vault.ts). */
import { defineEntity, p } from '@mikro-orm/core';
import { id, instant, metadata, words } from './columns.ts';

export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    apiKeyId: id().primary(),
    projectId: id(),
    environmentId: id(),
    name: p.text(),
    environment: p.enum(['test', 'live'] as const),
    keyPrefix: id(),
    /** See storage/secrets/keyed-hash.ts. */
    keyHash: p.blob(),
    scopes: words(),
    status: p.enum(['active', 'rotating', 'revoked'] as const),
    createdByUserId: id(),
    /** The key that this one replaced. */
    previousKeyId: id().nullable(),
    /** The one at the beginning of these replacements; null: it has replaced none. */
    firstKeyId: id().nullable(),
    createdAt: instant(),
    updatedAt: instant(),
    expiresAt: instant().nullable(),
    revokedAt: instant().nullable(),
    rotationGraceExpiresAt: instant().nullable(),
    lastUsedAt: instant().nullable(),
    lastUsedIp: p.text().nullable(),
  },
  uniques: [{ name: 'api_keys_key_hash', properties: ['keyHash'] }],
  indexes: [
    { name: 'api_keys_listed', properties: ['projectId', 'createdAt', 'apiKeyId'] },
    { name: 'api_keys_rotating', properties: ['rotationGraceExpiresAt'], where: "status = 'rotating'" },
  ],
});

export const PartnerApp = defineEntity({
  name: 'PartnerApp',
  tableName: 'partner_apps',
  properties: {
    partnerAppCredentialId: id().primary(),
    workspaceId: id(),
    name: p.text(),
    appId: p.text(),
    status: p.enum(['active', 'revoked'] as const),
    keyFingerprint: p.text(),
    /** JWE, context `partner_apps/<id>/app_secret`. */
    appSecret: p.text(),
    /** The secret before the last rotation, good in signatures until the instant: JWE, context `partner_apps/<id>/app_secret`. */
    previousAppSecret: p.text().nullable(),
    previousAppSecretUntil: instant().nullable(),
    verifyTokenHash: p.blob(),
    metadata: metadata(),
    createdAt: instant(),
    updatedAt: instant(),
    revokedAt: instant().nullable(),
  },
  indexes: [
    { name: 'partner_apps_listed', properties: ['workspaceId', 'createdAt', 'partnerAppCredentialId'] },
  ],
});

export const ByokCredential = defineEntity({
  name: 'ByokCredential',
  tableName: 'byok_credentials',
  properties: {
    byokCredentialId: id().primary(),
    projectId: id(),
    environmentId: id(),
    provider: p.enum(['llm_provider_1', 'llm_provider_2', 'llm_provider_3'] as const),
    displayName: p.text(),
    status: p.enum(['active', 'rotating', 'revoked'] as const),
    /** JWE, context `byok_credentials/<id>/secret`. */
    secret: p.text(),
    /** The secret before the last rotation, good until `rotationGraceExpiresAt`: JWE, context `byok_credentials/<id>/secret`. */
    previousSecret: p.text().nullable(),
    keyFingerprint: p.text(),
    modelAllowlist: words(),
    metadata: metadata(),
    createdAt: instant(),
    updatedAt: instant(),
    lastUsedAt: instant().nullable(),
    rotationGraceExpiresAt: instant().nullable(),
    revokedAt: instant().nullable(),
  },
  indexes: [
    {
      name: 'byok_credentials_listed',
      properties: ['projectId', 'environmentId', 'createdAt', 'byokCredentialId'],
    },
  ],
});

/** Who did what to which resource; kept 400 days. Never holds a secret or a message body. */
export const AuditLog = defineEntity({
  name: 'AuditLog',
  tableName: 'audit_logs',
  properties: {
    auditLogId: id().primary(),
    workspaceId: id().nullable(),
    projectId: id().nullable(),
    /** Null: the change does not belong to one environment. */
    environmentId: id().nullable(),
    actorType: p.enum(['user', 'api_key', 'system'] as const),
    actorId: id(),
    /** `<resource>.<verb>`, e.g. `api_key.created`. */
    action: id(),
    targetId: id().nullable(),
    requestId: id().nullable(),
    address: p.text().nullable(),
    details: p.json<Record<string, unknown>>().default('{}'),
    createdAt: instant(),
  },
  indexes: [
    { name: 'audit_logs_workspace', properties: ['workspaceId', 'auditLogId'] },
    { name: 'audit_logs_project', properties: ['projectId', 'auditLogId'] },
    { name: 'audit_logs_workspace_action', properties: ['workspaceId', 'action', 'auditLogId'] },
    { name: 'audit_logs_workspace_actor', properties: ['workspaceId', 'actorId', 'auditLogId'] },
    { name: 'audit_logs_project_action', properties: ['projectId', 'action', 'auditLogId'] },
    { name: 'audit_logs_project_actor', properties: ['projectId', 'actorId', 'auditLogId'] },
    { name: 'audit_logs_workspace_target', properties: ['workspaceId', 'targetId', 'auditLogId'] },
    { name: 'audit_logs_project_target', properties: ['projectId', 'targetId', 'auditLogId'] },
    { name: 'audit_logs_target', properties: ['targetId', 'auditLogId'], where: 'target_id is not null' },
    { name: 'audit_logs_created', properties: ['createdAt'] },
  ],
});
