import { Migration } from '@mikro-orm/migrations';

/**
 * Chatapp channels: one number has one channel, the webhooks of the provider are kept before anything is made of them, and a partner app's
 * secret is good for a while after another has replaced it.
 */
export class Chatapp extends Migration {
  override up(): void {
    this.addSql(`alter table channels add phone_number_id text collate "C", add chatapp jsonb`);
    this.addSql(
      `create unique index channels_phone_number on channels (phone_number_id) where phone_number_id is not null`,
    );
    this.addSql(
      `alter table partner_apps add previous_app_secret text, add previous_app_secret_until timestamptz(3)`,
    );
    this.addSql(`create table chatapp_webhooks (
      request_id text collate "C" primary key,
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      channel_id text collate "C" not null,
      waba_id text collate "C" not null,
      phone_number_id text collate "C" not null,
      received_at timestamptz(3) not null,
      body bytea not null,
      attempts integer not null default 0,
      error text,
      thread_ids text[] not null default '{}',
      finished_at timestamptz(3)
    )`);
    this.addSql(
      `create index chatapp_webhooks_open on chatapp_webhooks (channel_id, request_id) where finished_at is null`,
    );
    this.addSql(`create index chatapp_webhooks_threads on chatapp_webhooks using gin (thread_ids)`);
    this.addSql(`create index chatapp_webhooks_received on chatapp_webhooks (received_at)`);
  }
}
