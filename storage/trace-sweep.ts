/** The traces of runs go 30 days after the run has ended (decisions, section 9): what it did is forgotten, that it was stays. */
import type { Database } from './database.ts';

const keptMs = 30 * 86_400_000;

/** Rows of one statement, and statements of one sweep: what is left over waits for the next. */
const piece = 500;
const pieces = 100;

// A suggestion that nobody resolved in all that time has expired. The version moves on: whoever still holds the run in memory cannot
// write it down again. An empty private state is the mark of a run that is done with, and out of the index.
const empty = `
  with emptied as (
    update agent_runs set state = '{}', version = version + 1, trace = case
      when trace #>> '{suggestion,status}' = 'pending'
      then jsonb_build_object('steps', '[]'::jsonb, 'suggestion', (trace -> 'suggestion') || '{"status": "expired", "body": ""}')
      else '{"steps": []}' end
    where ctid = any (array(
      select ctid from agent_runs where completed_at is not null and completed_at <= $1 and state <> '{}' limit ${piece}))
    returning 1
  ) select count(*)::int as count from emptied`;

/** `now` in epoch milliseconds. Rejects where the database fails. */
export async function emptyTraces(db: Pick<Database, 'query'>, now: number): Promise<void> {
  for (let done = 0; done < pieces; done++) {
    const [row] = await db.query<{ count: number }>(empty, [new Date(now - keptMs)]);
    if (row?.count !== piece) return;
  }
}
