/**
 * Ends grace periods and updates the rows. A rotating API key whose grace period has ended counts as revoked everywhere from that instant,
 * and a rotating BYOK credential as active again, whatever its row says.
 */
import { LockMode } from '@mikro-orm/core';
import type { Database, Queries } from '../database/index.ts';
import { ApiKey } from '../entities/index.ts';
import { appendEvents, type NewEvent } from '../events/index.ts';
import { type NewAuditEntry, recordAuditEntries } from '../audit/index.ts';
import { keyResource } from '../tenancy/index.ts';

/** Keys of one transaction. */
const batchKeys = 100;
/** Transactions of one sweep: the rest waits for the next sweep. */
const maxBatches = 100;

/**
 * Revokes the API keys whose graces have ended at `now` (epoch milliseconds), with their audit entries and events. Nodes that do it at
 * once share the work.
 */
export async function endApiKeyGraces(db: Pick<Database, 'em'>, now: number): Promise<void> {
  for (let done = 0; done < maxBatches; done++) if ((await endSome(db, now)) < batchKeys) return;
}

function endSome(db: Pick<Database, 'em'>, now: number): Promise<number> {
  const at = new Date(now);
  return db.em().transactional(async em => {
    const rows = await em.find(
      ApiKey,
      { status: 'rotating', rotationGraceExpiresAt: { $lte: at } },
      { limit: batchKeys, lockMode: LockMode.PESSIMISTIC_PARTIAL_WRITE },
    );
    for (const row of rows) {
      row.status = 'revoked';
      row.revokedAt = row.rotationGraceExpiresAt ?? at;
      row.updatedAt = at;
    }
    await em.flush();
    const acts = rows.map(({ projectId, environmentId, apiKeyId, name }): NewAuditEntry => ({
      projectId,
      environmentId,
      action: 'api_key.revoked',
      targetId: apiKeyId,
      actor: { type: 'system', id: 'system' },
      details: { name, reason: 'the grace period has ended' },
    }));
    await recordAuditEntries(em, acts, now);
    const events = rows.map((row): NewEvent => {
      const { projectId, environmentId } = row;
      const data = { actor: { type: 'system', id: null }, apiKey: keyResource(row, now) };
      return { projectId, environmentId, eventName: 'project.api_key.revoked', data };
    });
    if (events.length > 0) await appendEvents(em, events);
    return rows.length;
  });
}

const endByok = `
  update byok_credentials set status = 'active', previous_secret = null, rotation_grace_expires_at = null, updated_at = $1
  where status = 'rotating' and rotation_grace_expires_at <= $1`;

/** Activates the BYOK credentials whose graces have ended at `now` (epoch milliseconds), and forgets their old secrets. */
export async function endByokGraces(db: Queries, now: number): Promise<void> {
  await db.query(endByok, [new Date(now)]);
}

// The index tools_rotating has the few that rotate.
const endToolSecrets = `
  update tools set former_secrets = coalesce((
    select jsonb_agg(former order by n) from jsonb_array_elements(former_secrets) with ordinality as each(former, n)
    where (former ->> 'until')::float8 > $1), '[]')
  where former_secrets <> '[]' and exists (
    select from jsonb_array_elements(former_secrets) as former where (former ->> 'until')::float8 <= $1)`;

/** Forgets the signing secrets of tools that sign no more at `now` (epoch milliseconds). */
export async function endToolGraces(db: Queries, now: number): Promise<void> {
  await db.query(endToolSecrets, [now]);
}

const endOverlaps = `
  update partner_apps set previous_app_secret = null, previous_app_secret_until = null where previous_app_secret_until <= $1`;

/** Forgets the secrets of partner apps that were replaced, and that no signature is accepted with any more at `now` (epoch milliseconds). */
export async function endPartnerAppOverlaps(db: Queries, now: number): Promise<void> {
  await db.query(endOverlaps, [new Date(now)]);
}
