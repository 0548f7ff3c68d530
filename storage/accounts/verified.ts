/** Whether the user's e-mail is verified: for what a key does in the name of the user who made it. */
import type { Queries } from '../database/index.ts';

export async function isUserVerified(db: Queries, userId: string): Promise<boolean> {
  const rows = await db.query(
    'select from users where user_id = $1 and email_verified_at is not null',
    [userId],
    'users.verified',
  );
  return rows.length > 0;
}
