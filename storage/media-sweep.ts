/** Removes files that nobody has taken, and those that were erased: first the bytes, then the row that names them. */
import type { Log } from '../runtime/log.ts';
import type { Database } from './database.ts';
import type { Media } from './media.ts';

type Queries = Pick<Database, 'query'>;

/** A file that no message has taken is kept this long after its announcement, in milliseconds. */
const looseKeptMs = 24 * 3_600_000;

/** Files that one sweep takes for their age: the next one takes the rest. */
const mostAged = 10_000;

/** Files that one round removes. */
const piece = 200;

/**
 * One sweep; `now` in epoch milliseconds. Safe to run on several nodes at once. Rejects where the database fails; an object that the
 * store does not let go is tried again by the next sweep.
 */
export async function sweepMedia(
  db: Queries,
  media: Pick<Media, 'remove'>,
  now: number,
  log: Log,
): Promise<void> {
  // The status goes first: from then on no message can take the file, and no upload can complete it.
  await db.query(
    `update attachments set status = 'erased', erased_at = $1
     where attachment_id = any (array(
       select attachment_id from attachments
       where message_id is null and status <> 'erased' and created_at < $2 limit ${mostAged}
     )) and message_id is null`,
    [new Date(now), new Date(now - looseKeptMs)],
  );
  for (let after = ''; ;) {
    const rows = await db.query<{ attachmentId: string; storageKey: string }>(
      `select attachment_id as "attachmentId", storage_key as "storageKey" from attachments
       where status = 'erased' and attachment_id > $1 order by attachment_id limit ${piece}`,
      [after],
    );
    const gone: string[] = [];
    for (const { attachmentId, storageKey } of rows) {
      try {
        await media.remove(storageKey);
        gone.push(attachmentId);
      } catch (err) {
        log.warn({ err, attachmentId }, 'an erased file could not be removed; it is tried again');
      }
    }
    await db.query(`delete from attachments where attachment_id = any ($1::text[]) and status = 'erased'`, [
      gone,
    ]);
    if (rows.length < piece) return;
    after = rows.at(-1)?.attachmentId ?? after;
  }
}
