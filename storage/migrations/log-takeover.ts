import { Migration } from '@mikro-orm/migrations';
import { followByRow } from './stitch-follow.ts';

/**
 * From here on stitches follow the log: the commit of an event writes no deliveries any more (docs/decisions/0028-log-as-outbox.md).
 *
 * Nodes from before go on to insert a pending row for each stitch. The table refuses such rows silently: the log has the event, and nodes
 * from now on deliver it. Rows that are there stay, and are delivered before what follows them. The triggers are made first: they wait for the
 * commits that are writing such rows, so that the numbers that are read afterwards divide rows and log exactly. The triggers on `stitches` come
 * before the one on deliveries, as commits write them.
 */
export class LogTakeover extends Migration {
  override up(): void {
    for (const statement of followByRow) this.addSql(statement);
    this.addSql(
      `create function skein_refuse_row() returns trigger language plpgsql as $$ begin return null; end $$`,
    );
    this.addSql(`create trigger webhook_deliveries_followed before insert on webhook_deliveries for each row
      when (new.status = 'pending' and new.trigger = 'scheduled') execute function skein_refuse_row()`);
    this.addSql(`insert into stitch_spans (stitch_id, after_seq, project_id, environment_id, event_names)
      select s.stitch_id, p.last_seq, s.project_id, s.environment_id, s.event_names
      from stitches s join project_streams p on p.project_id = s.project_id
      where skein_wanted(s) is not null`);
  }
}
