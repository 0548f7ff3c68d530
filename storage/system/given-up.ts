/** Dead letters: commands and tasks that were given up for good. Operators see which, but not what was in them. */
import type { ActorRef } from '../../runtime/actor/index.ts';
import type { Queries } from '../database/index.ts';

export interface DeadLetterRow {
  readonly deadLetterId: string;
  readonly kind: string;
  readonly actorId: string;
  /** Name of the command or the task. */
  readonly name: string;
  /** How the error's text begins: its code or its class; null: neither. */
  readonly errorCode: string | null;
  readonly attempts: number;
  readonly createdAt: Date;
}

export interface GivenUp {
  /** At most `maxCounted`. */
  readonly count: number;
  /** There are more. */
  readonly more: boolean;
  /** Newest first. */
  readonly newest: readonly DeadLetterRow[];
}

const maxCounted = 1_000;

const countRows = `select count(*)::int as count from (select from dead_letters limit ${maxCounted + 1}) rows`;

// Neither the payload nor the text of the error: both may have words of a tenant.
const columns = `dead_letter_id::text as "deadLetterId", kind, actor_id as "actorId", name, attempts, created_at as "createdAt",
  substring(error from '^[A-Za-z0-9_/]{1,64}(?=:)') as "errorCode"`;

// By the index of their times.
const selectNewest = `select ${columns} from dead_letters order by created_at desc limit $1`;

export async function readGivenUp(db: Queries, limit: number): Promise<GivenUp> {
  const [counted, newest] = await Promise.all([
    countDeadLetters(db),
    db.query<DeadLetterRow>(selectNewest, [limit], 'system.given_up'),
  ]);
  return { count: Math.min(counted, maxCounted), more: counted > maxCounted, newest };
}

/** The number of dead letters; 1,001 stands for any larger number. */
export async function countDeadLetters(db: Queries): Promise<number> {
  const [row] = await db.query<{ count: number }>(countRows, [], 'system.count_given_up');
  return row?.count ?? 0;
}

const selectPage = `select ${columns} from dead_letters
  where dead_letter_id < coalesce($1::bigint, 9223372036854775807) order by dead_letter_id desc limit $2`;

/** Newest first, below the given id; undefined: from the newest. */
export function listDeadLetters(
  db: Queries,
  before: string | undefined,
  limit: number,
): Promise<DeadLetterRow[]> {
  return db.query<DeadLetterRow>(selectPage, [before ?? null, limit], 'system.dead_letters');
}

/** A command that was given up. */
export interface DeadCommand {
  readonly actor: ActorRef;
  readonly command: string;
  /** Its contents were erased with the personal data in it: nothing is left to run. */
  readonly isErased: boolean;
}

export async function findDeadCommand(db: Queries, deadLetterId: string): Promise<DeadCommand | undefined> {
  const [row] = await db.query<{ kind: string; id: string; command: string; isErased: boolean }>(
    `select kind, actor_id as id, name as command, error = 'erased' as "isErased" from dead_letters where dead_letter_id = $1`,
    [deadLetterId],
    'system.dead_letter',
  );
  if (row === undefined) return undefined;
  const { kind, id, command, isErased } = row;
  return { actor: { kind, id }, command, isErased };
}

const rerun = `
  with taken as (
    delete from dead_letters where dead_letter_id = $1 and error <> 'erased' returning dead_letter_id, kind, actor_id, name, payload
  )
  insert into reminders (kind, actor_id, key, shard, due_at, command, payload, attempts)
  select kind, actor_id, 'dead-letter:' || dead_letter_id, $2, $3, name, payload, 0 from taken
  returning key`;

/**
 * Turns a dead letter into a reminder that is due, so that the owner of its actor runs it within seconds. Gives whether it was there: of
 * several calls one succeeds.
 *
 * @param shard of the actor
 * @param now epoch milliseconds
 */
export async function runDeadLetter(
  db: Queries,
  deadLetterId: string,
  shard: number,
  now: number,
): Promise<boolean> {
  return (await db.query(rerun, [deadLetterId, shard, now], 'system.run_dead_letter')).length > 0;
}

/** Gives whether it was there. */
export async function deleteDeadLetter(db: Queries, deadLetterId: string): Promise<boolean> {
  const rows = await db.query(
    'delete from dead_letters where dead_letter_id = $1 returning dead_letter_id',
    [deadLetterId],
    'system.delete_dead_letter',
  );
  return rows.length > 0;
}
