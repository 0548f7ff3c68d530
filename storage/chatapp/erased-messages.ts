/**
 * Recognises an erased message when the provider sends it again. The erasure removes the provider's id, which may contain the participant's
 * phone number, and keeps a keyed hash of it for 30 days (storage/retention/sweep.ts): longer than the provider repeats a webhook.
 */
import type { Queries, TenantScope } from '../database/index.ts';
import type { KeyedHash } from '../secrets/index.ts';

export type ExternalIdHash = Pick<KeyedHash, 'digest'>;

export function hashExternalId(hash: ExternalIdHash, channelId: string, externalMessageId: string): Buffer {
  return hash.digest('erased-message', `${channelId}\0${externalMessageId}`);
}

/** Those of the provider's ids whose messages were erased. */
export async function findErasedIds(
  db: Queries,
  hash: ExternalIdHash,
  { projectId, environmentId, channelId }: TenantScope & { readonly channelId: string },
  externalMessageIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const hashes = externalMessageIds.map(id => hashExternalId(hash, channelId, id));
  const rows = await db.query<{ n: number }>(
    `select h.n::int as n from unnest($2::bytea[]) with ordinality h(id_hash, n) join erased_messages e using (id_hash)
     where e.channel_id = $1 and e.project_id = $3 and e.environment_id = $4`,
    [channelId, hashes, projectId, environmentId],
    'chatapp.erased_ids',
  );
  return new Set(rows.map(({ n }) => externalMessageIds[n - 1] ?? ''));
}
