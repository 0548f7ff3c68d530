import { Migration } from '@mikro-orm/migrations';
import { followByRow } from './stitch-follow.ts';

/**
 * Spans follow the rows of stitches, also where 0039-log-takeover has run without that. A stitch that a node of an earlier version has changed
 * since then follows the log from here on: nothing says at which event it was changed.
 */
export class FollowedRows extends Migration {
  override up(): void {
    for (const statement of followByRow) this.addSql(statement);
    this.addSql(`do $$ begin
      perform skein_follow(changed.stitch_id, changed.wanted, changed.settled_seq, null, now())
      from (
        select s.stitch_id, skein_wanted(s) as wanted, s.settled_seq
        from stitches s join project_streams p on p.project_id = s.project_id
        where skein_wanted(s) is distinct from (
          select event_names from stitch_spans where stitch_id = s.stitch_id and upto_seq is null and cancelled_at is null)
        order by s.project_id
      ) changed;
    end $$`);
  }
}
