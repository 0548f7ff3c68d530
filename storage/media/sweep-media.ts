/** Removes files that no message has taken, and those that were erased: first the bytes, then the row that names them. */
import type { Log } from '../../runtime/observability/index.ts';
import type { Queries } from '../database/index.ts';
import type { Media } from './media.ts';

/** Milliseconds after its announcement that a file is kept which was not uploaded: longer than its upload may begin and take. */
const pendingKeptMs = 3_600_000;
/** The same for a file that no message has taken. */
const unusedKeptMs = 24 * 3_600_000;

/** Unused files that one sweep erases: the rest waits for the next sweep. */
const maxErased = 10_000;

/** Files of one statement. */
const batchRows = 200;

/**
 * One sweep; `now` in epoch milliseconds. May run on several nodes at once. Rejects where the database fails; an object that the store
 * does not remove is tried again by the next sweep.
 */
export async function sweepMedia(
  db: Queries,
  media: Pick<Media, 'remove'>,
  now: number,
  log: Log,
): Promise<void> {
  // The status changes first: from then on no message can take the file, and no upload can complete it.
  await db.query(
    `update attachments set status = 'erased', erased_at = $1
     where attachment_id = any (array(
       select attachment_id from attachments
       where message_id is null and created_at < $3 and (status = 'pending' or status = 'stored' and created_at < $2)
       limit ${maxErased}
     )) and message_id is null`,
    [new Date(now), new Date(now - unusedKeptMs), new Date(now - pendingKeptMs)],
  );
  for (let after = ''; ;) {
    const rows = await db.query<{ attachmentId: string; storageKey: string }>(
      `select attachment_id as "attachmentId", storage_key as "storageKey" from attachments
       where status = 'erased' and attachment_id > $1 order by attachment_id limit ${batchRows}`,
      [after],
    );
    const removed: string[] = [];
    for (const { attachmentId, storageKey } of rows) {
      try {
        await media.remove(storageKey);
        removed.push(attachmentId);
      } catch (err) {
        log.warn({ err, attachmentId }, 'an erased file could not be removed; the next sweep tries again');
      }
    }
    await db.query(`delete from attachments where attachment_id = any ($1::text[]) and status = 'erased'`, [
      removed,
    ]);
    if (rows.length < batchRows) return;
    after = rows.at(-1)?.attachmentId ?? after;
  }
}
