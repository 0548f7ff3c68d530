/**
 * BYOK credentials: keys of LLM providers, sealed.
 *
 *   active           -> rotating   the secret was replaced, and the previous one is valid for a grace period
 *   active           -> active     it was replaced without one
 *   rotating         -> rotating   replaced once more: of the previous secrets, the last one stays valid
 *   rotating         -> active     the grace has ended (storage/retention/credential-graces.ts updates the row)
 *   active, rotating -> revoked    both secrets are deleted
 *
 * A grace that has ended counts from that instant, whatever the row says.
 */
import { defaultLimits, type Limits, requireWithinLimit } from '../writes/index.ts';
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { EventName } from '../../protocol/events.ts';
import { newId } from '../../protocol/ids.ts';
import type { ByokCredential as ByokCredentialResource, Provider } from '../../protocol/resources/index.ts';
import { type AuditContext, recordAction } from '../audit/index.ts';
import type { Cursors, Page, PageRequest } from '../paging/index.ts';
import type { Database, Queries, TenantScope } from '../database/index.ts';
import { ByokCredential } from '../entities/index.ts';
import { appendEvents } from '../events/index.ts';
import { type Keyed, transactOnce } from '../idempotency/index.ts';
import type { KeyedHash, Vault } from '../secrets/index.ts';
import { applyChanges, type EnvironmentList, listPage, mergeMetadata } from './environment-rows.ts';
import type { AgentRules } from './rules.ts';

export interface NewByokCredential extends TenantScope, AuditContext, Keyed {
  readonly provider: Provider;
  readonly displayName: string;
  readonly secret: string;
  readonly modelAllowlist: readonly string[];
  readonly metadata: Record<string, unknown>;
}

/** A change of a credential of an environment. */
export interface ByokChange extends TenantScope, AuditContext {
  readonly byokCredentialId: string;
}

/** What may be changed of a credential beside its secret. Metadata is merged. */
export interface ByokFields {
  readonly displayName?: string | undefined;
  readonly modelAllowlist?: readonly string[] | undefined;
  readonly metadata?: Record<string, unknown> | undefined;
}

/** A row without its secrets. */
export type ByokRow = Omit<InferEntity<typeof ByokCredential>, 'secret' | 'previousSecret'>;

/** The columns of a {@link ByokRow}, as a select names them. */
export const byokColumns = `byok_credential_id as "byokCredentialId", project_id as "projectId", environment_id as "environmentId", provider,
  display_name as "displayName", status, key_fingerprint as "keyFingerprint", model_allowlist as "modelAllowlist", metadata,
  created_at as "createdAt", updated_at as "updatedAt", last_used_at as "lastUsedAt",
  rotation_grace_expires_at as "rotationGraceExpiresAt", revoked_at as "revokedAt"`;

const listing: EnvironmentList = {
  table: 'byok_credentials',
  id: 'byok_credential_id',
  columns: byokColumns,
};

/** The context that the secret and its predecessor are sealed for (storage/secrets/vault.ts). */
export function byokSecretContext(byokCredentialId: string): string {
  return `byok_credentials/${byokCredentialId}/secret`;
}

export interface ByokOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly vault: Pick<Vault, 'seal'>;
  readonly cursors: Cursors;
  readonly rules: Pick<AgentRules, 'refuse'>;
  readonly limits?: Limits;
}

export class ByokCredentials {
  readonly #options: ByokOptions;

  constructor(options: ByokOptions) {
    this.#options = options;
  }

  /** @param now epoch milliseconds, which decide which graces have ended */
  async list(tenant: TenantScope, request: PageRequest, now: number): Promise<Page<ByokCredentialResource>> {
    const { data, ...rest } = await listPage<ByokRow>(
      this.#options,
      listing,
      tenant,
      request,
      row => row.byokCredentialId,
    );
    return { data: data.map(row => byokResource(row, now)), ...rest };
  }

