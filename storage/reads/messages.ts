/** Reads of messages. Every statement names the project and the environment: what lies outside reads as absent. */
import { limitBytes, mapPage, readPage, type PageRows } from '../paging/index.ts';
import type { Message, MessageError } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import type { ThreadKey } from './threads.ts';

/** Every stored message has its number. */
export type StoredMessage = Message & { readonly sequence: number };

interface MessageRecord extends Omit<StoredMessage, 'createdAt' | 'error'> {
  readonly createdAt: Date;
  readonly details: Partial<Message> | null;
  readonly failure: MessageError | null;
}

// In the order of the message's text, so that an answer and a later reading of it look alike. Nodes of 0.1 have written messages without a
// channel as queued, which nothing ever moves.
const columns = `
  m.message_id as "messageId", m.thread_id as "threadId", m.project_id as "projectId", m.environment_id as "environmentId",
  m.channel_id as "channelId", m.sequence, m.direction, m.body, m.external_message_id as "externalMessageId",
  case when m.channel_id is not null then m.status end as status,
  m.attachments, m.metadata, m.actor, m.created_at as "createdAt", m.details, m.failure`;

function toMessage(record: MessageRecord): StoredMessage {
  const { details, failure, ...plain } = record;
  return {
    ...plain,
    createdAt: record.createdAt.toISOString(),
    ...details,
    ...(failure === null ? {} : { error: failure }),
  };
}

export interface MessagePage extends ThreadKey {
  readonly order: 'asc' | 'desc';
  /** Exclusive; a filter, whatever the order. */
  readonly afterSequence: number | undefined;
  /** Exclusive, too. */
  readonly beforeSequence?: number | undefined;
  /** Where the previous page ended. */
  readonly cursor: number | undefined;
  readonly limit: number;
}

const selectPage = (order: 'asc' | 'desc'): string =>
  limitBytes(`
  select ${columns} from messages m
  where m.thread_id = $1 and m.project_id = $2 and m.environment_id = $3
    and m.sequence > $4 and m.sequence < coalesce($5::bigint, 9223372036854775807)
  order by m.sequence ${order} limit $6`);

const pages = { asc: selectPage('asc'), desc: selectPage('desc') };

/** A page of a thread's messages by sequence; empty also where there is no such thread. */
export async function messagePage(db: Queries, page: MessagePage): Promise<PageRows<StoredMessage>> {
  const { threadId, projectId, environmentId, order, cursor, limit } = page;
  const { afterSequence = 0, beforeSequence = null } = page;
  const [after, before] =
    order === 'asc'
      ? [Math.max(afterSequence, cursor ?? 0), beforeSequence]
      : [afterSequence, cursor === undefined ? beforeSequence : Math.min(beforeSequence ?? cursor, cursor)];
  const values = [threadId, projectId, environmentId, after, before, limit + 1];
  const name = `messages.page.${order}`;
  return mapPage(await readPage<MessageRecord>(db, pages[order], values, limit, name), toMessage);
}

const selectMessage = `
  select ${columns} from messages m
  where m.message_id = $1 and m.thread_id = $2 and m.project_id = $3 and m.environment_id = $4`;

/** Undefined where that thread of that environment has no such message. */
export async function findMessage(
  db: Queries,
  key: ThreadKey & { readonly messageId: string },
): Promise<StoredMessage | undefined> {
  const { messageId, threadId, projectId, environmentId } = key;
  const values = [messageId, threadId, projectId, environmentId];
  const [row] = await db.query<MessageRecord>(selectMessage, values, 'messages.find');
  return row === undefined ? undefined : toMessage(row);
}

