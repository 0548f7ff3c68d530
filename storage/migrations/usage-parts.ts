import { Migration } from '@mikro-orm/migrations';

/** Usage of each channel, and what stitches have delivered, on each day of UTC. */
export class UsageParts extends Migration {
  override up(): void {
    this.addSql(`create table usage_channel_days (
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      day date not null,
      channel_id text collate "C" not null,
      messages_inbound bigint not null default 0,
      messages_outbound bigint not null default 0,
      primary key (project_id, environment_id, day, channel_id)
    )`);
    this.addSql(`alter table usage_days
      add column deliveries bigint not null default 0, add column delivery_attempts bigint not null default 0`);
  }
}
