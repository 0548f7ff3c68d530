/** An API key as a row, and as lists and events show it. */
import type { InferEntity } from '@mikro-orm/core';
import type { ApiKey as ApiKeyResource, KeyStatus } from '../../protocol/resources/index.ts';
import type { ApiKey } from '../entities/index.ts';

export type ApiKeyRow = Pick<
  InferEntity<typeof ApiKey>,
  | 'apiKeyId'
  | 'projectId'
  | 'name'
  | 'environment'
  | 'keyPrefix'
  | 'scopes'
  | 'status'
  | 'createdAt'
  | 'expiresAt'
  | 'revokedAt'
  | 'rotationGraceExpiresAt'
  | 'lastUsedAt'
  | 'lastUsedIp'
>;

/** A rotating key whose grace has ended is revoked, whether or not its row says so yet (storage/retention/credential-graces.ts). */
export function keyStatus(row: ApiKeyRow, now: number): KeyStatus {
  const graceEnd = row.rotationGraceExpiresAt?.getTime();
  return row.status === 'rotating' && graceEnd !== undefined && graceEnd <= now ? 'revoked' : row.status;
}

const instant = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

/** @param now epoch milliseconds, which decide whether a grace has ended */
export function keyResource(row: ApiKeyRow, now: number): ApiKeyResource {
  const status = keyStatus(row, now);
  return {
    apiKeyId: row.apiKeyId,
    projectId: row.projectId,
    name: row.name,
    environment: row.environment,
    keyPrefix: row.keyPrefix,
    scopes: row.scopes,
    status,
    createdAt: row.createdAt.toISOString(),
    expiresAt: instant(row.expiresAt),
    revokedAt: instant(row.revokedAt ?? (status === 'revoked' ? row.rotationGraceExpiresAt : null)),
    rotationGraceExpiresAt: instant(row.rotationGraceExpiresAt),
    lastUsedAt: instant(row.lastUsedAt),
    lastUsedIp: row.lastUsedIp ?? null,
  };
}
