import { Migration } from '@mikro-orm/migrations';

/** What became of each channel's connection, from now on: events are kept for 30 days, and do not say why. */
export class ChannelChanges extends Migration {
  override up(): void {
    this.addSql(`create table channel_changes (
      channel_id text collate "C" not null,
      event_id text collate "C" not null,
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      event_name text collate "C" not null,
      status text not null,
      previous_status text,
      error jsonb,
      token_expires_at timestamptz(3),
      actor jsonb not null,
      occurred_at timestamptz(3) not null,
      primary key (channel_id, event_id)
    )`);
    this.addSql(`create index channel_changes_occurred on channel_changes (occurred_at)`);
  }
}
