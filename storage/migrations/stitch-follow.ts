/**
 * What a stitch follows stands in its row, whoever writes it: a node from before spans changes the row alone, and what it says is put into
 * `stitch_spans` by a trigger, in the same transaction and before its events are numbered. A node from now on says it itself afterwards, since
 * it knows more: how far the stitch is, and what is in flight.
 */
export const followByRow: readonly string[] = [
  // As 0036-followed-log, and after the trigger: spans that it has cancelled in this transaction have the instant of the change. `started`
  // is null where the trigger calls.
  `create or replace function skein_follow(followed text, wanted text[], settled bigint, started text[], at timestamptz)
    returns void language plpgsql volatile as $$
    declare s stitches; head bigint;
    begin
      select * into strict s from stitches where stitch_id = followed;
      update project_streams set subscriptions = subscriptions + 1 where project_id = s.project_id returning last_seq into strict head;
      delete from stitch_spans where stitch_id = followed and upto_seq <= settled
        and (cancelled_at is null or (started is not null and cancelled_at = at and in_flight = '{}'));
      if wanted is null then
        if started is not null then
          update stitch_spans set in_flight = started, after_seq = case when cancelled_at = at then greatest(after_seq, settled) else after_seq end
            where stitch_id = followed and cancelled_at is not null and (in_flight <> '{}' or cancelled_at = at);
        end if;
        delete from stitch_spans where stitch_id = followed and cancelled_at is null
          and greatest(after_seq, settled) >= coalesce(upto_seq, head);
        update stitch_spans set after_seq = greatest(after_seq, settled), upto_seq = coalesce(upto_seq, head), cancelled_at = at,
          in_flight = coalesce(started, '{}') where stitch_id = followed and cancelled_at is null;
      elsif not exists (select from stitch_spans where stitch_id = followed and upto_seq is null and event_names = wanted) then
        delete from stitch_spans where stitch_id = followed and upto_seq is null and after_seq >= head;
        update stitch_spans set upto_seq = head where stitch_id = followed and upto_seq is null;
        insert into stitch_spans (stitch_id, after_seq, project_id, environment_id, event_names)
          values (followed, head, s.project_id, s.environment_id, wanted);
      end if;
    end
    $$`,
  // What a stitch with that row accepts: names and patterns, empty for all; null: nothing.
  `create or replace function skein_wanted(s stitches) returns text[] language sql immutable parallel safe as $$
    select case when s.archived_at is null and s.status <> 'disabled' and s.webhook_url is not null then s.event_names end
    $$`,
  // A stitch whose project has no log yet has nothing to follow.
  `create or replace function skein_follow_row() returns trigger language plpgsql as $$
    begin
      if exists (select from project_streams where project_id = new.project_id)
        and (skein_wanted(new) is not null or exists (select from stitch_spans where stitch_id = new.stitch_id and cancelled_at is null))
      then
        perform skein_follow(new.stitch_id, skein_wanted(new), new.settled_seq, null, new.updated_at);
      end if;
      return null;
    end
    $$`,
  `create or replace trigger stitches_made after insert on stitches for each row execute function skein_follow_row()`,
  `create or replace trigger stitches_changed after update on stitches for each row
    when (skein_wanted(old) is distinct from skein_wanted(new)) execute function skein_follow_row()`,
];
