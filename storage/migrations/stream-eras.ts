import { Migration } from '@mikro-orm/migrations';

/**
 * While a long snapshot is open, the server keeps every version of a project's row, and who looks for the newest reads them all. The era grows
 * with some of the versions, so that the index leads to the newest few.
 */
export class StreamEras extends Migration {
  override up(): void {
    this.addSql(`alter table project_streams add column era bigint not null default 0`);
    this.addSql(`create unique index project_streams_newest on project_streams (project_id, era)`);
  }
}

/** In place of the key, whose uniqueness would be checked against every version of the row. */
export class StreamKeys extends Migration {
  override up(): void {
    this.addSql(`alter table project_streams drop constraint project_streams_pkey,
      add constraint project_streams_pkey primary key using index project_streams_newest`);
  }
}
