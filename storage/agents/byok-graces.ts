/** Writes down what time has done already: a BYOK credential whose grace has ended is active again, and the secret before is forgotten. */
import type { Database } from '../database.ts';

const end = `
  update byok_credentials set status = 'active', previous_secret = null, rotation_grace_expires_at = null, updated_at = $1
  where status = 'rotating' and rotation_grace_expires_at <= $1`;

/** The graces that have ended at `now` (epoch milliseconds). */
export async function endByokGraces(db: Pick<Database, 'query'>, now: number): Promise<void> {
  await db.query(end, [new Date(now)]);
}
