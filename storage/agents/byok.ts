/**
 * BYOK credentials (specification, "BYOK credential"): keys of LLM providers, sealed.
 *
 *   active           -> rotating   the secret was replaced, and the one before is good for a grace period
 *   active           -> active     it was replaced without one
 *   rotating         -> rotating   replaced once more: of the secrets before, the last one stays
 *   rotating         -> active     the grace has ended (byok-graces.ts writes it down)
 *   active, rotating -> revoked    both secrets are forgotten
 *
 * A grace that has ended counts from that instant, whatever the row says.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound, ServiceError } from '../../protocol/errors.ts';
import type { EventName } from '../../protocol/events.ts';
import { newId } from '../../protocol/ids.ts';
import type { ByokCredential as ByokCredentialResource, Provider } from '../../protocol/resources/byok.ts';
import { recordDeed, type Deed } from '../audit.ts';
import type { Cursors, Page } from '../cursor.ts';
import type { Database } from '../database.ts';
import { ByokCredential } from '../entities/credentials.ts';
import { appendEvents } from '../events.ts';
import type { KeyHash } from '../keyhash.ts';
import type { Place } from '../reads/place.ts';
import type { PageRequest } from '../tenancy/workspaces.ts';
import type { Vault } from '../vault.ts';
import { listed, type Listing } from './listing.ts';

export interface NewByokCredential extends Place, Deed {
  readonly provider: Provider;
  readonly displayName: string;
  readonly secret: string;
  readonly modelAllowlist: readonly string[];
  readonly metadata: Record<string, unknown>;
}

/** Which credential of which environment. */
export interface ByokChange extends Place, Deed {
  readonly byokCredentialId: string;
}

/** A row without its secrets. */
export type ByokRow = Omit<InferEntity<typeof ByokCredential>, 'secret' | 'previousSecret'>;

/** The columns of a {@link ByokRow}, as a select names them. */
export const byokColumns = `byok_credential_id as "byokCredentialId", project_id as "projectId", environment_id as "environmentId", provider,
  display_name as "displayName", status, key_fingerprint as "keyFingerprint", model_allowlist as "modelAllowlist", metadata,
  created_at as "createdAt", updated_at as "updatedAt", last_used_at as "lastUsedAt",
  rotation_grace_expires_at as "rotationGraceExpiresAt", revoked_at as "revokedAt"`;

const listing: Listing = { table: 'byok_credentials', id: 'byok_credential_id', columns: byokColumns };

/** Where the secret lies, and the one before it: what both are sealed for (storage/vault.ts). */
export function byokSecretContext(byokCredentialId: string): string {
  return `byok_credentials/${byokCredentialId}/secret`;
}

export interface ByokOptions {
  readonly db: Database;
  readonly hash: KeyHash;
  readonly vault: Pick<Vault, 'seal'>;
  readonly cursors: Cursors;
}

export class ByokCredentials {
  readonly #options: ByokOptions;

  constructor(options: ByokOptions) {
    this.#options = options;
  }

  /** @param now epoch milliseconds: which graces have ended depends on it */
  async list(place: Place, request: PageRequest, now: number): Promise<Page<ByokCredentialResource>> {
    const { data, ...rest } = await listed<ByokRow>(
      this.#options,
      listing,
      place,
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
    return this.#options.db.em().transactional(async em => {
      const row = em.create(ByokCredential, {
        ...{ byokCredentialId, projectId, environmentId, provider, displayName, metadata, status: 'active' },
        modelAllowlist: [...new Set(modelAllowlist)],
        secret: sealed,
        keyFingerprint: this.#fingerprint(secret),
        ...{ createdAt: at, updatedAt: at },
      });
      const details = { provider, displayName, keyFingerprint: row.keyFingerprint };
      return told(em, request, row, 'created', details);
    });
  }

  /**
   * Replaces the secret, under the same id. With a grace the one before stays good until it ends. 409 `svc/runtime/conflict` for a
   * credential that is revoked.
   */
  async rotate(
    change: ByokChange & { readonly secret: string; readonly gracePeriodSeconds: number },
  ): Promise<ByokCredentialResource> {
    const { byokCredentialId, secret, gracePeriodSeconds, now } = change;
    const sealed = await this.#seal(byokCredentialId, secret);
    return this.#options.db.em().transactional(async em => {
      const row = await lockCredential(em, change);
      if (row.status === 'revoked') {
        throw new ServiceError('svc/runtime/conflict', { message: 'The credential is revoked.' });
      }
      const grace = gracePeriodSeconds > 0;
      row.previousSecret = grace ? row.secret : null;
      row.rotationGraceExpiresAt = grace ? new Date(now + gracePeriodSeconds * 1_000) : null;
      row.status = grace ? 'rotating' : 'active';
      row.secret = sealed;
      row.keyFingerprint = this.#fingerprint(secret);
      row.updatedAt = new Date(now);
      const details = { keyFingerprint: row.keyFingerprint, gracePeriodSeconds };
      return told(em, change, row, 'rotated', details);
    });
  }

  /** Revokes a credential and drops its secrets; one that is revoked already stays as it is, without a second event. */
  async revoke(change: ByokChange): Promise<void> {
    const { now } = change;
    await this.#options.db.em().transactional(async em => {
      const row = await lockCredential(em, change);
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
      await told(em, change, row, 'revoked', { provider, displayName });
    });
  }

  #seal(byokCredentialId: string, secret: string): Promise<string> {
    return this.#options.vault.seal(byokSecretContext(byokCredentialId), secret);
  }

  /** Tells secrets apart without telling anything of them: 64 bits of a keyed hash. */
  #fingerprint(secret: string): string {
    return this.#options.hash.of('byok-fingerprint', secret).toString('hex', 0, 8);
  }
}

/** Of several changes of one credential, each waits here for the one before. */
async function lockCredential(
  em: EntityManager,
  { projectId, environmentId, byokCredentialId }: ByokChange,
): Promise<InferEntity<typeof ByokCredential>> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
  const row = await em.findOne(ByokCredential, { byokCredentialId, projectId, environmentId }, lock);
  if (row === null) throw notFound();
  return row;
}

/** Writes the change down, with its act and its event. */
async function told(
  em: EntityManager,
  deed: Deed,
  row: ByokRow,
  verb: 'created' | 'rotated' | 'revoked',
  details: Readonly<Record<string, unknown>>,
): Promise<ByokCredentialResource> {
  await em.flush();
  const { projectId, environmentId, byokCredentialId: targetId } = row;
  await recordDeed(em, deed, {
    projectId,
    environmentId,
    action: `byok_credential.${verb}`,
    targetId,
    details,
  });
  const byokCredential = byokResource(row, deed.now);
  const eventName: EventName = `byok.credential.${verb}`;
  await appendEvents(em, [
    { projectId, environmentId, eventName, data: { actor: deed.author, byokCredential } },
  ]);
  return byokCredential;
}

const instant = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

/** @param now epoch milliseconds: whether a grace has ended depends on it */
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
