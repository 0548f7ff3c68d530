/** Rows of `chatapp_files`: see storage/chatapp/files.ts. */
import { statement, type Write } from '../statements/index.ts';

const insert = statement(
  'chatapp_file.await',
  48,
  {
    attachment_id: 'text',
    project_id: 'text',
    environment_id: 'text',
    channel_id: 'text',
    thread_id: 'text',
    message_id: 'text',
    provider_media_id: 'text',
    mime_type: 'text',
    filename: 'text',
    sha256: 'text',
    at: 'timestamptz',
  },
  input => `
    insert into chatapp_files (attachment_id, project_id, environment_id, channel_id, thread_id, message_id, provider_media_id, mime_type,
      filename, sha256, created_at, next_at)
    select attachment_id, project_id, environment_id, channel_id, thread_id, message_id, provider_media_id, mime_type, filename, sha256,
      at, at from ${input}`,
);

export interface AwaitedFileRow {
  readonly attachmentId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly channelId: string;
  readonly threadId: string;
  readonly messageId: string;
  readonly providerMediaId: string;
  readonly mimeType: string;
  readonly filename: string | null;
  /** Of its bytes, as the provider tells it. */
  readonly sha256: string | null;
  /** ISO 8601. */
  readonly at: string;
}

/** The message has a file that the chat provider has, and that has to be fetched. */
export function awaitFile(row: AwaitedFileRow): Write {
  return {
    statement: insert,
    values: [
      row.attachmentId,
      row.projectId,
      row.environmentId,
      row.channelId,
      row.threadId,
      row.messageId,
      row.providerMediaId,
      row.mimeType,
      row.filename,
      row.sha256,
      row.at,
    ],
  };
}

// A message that was erased meanwhile gets nothing back.
const settle = statement(
  'chatapp_file.settle',
  49,
  {
    attachment_id: 'text',
    message_id: 'text',
    thread_id: 'text',
    attachments: 'jsonb',
    at: 'timestamptz',
  },
  input => `
    with rows as materialized (select * from ${input}), settled as (
      delete from chatapp_files f using rows r where f.attachment_id = r.attachment_id and f.thread_id = r.thread_id
    )
    update messages m set attachments = r.attachments, updated_at = r.at
    from rows r where m.message_id = r.message_id and m.thread_id = r.thread_id and r.attachments is not null`,
);

export interface SettledFileRow {
  readonly attachmentId: string;
  readonly messageId: string;
  readonly threadId: string;
  /** Those of the message from now on; absent: it was erased, and has none. */
  readonly attachments?: readonly object[];
  /** ISO 8601. */
  readonly at: string;
}

/** It is known what became of a file: nobody has to fetch it any more. */
export function settleFile({ attachmentId, messageId, threadId, attachments, at }: SettledFileRow): Write {
  const text = attachments === undefined ? null : JSON.stringify(attachments);
  return { statement: settle, key: attachmentId, values: [attachmentId, messageId, threadId, text, at] };
}
