/**
 * Erases personal data (decisions sections 2 and 9): everything of a thread up to the event that its erasure was asked at. The
 * thread has forgotten already (actors/thread/decide-erasure.ts); what came after is not touched. An erasure is
 *
 *   asked   -> settling   all that is there is emptied, at once
 *   settling -> (gone)    done once more, ten minutes after it was asked: by then whatever was under way has been written too (a
 *                         receiver's answer, the answer kept under a key, the trace of a run, the news of a receipt)
 *
 * Either fails as a whole, is tried again, later each time, and never given up: the law knows no last attempt. Each step empties
 * a piece at a time (erasures/statements.ts) and can be repeated, so a node may die in between, and several may work at once.
 */
import type { Log } from '../runtime/log.ts';
import type { Database } from './database.ts';
import {
  dropNotes,
  emptyAnswers,
  emptyEvents,
  emptyLetters,
  emptyMessages,
  emptyRuns,
  piece,
} from './erasures/statements.ts';
import type { Place } from './reads/place.ts';

type Queries = Pick<Database, 'query'>;

/** Threads that one statement takes, and how often one round does: what is left over waits for the next. */
const threads = 50;
const turns = 20;

/** Longer than anything takes that may have read what is erased: an upload, a run, a request with its key. */
const settlingMs = 600_000;

/** Between two attempts: twice as long each time. */
const firstRetryMs = 60_000;
const longestRetryMs = 3_600_000;
/** A human is told by a dead letter, once. */
const toldAfter = 10;

interface Erasure extends Place {
  readonly threadId: string;
  /** The thread's number of the last event that is erased. */
  readonly through: number;
  readonly requestedAt: Date;
  readonly attempts: number;
}

const selectDue = `
  select thread_id as "threadId", project_id as "projectId", environment_id as "environmentId", through,
    requested_at as "requestedAt", attempts
  from erasures
  where due_at <= $1 order by due_at limit ${threads}`;

// Asked again meanwhile, it has more to do: these three name the event.
const settle = `update erasures set due_at = $3, attempts = 0, last_error = null where thread_id = $1 and through = $2`;
const finish = `delete from erasures where thread_id = $1 and through = $2`;
const postpone = `
  with failed as (
    update erasures set due_at = $3, attempts = attempts + 1, last_error = $4 where thread_id = $1 and through = $2
    returning attempts
  )
  insert into dead_letters (kind, actor_id, name, payload, error, attempts, created_at)
  select 'thread', $1, 'erase', '{}', $4, attempts, $5 from failed where attempts = ${toldAfter}`;

/** Does what is due at `now` (epoch milliseconds). Rejects when all had their turn and some failed, or where the database fails. */
export async function erasePersonalData(db: Queries, now: number, log: Log): Promise<void> {
  const errors: unknown[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const due = await db.query<Erasure>(selectDue, [new Date(now)]);
    for (const erasure of due) {
      try {
        await erase(db, erasure, now);
      } catch (err) {
        log.warn({ err, threadId: erasure.threadId }, 'personal data was not erased; it is tried again');
        errors.push(err);
        await putOff(db, erasure, now, err);
      }
    }
    if (due.length < threads) break;
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} erasures failed`);
}

async function erase(db: Queries, erasure: Erasure, now: number): Promise<void> {
  const { threadId, projectId, environmentId, through, requestedAt } = erasure;
  const settled = requestedAt.getTime() + settlingMs;
  await inPieces(db, emptyMessages, [threadId, through]);
  await inPieces(db, emptyEvents, [threadId, through, requestedAt, new Date(settled)]);
  await db.query(dropNotes, [threadId, requestedAt]);
  await db.query(emptyRuns, [threadId, requestedAt, projectId, environmentId]);
  for (let emptied = piece; emptied === piece;) {
    const [row] = await db.query<{ count: number }>(emptyAnswers, [threadId, requestedAt]);
    emptied = row?.count ?? 0;
  }
  await db.query(emptyLetters, [threadId]);
  if (now < settled) await db.query(settle, [threadId, through, new Date(settled)]);
  else await db.query(finish, [threadId, through]);
}

/** @param values from `$2` on; `$1` is where the piece before ended */
async function inPieces(db: Queries, statement: string, values: readonly unknown[]): Promise<void> {
  for (let after: number | null = 0; after !== null;) {
    const [row]: { last: number | null }[] = await db.query<{ last: number | null }>(statement, [
      after,
      ...values,
    ]);
    after = row?.last ?? null;
  }
}

/** Behind whatever else is due. */
async function putOff(
  db: Queries,
  { threadId, through, attempts }: Erasure,
  now: number,
  err: unknown,
): Promise<void> {
  const dueAt = now + Math.min(firstRetryMs * 2 ** attempts, longestRetryMs);
  const error = err instanceof Error ? err.message : String(err);
  await db.query(postpone, [threadId, through, new Date(dueAt), error.slice(0, 4_000), new Date(now)]);
}