  async create(request: NewByokCredential): Promise<ByokCredentialResource> {
    const { projectId, environmentId, provider, displayName, secret, modelAllowlist, metadata, now } =
      request;
    const byokCredentialId = newId('byok', now);
    const sealed = await this.#seal(byokCredentialId, secret);
    const at = new Date(now);
    return transactOnce(this.#options.db, request.key, async em => {
      const row = em.create(ByokCredential, {
        byokCredentialId,
        projectId,
        environmentId,
        provider,
        displayName,
        metadata,
        status: 'active',
        modelAllowlist: [...new Set(modelAllowlist)],
        secret: sealed,
        keyFingerprint: this.#fingerprint(secret),
        createdAt: at,
        updatedAt: at,
      });
      await em.flush();
      const { limits = defaultLimits } = this.#options;
      await requireWithinLimit(em, limits, 'byokCredentials', row.projectId);
      const details = { provider, displayName, keyFingerprint: row.keyFingerprint };
      return save(em, request, row, 'created', details);
    });
  }

  /** Refused for a revoked credential. A change that changes nothing is not recorded. */
  update(change: ByokChange & { readonly changes: ByokFields }): Promise<ByokCredentialResource> {
    const { changes, now } = change;
    const { modelAllowlist, ...rest } = changes;
    return this.#options.db.em().transactional(async em => {
      const row = await this.#lock(em, change);
      if (row.status === 'revoked') throw this.#options.rules.refuse('credential_revoked');
      const fields = mergeMetadata(this.#options.rules, row.metadata, {
        ...rest,
        ...(modelAllowlist && { modelAllowlist: [...new Set(modelAllowlist)] }),
      });
      const changed = applyChanges<Partial<typeof row>>(row, fields);
      if (changed.length > 0) {
        row.updatedAt = new Date(now);
        await em.flush();
        await record(em, change, row, 'updated', { fields: changed });
      }
      return byokResource(row, now);
    });
  }

  /**
   * Replaces the secret under the same id. With a grace period the previous secret stays valid until it ends. Refused for a revoked
   * credential.
   */
  async rotate(
    change: ByokChange & Keyed & { readonly secret: string; readonly gracePeriodSeconds: number },
  ): Promise<ByokCredentialResource> {
    const { byokCredentialId, secret, gracePeriodSeconds, now } = change;
    const sealed = await this.#seal(byokCredentialId, secret);
    return transactOnce(this.#options.db, change.key, async em => {
      const row = await this.#lock(em, change);
      if (row.status === 'revoked') throw this.#options.rules.refuse('credential_revoked');
      const grace = gracePeriodSeconds > 0;
      row.previousSecret = grace ? row.secret : null;
      row.rotationGraceExpiresAt = grace ? new Date(now + gracePeriodSeconds * 1_000) : null;
      row.status = grace ? 'rotating' : 'active';
      row.secret = sealed;
      row.keyFingerprint = this.#fingerprint(secret);
      row.updatedAt = new Date(now);
      const details = { keyFingerprint: row.keyFingerprint, gracePeriodSeconds };
      return save(em, change, row, 'rotated', details);
    });
  }

  /** Revokes a credential and deletes its secrets. A revoked one stays as it is, without a second event. */
  async revoke(change: ByokChange): Promise<void> {
    const { now } = change;
    await this.#options.db.em().transactional(async em => {
      const row = await this.#lock(em, change);
      if (row.status === 'revoked') return;
      Object.assign(row, {
        status: 'revoked',
        secret: '',
        previousSecret: null,
        rotationGraceExpiresAt: null,
      });
      row.revokedAt = new Date(now);
      row.updatedAt = row.revokedAt;
      const { provider, displayName } = row;
      await save(em, change, row, 'revoked', { provider, displayName });
    });
  }

  /** Of several changes of one credential, each waits here for the one before. */
  async #lock(
    em: EntityManager,
    { projectId, environmentId, byokCredentialId }: ByokChange,
  ): Promise<InferEntity<typeof ByokCredential>> {
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
    const row = await em.findOne(ByokCredential, { byokCredentialId, projectId, environmentId }, lock);
    if (row === null) throw this.#options.rules.refuse('absent');
    return row;
  }

  #seal(byokCredentialId: string, secret: string): Promise<string> {
    return this.#options.vault.seal(byokSecretContext(byokCredentialId), secret);
  }

  /** Tells secrets apart without revealing anything of them: 64 bits of a keyed hash. */
  #fingerprint(secret: string): string {
    return this.#options.hash.digest('byok-fingerprint', secret).toString('hex', 0, 8);
  }
}

/** Saves the change, with its audit entry and its event. */
async function save(
  em: EntityManager,
  audit: AuditContext,
  row: ByokRow,
  verb: 'created' | 'rotated' | 'revoked',
  details: Readonly<Record<string, unknown>>,
): Promise<ByokCredentialResource> {
  await em.flush();
  await record(em, audit, row, verb, details);
  const { projectId, environmentId } = row;
  const byokCredential = byokResource(row, audit.now);
  const eventName: EventName = `byok.credential.${verb}`;
  await appendEvents(em, [
    { projectId, environmentId, eventName, data: { actor: audit.author, byokCredential } },
  ]);
  return byokCredential;
}

function record(
  em: EntityManager,
  audit: AuditContext,
  { projectId, environmentId, byokCredentialId: targetId }: ByokRow,
  verb: 'created' | 'updated' | 'rotated' | 'revoked',
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  return recordAction(em, audit, {
    projectId,
    environmentId,
    action: `byok_credential.${verb}`,
    targetId,
    details,
  });
}

const instant = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

/** @param now epoch milliseconds, which decide whether a grace has ended */
export function byokResource(row: ByokRow, now: number): ByokCredentialResource {
  const graceEnd = row.status === 'rotating' ? row.rotationGraceExpiresAt : null;
  const ended = (graceEnd?.getTime() ?? 0) <= now;
  return {
    byokCredentialId: row.byokCredentialId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    provider: row.provider,
    displayName: row.displayName,
    status: row.status === 'rotating' && ended ? 'active' : row.status,
    keyFingerprint: row.keyFingerprint,
    modelAllowlist: row.modelAllowlist,
    lastUsedAt: instant(row.lastUsedAt),
    rotationGraceExpiresAt: ended ? null : instant(graceEnd),
    revokedAt: instant(row.revokedAt),
    metadata: row.metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

// Of several nodes, and of several runs of one node, one writes.
const updateLastUse = `
  update byok_credentials set last_used_at = $4
  where byok_credential_id = $1 and project_id = $2 and environment_id = $3
    and (last_used_at is null or last_used_at <= $4::timestamptz - interval '1 minute')`;

/** Records a use, to the minute; without effect where one was recorded within the last minute, or the credential is gone. */
export async function recordByokUse(
  db: Queries,
  { byokCredentialId, projectId, environmentId }: ByokCredentialResource,
  at: Date,
): Promise<void> {
  await db.query(updateLastUse, [byokCredentialId, projectId, environmentId, at], 'byok.used');
}
