/** Rows of `messages`. */
import { statement, type Write } from '../statements/index.ts';

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
  },
  input => `
    insert into messages (message_id, project_id, environment_id, thread_id, channel_id, sequence, direction, body,
      external_message_id, status, attachments, metadata, actor, created_at, updated_at)
    select message_id, project_id, environment_id, thread_id, channel_id, sequence, direction, body,
      external_message_id, status, coalesce(attachments, '[]'), coalesce(metadata, '{}'), actor, created_at, created_at
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
    ],
  };
}

// A status never moves backwards, and failed is final, whatever the thread knew. The provider's id is set once, whether the status moves or
// not.
const advances = `(m.status is distinct from 'failed' and case input.status
  when 'failed' then m.status is null or m.status in ('queued', 'sent')
  else array_position(array['queued', 'sent', 'delivered', 'read'], input.status)
     > coalesce(array_position(array['queued', 'sent', 'delivered', 'read'], m.status), 0) end)`;

const updateStatus = statement(
  'message.status',
  30,
  {
    message_id: 'text',
    thread_id: 'text',
    status: 'text',
    external_message_id: 'text',
    at: 'timestamptz',
  },
  input => `
    update messages m set
      status = case when ${advances} then input.status else m.status end,
      external_message_id = coalesce(m.external_message_id, input.external_message_id),
      updated_at = input.at
    from ${input}
    where m.message_id = input.message_id and m.thread_id = input.thread_id
      and (${advances} or m.external_message_id is null and input.external_message_id is not null)`,
);

export interface MessageStatusRow {
  readonly messageId: string;
  readonly threadId: string;
  /** The new status; absent when only the provider's id became known. */
  readonly status?: 'queued' | 'sent' | 'delivered' | 'read' | 'failed';
  readonly externalMessageId?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Moves a message's status forward by its rank, or sets the provider's id; a move backwards changes nothing. */
export function updateMessageStatus(row: MessageStatusRow): Write {
  return {
    statement: updateStatus,
    key: row.messageId,
    values: [row.messageId, row.threadId, row.status, row.externalMessageId, row.at],
  };
}
