import { Migration } from '@mikro-orm/migrations';

/**
 * Webhooks of the chat provider are written once: those that are still to be worked through have a row of a table of their own.
 */
export class ChatappWebhookQueue extends Migration {
  override up(): void {
    this.addSql(`create table chatapp_open_webhooks (
      channel_id text collate "C" not null,
      request_id text collate "C" not null,
      bytes integer not null,
      attempts integer not null default 0,
      primary key (channel_id, request_id)
    )`);
    this.addSql(`insert into chatapp_open_webhooks (channel_id, request_id, bytes, attempts)
      select channel_id, request_id, octet_length(body), attempts from chatapp_webhooks where finished_at is null`);
    this.addSql(`drop index chatapp_webhooks_received`);
    this.addSql(`alter table chatapp_webhooks drop attempts, drop finished_at`);
    this.addSql(`create index chatapp_webhooks_received on chatapp_webhooks using brin (received_at)`);
  }
}
