/** Rows of `messages`. */
import type { Statement, Write } from '../statement.ts';

const insert: Statement = {
  name: 'message.insert',
  order: 20,
  text: `
    insert into messages (message_id, project_id, environment_id, thread_id, channel_id, sequence, direction, body,
      external_message_id, status, attachments, metadata, actor, created_at, updated_at)
    select "messageId", "projectId", "environmentId", "threadId", "channelId", sequence, direction, body,
      "externalMessageId", status, attachments, metadata, actor, "createdAt", "createdAt"
    from json_to_recordset($1::json) as r("messageId" text, "projectId" text, "environmentId" text, "threadId" text,
      "channelId" text, sequence bigint, direction text, body text, "externalMessageId" text, status text,
      attachments jsonb, metadata jsonb, actor jsonb, "createdAt" timestamptz)`,
};

/**
 * @param json the message's JSON as REST shows it (specification, "Message"), with environmentId, channelId, sequence and
 * actor; the text is used as it stands.
 */
export function insertMessage(json: string): Write {
  return { statement: insert, row: json };
}

// The rank guard makes a receipt for a message that its thread no longer holds in memory safe: never backwards, failed is final.
const updateStatus: Statement = {
  name: 'message.status',
  order: 30,
  text: `
    update messages m set
      status = case when r.status is null then m.status else r.status end,
      external_message_id = coalesce(m.external_message_id, r."externalMessageId"),
      updated_at = r.at
    from json_to_recordset($1::json) as r("messageId" text, "threadId" text, status text, "externalMessageId" text, at timestamptz)
    where m.message_id = r."messageId" and m.thread_id = r."threadId"
      and (r.status is null or (m.status is distinct from 'failed' and case r.status
        when 'failed' then m.status is null or m.status in ('queued', 'sent')
        else array_position(array['queued', 'sent', 'delivered', 'read'], r.status)
           > coalesce(array_position(array['queued', 'sent', 'delivered', 'read'], m.status), 0) end))`,
};

export interface MessageStatusRow {
  readonly messageId: string;
  readonly threadId: string;
  /** The new status; absent when only the provider's id became known. */
  readonly status?: 'queued' | 'sent' | 'delivered' | 'read' | 'failed';
  readonly externalMessageId?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Moves a message's status forward by rank, or notes the provider's id; a move backwards changes nothing. */
export function updateMessageStatus(row: MessageStatusRow): Write {
  return { statement: updateStatus, row: JSON.stringify(row), key: row.messageId };
}
