import { Migration } from '@mikro-orm/migrations';

/** What stitches follow of the log, and how far they are (docs/decisions/0028-log-as-outbox.md). Nobody reads it before 0039-log-takeover. */
export class FollowedLog extends Migration {
  override up(): void {
    this.addSql(`alter table stitches add column settled_seq bigint not null default 0`);
    this.addSql(`create table stitch_spans (
      stitch_id text collate "C" not null,
      after_seq bigint not null,
      upto_seq bigint,
      project_id text collate "C" not null,
      environment_id text collate "C" not null,
      event_names text[] not null default '{}',
      cancelled_at timestamptz(3),
      in_flight text[] not null default '{}',
      primary key (stitch_id, after_seq)
    )`);
    this.addSql(`create index stitch_spans_project on stitch_spans (project_id)`);
    this.addSql(
      `create index stitch_spans_cancelled on stitch_spans (cancelled_at) where cancelled_at is not null`,
    );
    this.addSql(`create index stitch_spans_in_flight on stitch_spans (stitch_id) where in_flight <> '{}'`);

    // Called in the commit that has changed the stitch, before its events are appended. `wanted`: null when it accepts nothing any more;
    // `settled`: the stitch has settled or recorded everything up to there; `started`: deliveries whose requests are out.
    this.addSql(`create function skein_follow(followed text, wanted text[], settled bigint, started text[], at timestamptz)
      returns void language plpgsql volatile as $$
      declare s stitches; head bigint;
      begin
        select * into strict s from stitches where stitch_id = followed;
        update project_streams set subscriptions = subscriptions + 1 where project_id = s.project_id returning last_seq into strict head;
        delete from stitch_spans where stitch_id = followed and cancelled_at is null and upto_seq <= settled;
        if wanted is null then
          update stitch_spans set in_flight = started where stitch_id = followed and cancelled_at is not null and in_flight <> '{}';
          delete from stitch_spans where stitch_id = followed and cancelled_at is null
            and greatest(after_seq, settled) >= coalesce(upto_seq, head);
          update stitch_spans set after_seq = greatest(after_seq, settled), upto_seq = coalesce(upto_seq, head), cancelled_at = at,
            in_flight = started where stitch_id = followed and cancelled_at is null;
        elsif not exists (select from stitch_spans where stitch_id = followed and upto_seq is null and event_names = wanted) then
          delete from stitch_spans where stitch_id = followed and upto_seq is null and after_seq >= head;
          update stitch_spans set upto_seq = head where stitch_id = followed and upto_seq is null;
          insert into stitch_spans (stitch_id, after_seq, project_id, environment_id, event_names)
            values (followed, head, s.project_id, s.environment_id, wanted);
        end if;
      end
      $$`);
  }
}