/** One of the two ids; of both, messages that have both. */
export interface MessageSearch extends TenantScope {
  readonly messageId: string | undefined;
  readonly externalMessageId: string | undefined;
  /** The last message of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
}

// A provider's id is indexed with its channel, so each channel of the environment is asked for its own.
const selectByTheirs = limitBytes(`
  select ${columns} from channels c join messages m on m.channel_id = c.channel_id and m.external_message_id = $3
  where c.project_id = $1 and c.environment_id = $2 and m.project_id = $1 and m.environment_id = $2
    and m.message_id > $4 order by m.message_id limit $5`);

const selectByOurs = limitBytes(`
  select ${columns} from messages m
  where m.message_id = $3 and m.project_id = $1 and m.environment_id = $2 and m.message_id > $4
    and ($6::text is null or m.external_message_id = $6) limit $5`);

/** Messages of the environment, by our ids. */
export async function findMessages(db: Queries, search: MessageSearch): Promise<PageRows<StoredMessage>> {
  const { projectId, environmentId, messageId, externalMessageId, after = '', limit } = search;
  const tenant = [projectId, environmentId];
  const page =
    messageId === undefined
      ? await readPage<MessageRecord>(
          db,
          selectByTheirs,
          [...tenant, externalMessageId, after, limit + 1],
          limit,
          'messages.find.theirs',
        )
      : await readPage<MessageRecord>(
          db,
          selectByOurs,
          [...tenant, messageId, after, limit + 1, externalMessageId ?? null],
          limit,
          'messages.find.ours',
        );
  return mapPage(page, toMessage);
}

/** Which message a receipt is about: by our id, or by the provider's. */
export interface ReceiptKey {
  readonly projectId: string;
  readonly environmentId: string;
  readonly channelId: string;
  readonly messageId?: string;
  readonly externalMessageId?: string;
}

/** A message, and the sequence of its thread at the same instant. */
export interface MessageWithSequence {
  readonly message: Message;
  readonly asOf: number;
  /** Another message of the channel has the key's `externalMessageId`. */
  readonly isExternalIdTaken: boolean;
}

// One statement, so that the message and the thread's sequence are of one instant: see actors/thread/recent-changes.ts.
const selectWithSequence = (by: string): string => `
  select ${columns}, (t.state ->> 'sequence')::bigint as "asOf", exists (
    select from messages o where o.channel_id = m.channel_id and o.external_message_id = $5 and o.message_id <> m.message_id
      and o.project_id = m.project_id and o.environment_id = m.environment_id) as "isExternalIdTaken"
  from messages m join threads t on t.thread_id = m.thread_id and t.project_id = m.project_id and t.environment_id = m.environment_id
  where m.${by} = $1 and m.channel_id = $2 and m.project_id = $3 and m.environment_id = $4`;

const asOfStatements = {
  ours: selectWithSequence('message_id'),
  theirs: selectWithSequence('external_message_id'),
};

/** By `messageId` where it is given, else by `externalMessageId`. */
export async function findMessageWithSequence(
  db: Queries,
  key: ReceiptKey,
): Promise<MessageWithSequence | undefined> {
  const { messageId, externalMessageId, channelId, projectId, environmentId } = key;
  const by = messageId === undefined ? 'theirs' : 'ours';
  const values = [messageId ?? externalMessageId, channelId, projectId, environmentId, externalMessageId];
  const [row] = await db.query<MessageRecord & Omit<MessageWithSequence, 'message'>>(
    asOfStatements[by],
    values,
    `messages.as_of.${by}`,
  );
  if (row === undefined) return undefined;
  const { asOf, isExternalIdTaken, ...record } = row;
  return { message: toMessage(record), asOf, isExternalIdTaken };
}

const selectManyWithSequence = `
  with asked as materialized (select unnest($1::text[]) as message_id, unnest($2::text[]) as external_id), found as (
    select a.message_id as named, a.external_id, m.* from asked a join messages m on m.message_id = a.message_id
    union all
    select a.message_id, a.external_id, m.* from asked a
    join messages m on m.channel_id = $3 and m.external_message_id = a.external_id where a.message_id is null
  )
  select ${columns}, m.external_id as "askedFor", (t.state ->> 'sequence')::bigint as "asOf", exists (
    select from messages o where o.channel_id = m.channel_id and o.external_message_id = m.external_id and o.message_id <> m.message_id
      and o.project_id = m.project_id and o.environment_id = m.environment_id) as "isExternalIdTaken"
  from found m join threads t on t.thread_id = m.thread_id and t.project_id = m.project_id and t.environment_id = m.environment_id
  where m.channel_id = $3 and m.project_id = $4 and m.environment_id = $5`;

/** Of reports on many messages: each by `messageId` where it is given, else by `externalMessageId`. */
export interface ReceiptKeys extends Omit<ReceiptKey, 'messageId' | 'externalMessageId'> {
  readonly messages: readonly {
    readonly messageId: string | undefined;
    readonly externalMessageId: string;
  }[];
}

/** Those that there are, by the provider's ids that were asked for. */
export async function findMessagesWithSequence(
  db: Queries,
  { projectId, environmentId, channelId, messages }: ReceiptKeys,
): Promise<ReadonlyMap<string, MessageWithSequence>> {
  const rows = await db.query<MessageRecord & Omit<MessageWithSequence, 'message'> & { askedFor: string }>(
    selectManyWithSequence,
    [
      messages.map(({ messageId }) => messageId ?? null),
      messages.map(({ externalMessageId }) => externalMessageId),
      channelId,
      projectId,
      environmentId,
    ],
    'messages.as_of.many',
  );
  return new Map(
    rows.map(({ asOf, isExternalIdTaken, askedFor, ...record }) => [
      askedFor,
      { message: toMessage(record), asOf, isExternalIdTaken },
    ]),
  );
}

// A parked receipt belongs to the tenant of its channel.
const selectParked = `
  select p.payload
  from channels c join parked_receipts p on p.channel_id = c.channel_id
  where c.channel_id = $1 and c.project_id = $3 and c.environment_id = $4
    and p.external_message_id = $2 and p.expires_at > now() order by p.occurred_at`;

/** The receipts that were parked for a message with this provider's id, each as its payload. */
export async function parkedReceipts<Payload>(
  db: Queries,
  {
    channelId,
    externalMessageId,
    projectId,
    environmentId,
  }: ReceiptKey & { readonly externalMessageId: string },
): Promise<Payload[]> {
  const values = [channelId, externalMessageId, projectId, environmentId];
  const rows = await db.query<{ payload: Payload }>(selectParked, values, 'receipts.parked');
  return rows.map(row => row.payload);
}
