/** Notes that mention a user, and which of them the user has read. Each is found by an index of the user within the environment. */
import { limitBytes, mapPage, readPage, type PageRows } from '../paging/index.ts';
import { maxQueueCount, type Mention, type QueueCount } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import { noteColumns, type NoteRecord, toNote } from './notes.ts';

export interface Mentioned extends TenantScope {
  readonly userId: string;
}

export interface MentionPage extends Mentioned {
  /** Only those that were not read, or only those that were. */
  readonly unread: boolean | undefined;
  /** Where the previous page ended: its last mention, in epoch milliseconds, and the note. */
  readonly after: { readonly at: number; readonly threadNoteId: string } | undefined;
  readonly limit: number;
}

type MentionRecord = NoteRecord & {
  readonly participantName: string | null;
  readonly mentionedAt: Date;
  readonly readAt: Date | null;
};

const ofUser = 'm.user_id = $1 and m.project_id = $2 and m.environment_id = $3';
// A mention that an older node has left behind has no note any more.
const withNote = `join thread_notes n on n.thread_note_id = m.thread_note_id and n.project_id = m.project_id
  and n.environment_id = m.environment_id`;

const readConditions = {
  unread: 'and m.read_at is null',
  read: 'and m.read_at is not null',
  any: '',
} as const;

const selectPage = (condition: string): string =>
  limitBytes(`
  select ${noteColumns}, m.mentioned_at as "mentionedAt", m.read_at as "readAt",
    t.participant ->> 'displayName' as "participantName"
  from note_mentions m ${withNote}
  left join threads t on t.thread_id = m.thread_id and t.project_id = m.project_id and t.environment_id = m.environment_id
  where ${ofUser} ${condition}
    and ($4::timestamptz is null or (m.mentioned_at, m.thread_note_id) < ($4, $5::text))
  order by m.mentioned_at desc, m.thread_note_id desc limit $6`);

/** A page of the user's mentions in the environment, newest first. */
export async function mentionPage(db: Queries, page: MentionPage): Promise<PageRows<Mention>> {
  const { userId, projectId, environmentId, unread, after, limit } = page;
  const name = unread === undefined ? 'any' : unread ? 'unread' : 'read';
  const at = after === undefined ? null : new Date(after.at);
  const values = [userId, projectId, environmentId, at, after?.threadNoteId ?? null, limit + 1];
  const text = selectPage(readConditions[name]);
  const found = await readPage<MentionRecord>(db, text, values, limit, `mentions.page.${name}`);
  return mapPage(found, ({ participantName, mentionedAt, readAt, ...note }) => ({
    note: toNote(note),
    environmentId,
    participantName,
    mentionedAt: mentionedAt.toISOString(),
    readAt: readAt?.toISOString() ?? null,
  }));
}

/** Whose those are that were not read, counted as far as queues count. Of parameters, the user first. */
export const countUnread = (user: string, project: string, environment: string): string => `
  select count(*)::int from (
    select from note_mentions m ${withNote}
    where m.user_id = ${user} and m.project_id = ${project} and m.environment_id = ${environment} and m.read_at is null
    limit ${maxQueueCount + 1}) u`;

export const toQueueCount = (count: number): QueueCount => ({
  count: Math.min(count, maxQueueCount),
  more: count > maxQueueCount,
});

const markRead = (condition: string): string => `
  update note_mentions m set read_at = $4
  where ${ofUser} and m.read_at is null and m.thread_note_id = any (array(
    select m.thread_note_id from note_mentions m where ${ofUser} and m.read_at is null ${condition}
    order by m.mentioned_at limit ${maxQueueCount}))`;
const markAll = markRead('');
const markThread = markRead('and m.thread_id = $5');
const countLeft = `select (${countUnread('$1', '$2', '$3')}) as count`;

/**
 * Those of the thread, or without one the oldest of the environment, are read from now on. Gives what is left.
 *
 * @param now epoch milliseconds
 */
export async function readMentions(
  db: Queries,
  { userId, projectId, environmentId }: Mentioned,
  threadId: string | undefined,
  now: number,
): Promise<QueueCount> {
  const tenant = [userId, projectId, environmentId];
  const values = [...tenant, new Date(now)];
  if (threadId === undefined) await db.query(markAll, values, 'mentions.read');
  else await db.query(markThread, [...values, threadId], 'mentions.read_thread');
  const [row] = await db.query<{ count: number }>(countLeft, tenant, 'mentions.unread');
  return toQueueCount(row?.count ?? 0);
}
