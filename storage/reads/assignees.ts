/** Who is assigned to threads, and may not answer in them any more. */
import { access } from '../../protocol/operations/rules.ts';
import type { Database } from '../database.ts';
import type { Place } from './place.ts';
import type { ThreadKey } from './threads.ts';

type Queries = Pick<Database, 'query'>;

/** A user who is assigned to threads of an environment. */
export interface Seat extends Place {
  readonly userId: string;
}

export interface FoundSeat extends Seat {
  /** Whether the user may not answer there any more. */
  readonly isLost: boolean;
}

// From one seat to the next by the index threads_by_assignee: what is read is as much as there are seats, not threads.
const selectSeats = `
  with recursive seats as (
    (select project_id, environment_id, assignee_user_id as user_id from threads
     where assignee_user_id is not null and (project_id, environment_id, assignee_user_id) > ($1, $2, $3)
     order by project_id, environment_id, assignee_user_id limit 1)
    union all
    select next.* from seats s cross join lateral (
      select project_id, environment_id, assignee_user_id from threads
      where assignee_user_id is not null and (project_id, environment_id, assignee_user_id) > (s.project_id, s.environment_id, s.user_id)
      order by project_id, environment_id, assignee_user_id limit 1) next
  )
  select project_id as "projectId", environment_id as "environmentId", user_id as "userId", not (
    exists (select from projects p join workspace_members m on m.workspace_id = p.workspace_id
      where p.project_id = s.project_id and m.user_id = s.user_id and m.role = any ($4::text[]))
    or exists (select from project_members m
      where m.project_id = s.project_id and m.user_id = s.user_id and m.role = any ($4::text[]))
    or exists (select from console_members m
      where m.project_id = s.project_id and m.user_id = s.user_id and m.role = any ($5::text[]))
  ) as "isLost"
  from (select * from seats limit $6) s`;

/** The next seats, in the order of their environments, from after `after`. */
export function seatsAfter(
  db: Queries,
  { projectId, environmentId, userId }: Seat,
  limit: number,
): Promise<FoundSeat[]> {
  const { studio, console } = access.writeThreads;
  const values = [projectId, environmentId, userId, studio, console, limit];
  return db.query<FoundSeat>(selectSeats, values, 'assignees.seats');
}

const selectThreads = `
  select thread_id as "threadId", project_id as "projectId", environment_id as "environmentId" from threads
  where assignee_user_id = $1 and thread_id > $2 and project_id = $3 and environment_id = $4 order by thread_id limit $5`;

/** A page of the seat's threads, by id, from after `after`. */
export function threadsOfSeat(
  db: Queries,
  { projectId, environmentId, userId }: Seat,
  after: string,
  limit: number,
): Promise<ThreadKey[]> {
  const values = [userId, after, projectId, environmentId, limit];
  return db.query<ThreadKey>(selectThreads, values, 'assignees.threads');
}
