/** First migration: functions that commits call. */
export const functions: readonly string[] = [
  /**
   * Refuses a commit from inside its statement: SQLSTATE SK001, and a DETAIL that names the check and the offenders as
   * JSON `{scope, keys}`. Nothing happens when there is no offender.
   */
  `create function skein_fence(scope text, keys text[]) returns void language plpgsql as $$
  begin
    if cardinality(keys) > 0 then
      raise exception 'commit refused: %', scope
        using errcode = 'SK001', detail = json_build_object('scope', scope, 'keys', keys)::text;
    end if;
  end
  $$`,

  /**
   * The id of the delivery of an event to a stitch: always the same, so that a commit repeated after a lost connection
   * cannot deliver twice. It has the form of every id (protocol/ids.ts): the event's ten characters of time, so that it
   * sorts by creation, the version and variant characters of a UUIDv7, and 56 bits of a hash of the pair. One expression
   * without FROM, because the planner puts only such a function in place of its call.
   */
  `create function skein_delivery_id(event_id text, stitch_id text) returns text
    language sql immutable strict parallel safe as $$
    select 'whd_' || substr(event_id, 5, 10)
      || 'e' || substr(md5(event_id || '/' || stitch_id), 1, 2)
      || 'a' || substr(md5(event_id || '/' || stitch_id), 3, 12)
  $$`,
];
