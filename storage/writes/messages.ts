/** Rows of `messages`. */
import { type Statement, statement, type Write } from '../statements/index.ts';

const insert = statement(
  'message.insert',
  20,
  {
    message_id: 'text',
    project_id: 'text',
    environment_id: 'text',
    thread_id: 'text',
    channel_id: 'text',
    sequence: 'bigint',
    direction: 'text',
    body: 'text',
    external_message_id: 'text',
    status: 'text',
    attachments: 'jsonb',
    metadata: 'jsonb',
    actor: 'jsonb',
    created_at: 'timestamptz',
    details: 'jsonb',
  },
  input => `
    insert into messages (message_id, project_id, environment_id, thread_id, channel_id, sequence, direction, body,
      external_message_id, status, attachments, metadata, actor, created_at, updated_at, details)
    select message_id, project_id, environment_id, thread_id, channel_id, sequence, direction, body,
      external_message_id, status, coalesce(attachments, '[]'), coalesce(metadata, '{}'), actor, created_at, created_at, details
    from ${input}`,
);

export interface MessageRow {
  readonly messageId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly threadId: string;
  readonly channelId: string | null;
  /** The sequence of the event that brought the message. */
  readonly sequence: number;
  readonly direction: 'inbound' | 'outbound';
  readonly body: string;
  readonly externalMessageId: string | null;
  readonly status: 'queued' | 'sent' | 'delivered' | 'read' | 'failed' | null;
  /** JSON texts, each made once and used for the answer and the event, too. */
  readonly attachments: string;
  readonly metadata: string;
  readonly actor: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Its members that most messages have none of, as the text of a JSON object; null: it has none. */
  readonly details: string | null;
}

/** A new message. `external_message_id` and `(thread_id, sequence)` are unique: a second one makes the commit fail. */
export function insertMessage(row: MessageRow): Write {
  return {
    statement: insert,
    values: [
      row.messageId,
      row.projectId,
      row.environmentId,
      row.threadId,
      row.channelId,
      row.sequence,
      row.direction,
      row.body,
      row.externalMessageId,
      row.status,
      // Empty ones are constants of the statement, which are not parsed.
      row.attachments === '[]' ? null : row.attachments,
      row.metadata === '{}' ? null : row.metadata,
      row.actor,
      row.createdAt,
      row.details,
    ],
  };
}

// A status never moves backwards, and failed is final unless nobody knew the outcome, whatever the thread knew. The provider's id is set
// once, and the metadata is completed, whether the status moves or not.
const advances = `(case input.status
  when 'failed' then m.status is null or m.status in ('queued', 'sent')
  else (m.status is distinct from 'failed' or m.failure #>> '{details,outcome}' = 'unknown')
    and array_position(array['queued', 'sent', 'delivered', 'read'], input.status)
     > coalesce(array_position(array['queued', 'sent', 'delivered', 'read'], m.status), 0) end)`;

const statusColumns = {
  message_id: 'text',
  thread_id: 'text',
  status: 'text',
  external_message_id: 'text',
  failure: 'jsonb',
  metadata: 'jsonb',
  at: 'timestamptz',
} as const;

const updateRows = (rows: string): string => `
    update messages m set
      status = case when ${advances} then input.status else m.status end,
      failure = case when ${advances} then input.failure else m.failure end,
      metadata = case when input.metadata is null then m.metadata else m.metadata || input.metadata end,
      external_message_id = coalesce(m.external_message_id, input.external_message_id),
      updated_at = input.at
    from ${rows}
    where m.message_id = input.message_id and m.thread_id = input.thread_id
      and (${advances} or m.external_message_id is null and input.external_message_id is not null
        or input.metadata is not null)`;

// The index on the provider's ids refuses a whole batch and does not name the offender. Of two messages that claim one id here, the older one gets it.
const updateStatus: Statement = {
  ...statement('message.status', 30, statusColumns, updateRows),
  conflictAware: statement(
    'message.status_conflict_aware',
    30,
    statusColumns,
    input => `
    with rows as materialized (select * from ${input}), claims as materialized (
      select m.channel_id, m.message_id, r.external_message_id
      from rows r join messages m on m.message_id = r.message_id and m.thread_id = r.thread_id
      where m.external_message_id is null and r.external_message_id is not null
    ), free as materialized (
      select skein_fence('messages_external', array(
        select c.message_id || '/' || c.external_message_id from claims c
        where exists (select from messages o where o.channel_id = c.channel_id and o.external_message_id = c.external_message_id)
          or exists (select from claims o where o.channel_id = c.channel_id and o.external_message_id = c.external_message_id
            and o.message_id < c.message_id)))
    ) ${updateRows('rows as input cross join free')}`,
  ),
};

export interface MessageStatusRow {
  readonly messageId: string;
  readonly threadId: string;
  /** The new status; absent when only the provider's id became known. */
  readonly status?: 'queued' | 'sent' | 'delivered' | 'read' | 'failed';
  readonly externalMessageId?: string;
  /** Why it failed: the whole error. */
  readonly error?: object;
  /** Members that the metadata gets. */
  readonly metadata?: object;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Moves a message's status forward by its rank, or sets the provider's id; a move backwards changes nothing. An id that another message of
 * the channel has makes the commit fail with `Duplicate('messages_external', ...)`.
 */
export function updateMessageStatus(row: MessageStatusRow): Write {
  return {
    statement: updateStatus,
    key: row.messageId,
    ...(row.externalMessageId === undefined ? {} : { claim: `${row.messageId}/${row.externalMessageId}` }),
    values: [
      row.messageId,
      row.threadId,
      row.status,
      row.externalMessageId,
      row.error === undefined ? null : JSON.stringify(row.error),
      row.metadata === undefined ? null : JSON.stringify(row.metadata),
      row.at,
    ],
  };
}
