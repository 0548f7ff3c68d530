/**
 * Keeps the words of messages, and of participants' names and subjects, which a search looks through. They follow the event log by a mark for each
 * project, as usage does (storage/usage/count-usage.ts): a commit waits for nothing, and no message is missed or taken twice.
 *
 * Measured with messages of 300 bytes, in CPU of PostgreSQL for each: the row of a message 8 to 13 microseconds, an index of its words in
 * the same commit 50 to 90 more. So it is done here, afterwards, by one node, `batchEvents` a call.
 */
import type { Queries } from '../database/index.ts';
import { readSweepPosition, saveSweepPosition } from '../paging/index.ts';

/** Events of one call, which takes some 200 ms: shared by the projects that are behind. The rest waits for the next call. */
const batchEvents = 2_000;
/** Projects of one call. */
const batchProjects = 200;
const job = 'search';
/** Numbers of a project's events that share a word, so that newer messages can be searched first. */
export const blockBits = 16;
/** In the place of a block's number: the name of a participant, and the subject. */
export const nameBlock = 'name';

const selectBehind = `
  select p.project_id as "projectId" from project_streams p left join search_marks m on m.project_id = p.project_id
  where p.project_id > $1 and p.last_seq > coalesce(m.seq, 0) order by p.project_id limit ${batchProjects}`;

/** A text's words, and those by which a search finds one environment's, and the newest of them. */
const words = (text: string, environment: string, block: string): string =>
  `to_tsvector('simple', ${text}) || array_to_tsvector(array[${environment}, ${environment} || '#' || ${block}])`;

const nameWords = words(
  `concat_ws(' ', t.participant ->> 'displayName', t.external_ref, t.state ->> 'subject')`,
  's.environment_id',
  `'${nameBlock}'`,
);

/** Whether a thread, by its alias in the statement, has something that `nameWords` keeps. */
export const isNamed = (thread: string): string =>
  `(${thread}.participant is not null or ${thread}.external_ref is not null or ${thread}.state ? 'subject')`;

/** `$1`: projects, `$2`: events of each. A name that has not changed is left alone: a row that conflicts would be locked, which writes it. */
const follow = `
  with due as materialized (
    select p.project_id, p.last_seq, coalesce(m.seq, 0) as after, least(p.last_seq, coalesce(m.seq, 0) + $2::int) as through
    from project_streams p left join search_marks m on m.project_id = p.project_id
    where p.project_id = any ($1::text[]) and p.last_seq > coalesce(m.seq, 0)
  ), moved as (
    insert into search_marks as m (project_id, seq) select project_id, through from due order by project_id
    on conflict (project_id) do update set seq = excluded.seq where m.seq = (select d.after from due d where d.project_id = excluded.project_id)
    returning m.project_id
  ), seen as materialized (
    select e.project_id, e.environment_id, e.thread_id, e.sequence, e.seq from moved join due using (project_id)
    join events e on e.project_id = due.project_id and e.seq > due.after and e.seq <= due.through
    where e.event_name in ('thread.message.received', 'thread.message.created', 'thread.lifecycle.created', 'thread.lifecycle.updated')
  ), said as (
    insert into message_words (thread_id, sequence, project_id, environment_id, seq, at, words)
    select m.thread_id, m.sequence, s.project_id, s.environment_id, s.seq, m.created_at,
      ${words('m.body', 's.environment_id', `(s.seq >> ${blockBits})::text`)}
    from seen s join messages m on m.thread_id = s.thread_id and m.sequence = s.sequence
      and m.project_id = s.project_id and m.environment_id = s.environment_id
    where m.body <> '' on conflict do nothing
  ), named as (
    insert into message_words as w (thread_id, sequence, project_id, environment_id, seq, at, words)
    select t.thread_id, 0, s.project_id, s.environment_id, s.seq, t.created_at, name.words
    from (select project_id, environment_id, thread_id, max(seq) as seq from seen group by 1, 2, 3) s
    join threads t on t.thread_id = s.thread_id and t.project_id = s.project_id and t.environment_id = s.environment_id
    cross join lateral (select ${nameWords} as words) name
    where ${isNamed('t')} and not exists (
      select from message_words known
      where known.thread_id = t.thread_id and known.project_id = t.project_id and known.sequence = 0 and known.words = name.words)
    on conflict (thread_id, sequence) do update set words = excluded.words where w.words <> excluded.words
  )
  select coalesce(bool_or(due.through < due.last_seq), false) as "isBehind" from moved join due using (project_id)`;

/**
 * Takes up new events, as many as `batchEvents` allow. Each call continues with the projects after those of the last one. A project that
 * fails does not stop the others: rejects when all have had their turn.
 *
 * @returns whether there is more
 */
export async function followEvents(db: Queries): Promise<boolean> {
  const after = await readSweepPosition(db, job);
  const behind = await db.query<{ projectId: string }>(selectBehind, [after]);
  const projects = behind.map(({ projectId }) => projectId);
  const isLastPage = projects.length < batchProjects;
  const next = isLastPage ? '' : (projects.at(-1) ?? '');
  if (next !== after) await saveSweepPosition(db, job, next);
  const isMore = !isLastPage || after !== '';
  if (projects.length === 0) return isMore;
  const share = Math.ceil(batchEvents / projects.length);
  try {
    const [followed] = await db.query<{ isBehind: boolean }>(follow, [projects, share]);
    return isMore || followed?.isBehind === true;
  } catch {
    const errors: unknown[] = [];
    for (const one of projects) {
      await db.query(follow, [[one], share]).catch((error: unknown) => errors.push(error));
    }
    if (errors.length > 0) {
      throw new AggregateError(errors, `${errors.length} projects are behind in the search`);
    }
    return true;
  }
}
