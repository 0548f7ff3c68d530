/** Rows of `chatapp_open_webhooks`: see storage/chatapp/inbox.ts. */
import { statement, type Write } from '../statements/index.ts';

const reopen = statement(
  'chatapp_webhook.reopen',
  51,
  { channel_id: 'text', request_id: 'text' },
  input => `
    insert into chatapp_open_webhooks (channel_id, request_id, bytes)
    select w.channel_id, w.request_id, octet_length(w.body)
    from ${input} join chatapp_webhooks w on w.request_id = input.request_id and w.channel_id = input.channel_id
    on conflict do nothing`,
);

/** Opens a webhook that was given up. No-op if it was erased meanwhile. */
export function reopenWebhook(channelId: string, requestId: string): Write {
  return { statement: reopen, values: [channelId, requestId] };
}
