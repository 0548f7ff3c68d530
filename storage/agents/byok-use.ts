/** When credentials were last used, to the minute. */
import type { ByokCredential } from '../../protocol/resources/byok.ts';
import type { Database } from '../database.ts';

// Of several nodes, and of several runs of one node, one writes.
const update = `
  update byok_credentials set last_used_at = $4
  where byok_credential_id = $1 and project_id = $2 and environment_id = $3
    and (last_used_at is null or last_used_at <= $4::timestamptz - interval '1 minute')`;

/** Notes a use; nothing where one was noted within the minute before, or the credential is not there any more. */
export async function noteByokUse(
  db: Pick<Database, 'query'>,
  { byokCredentialId, projectId, environmentId }: ByokCredential,
  at: Date,
): Promise<void> {
  await db.query(update, [byokCredentialId, projectId, environmentId, at], 'byok.used');
}
