import { Migration } from '@mikro-orm/migrations';

/** The server that the log is on: a failover to a standby that lags behind takes the log back (storage/database/timeline.ts). */
export class LogGeneration extends Migration {
  override up(): void {
    this.addSql(`create table log_generation (
      id int primary key,
      generation int not null,
      system text collate "C" not null,
      timeline bigint not null,
      changed_at timestamptz(3) not null
    )`);
  }
}
