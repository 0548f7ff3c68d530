/** Rows of `attachments`, as messages take them. */
import { statement, type Write } from '../statements/index.ts';

const take = statement(
  'attachment.take',
  24,
  {
    attachment_id: 'text',
    project_id: 'text',
    environment_id: 'text',
    thread_id: 'text',
    message_id: 'text',
  },
  input => `
    with rows as materialized (select * from ${input}), written as (
      update attachments a set thread_id = r.thread_id, message_id = r.message_id
      from rows r where a.attachment_id = r.attachment_id and a.project_id = r.project_id
        and a.environment_id = r.environment_id and a.status = 'stored' and a.message_id is null
      returning a.attachment_id
    )
    select skein_fence('attachment', array(select attachment_id from rows except select attachment_id from written))`,
);

export interface TakenAttachment {
  readonly attachmentId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly threadId: string;
  readonly messageId: string;
}

/** A file that is not stored, or that another message has taken, makes the commit fail with `Duplicate('attachment', attachmentId)`. */
export function takeAttachment(row: TakenAttachment): Write {
  return {
    statement: take,
    key: row.attachmentId,
    unique: true,
    values: [row.attachmentId, row.projectId, row.environmentId, row.threadId, row.messageId],
  };
}
