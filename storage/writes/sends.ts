/** Rows of `chatapp_sends`: see storage/chatapp/sends.ts. */
import { statement, type Write } from '../statements/index.ts';

const queue = statement(
  'chatapp_send.queue',
  42,
  {
    message_id: 'text',
    project_id: 'text',
    environment_id: 'text',
    channel_id: 'text',
    thread_id: 'text',
    sequence: 'bigint',
    at: 'timestamptz',
  },
  input => `
    insert into chatapp_sends (message_id, project_id, environment_id, channel_id, thread_id, sequence, status, created_at, next_at)
    select message_id, project_id, environment_id, channel_id, thread_id, sequence, 'queued', at, at from ${input}`,
);

export interface SendRow {
  readonly messageId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly channelId: string;
  readonly threadId: string;
  /** Of the message. */
  readonly sequence: number;
  /** ISO 8601. */
  readonly at: string;
}

/** The message has to leave for the chat provider. */
export function queueSend(row: SendRow): Write {
  const { messageId, projectId, environmentId, channelId, threadId, sequence, at } = row;
  return {
    statement: queue,
    values: [messageId, projectId, environmentId, channelId, threadId, sequence, at],
  };
}

const settle = statement(
  'chatapp_send.settle',
  43,
  { message_id: 'text', thread_id: 'text' },
  input => `
    delete from chatapp_sends s using ${input} where s.message_id = input.message_id and s.thread_id = input.thread_id`,
);

/** It is known what became of the message: nobody has to send it any more. */
export function settleSend({
  messageId,
  threadId,
}: {
  readonly messageId: string;
  readonly threadId: string;
}): Write {
  return { statement: settle, key: messageId, values: [messageId, threadId] };
}
