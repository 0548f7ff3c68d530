import { Migration } from '@mikro-orm/migrations';

/** When a webhook of the chat provider that has failed is retried, and how often an actor has refused it. */
export class WebhookRetries extends Migration {
  override up(): void {
    this.addSql(
      `alter table chatapp_open_webhooks add next_at timestamptz(3), add refusals integer not null default 0`,
    );
  }
}
