/** Reminders and tasks that were given up for good (`dead_letters`): which, and not what was in them. */
import type { Queries } from '../database/index.ts';

export interface GivenUp {
  /** At most `maxCounted`. */
  readonly count: number;
  /** There are more. */
  readonly more: boolean;
  /** Newest first. */
  readonly newest: readonly {
    readonly kind: string;
    readonly actorId: string;
    /** Of the command or the task. */
    readonly name: string;
    readonly attempts: number;
    readonly createdAt: Date;
  }[];
}

const maxCounted = 1_000;

const countRows = `select count(*)::int as count from (select from dead_letters limit ${maxCounted + 1}) rows`;

// By the index of their times. Neither payload nor error: both may have words of a tenant.
const selectNewest = `
  select kind, actor_id as "actorId", name, attempts, created_at as "createdAt"
  from dead_letters order by created_at desc limit $1`;

export async function readGivenUp(db: Queries, limit: number): Promise<GivenUp> {
  const [[counted], newest] = await Promise.all([
    db.query<{ count: number }>(countRows, [], 'system.count_given_up'),
    db.query<GivenUp['newest'][number]>(selectNewest, [limit], 'system.given_up'),
  ]);
  const { count = 0 } = counted ?? {};
  return { count: Math.min(count, maxCounted), more: count > maxCounted, newest };
}
