/**
 * The place at which a periodic job continues: the id after which its last sweep ended. It is a row, so that a sweep by another node
 * continues there, too. A job that began with the first id each time would never reach the last ones while the first ones have work.
 */
import type { Queries } from '../database/index.ts';

const read = 'select position from sweep_positions where job = $1';
const save = `
  insert into sweep_positions (job, position) values ($1, $2) on conflict (job) do update set position = excluded.position`;

/** Empty: at the beginning. */
export async function readSweepPosition(db: Queries, job: string): Promise<string> {
  const [row] = await db.query<{ position: string }>(read, [job]);
  return row?.position ?? '';
}

export async function saveSweepPosition(db: Queries, job: string, position: string): Promise<void> {
  await db.query(save, [job, position]);
}
