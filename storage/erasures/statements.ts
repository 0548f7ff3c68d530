/** What is emptied of a thread, table by table (erasures.ts). Each statement takes one piece and can be repeated. */

/** Rows of one statement. */
export const piece = 2_000;

/** A contact's id is the participant's name: the thread's id stands for it. */
const nameless = (actor: string, threadId: string): string => `
  case when ${actor} ->> 'type' = 'contact' then jsonb_build_object('type', 'contact', 'id', ${threadId}) else ${actor} end`;

/** A message, thread, note or run without what it tells of anybody; in its own shape. */
const emptied = (resource: string, threadId: string): string => `
  ${resource} || (
    select coalesce(jsonb_object_agg(name, value), '{}') from (values
      ('body', '""'::jsonb), ('attachments', '[]'), ('metadata', '{}'), ('externalMessageId', 'null'),
      ('externalRef', 'null'), ('tags', '[]'), ('customFields', '{}'), ('trace', '{"steps": []}'), ('errorMessage', 'null'),
      ('actor', ${nameless(`(${resource} -> 'actor')`, threadId)})
    ) blank (name, value) where ${resource} ? name)`;

/** `$1`: where the piece before ended; gives where this piece ends. `$2`: the thread, `$3`: the last number that is erased. */
export const emptyMessages = `
  with piece as materialized (
    select message_id, sequence from messages where thread_id = $2 and sequence > $1 and sequence <= $3 order by sequence limit ${piece}
  ), emptied as (
    update messages m set body = '', attachments = '[]', metadata = '{}', external_message_id = null,
      actor = ${nameless('m.actor', 'm.thread_id')}
    from piece where m.message_id = piece.message_id
  ), files as (
    update attachments a set status = 'erased', erased_at = coalesce(erased_at, now()), filename = '', metadata = '{}',
      provider_media_id = null
    from piece where a.thread_id = $2 and a.message_id = piece.message_id
  )
  select max(sequence) as last from piece`;

const data = `(e.body::jsonb -> 'data')`;
const within = (member: string): string => `
  case when ${data} ? '${member}'
    then jsonb_build_object('${member}', ${emptied(`(${data} -> '${member}')`, 'e.thread_id')}) else '{}' end`;

/** Of the data, what names no one: where it belongs, and the shapes of message, thread and note. */
const emptiedData = `
  jsonb_strip_nulls(jsonb_build_object('environmentId', ${data} -> 'environmentId', 'threadId', ${data} -> 'threadId',
    'channelId', ${data} -> 'channelId', 'sequence', ${data} -> 'sequence',
    'actor', ${nameless(`(${data} -> 'actor')`, 'e.thread_id')}))
  || ${within('message')} || ${within('thread')} || ${within('note')}
  || '{"erased": true}'`;

/** A later event of something older, which had been read before it was emptied: a receipt, a note's end, a run's. */
const isAboutOlder = `
  ((${data} #>> '{message,sequence}')::bigint <= $3 or exists (
    select from jsonb_each(${data}) part where part.key not in ('thread', 'message') and jsonb_typeof(part.value) = 'object'
      and (part.value ->> 'threadId') = e.thread_id and (part.value ->> 'createdAt')::timestamptz <= $4))`;

/**
 * As `emptyMessages`, by the events' numbers in their project. `$4`: when it was asked for, `$5`: when all that was under way then
 * has been written. The bodies of what receivers answered go with the events: an ordinary delivery's id follows from its event
 * and stitch, the others are found by an index.
 */
export const emptyEvents = `
  with piece as materialized (
    select project_id, environment_id, seq, occurred_at, event_id, event_name, sequence from events
    where thread_id = $2 and seq > $1 and (sequence <= $3 or occurred_at <= $5) order by seq limit ${piece}
  ), emptied as (
    update events e set body = '{"eventId":"' || e.event_id || '","eventName":"' || e.event_name
      || '","occurredAt":"' || (e.body::json ->> 'occurredAt') || '","apiVersion":"' || (e.body::json ->> 'apiVersion')
      || '","projectId":"' || e.project_id || '","data":' || (${emptiedData})::text || '}'
    from piece where e.project_id = piece.project_id and e.seq = piece.seq and e.occurred_at = piece.occurred_at
      and (piece.sequence <= $3 or ${isAboutOlder})
    returning e.project_id, e.environment_id, e.event_id, e.event_name
  ), commands as (
    delete from channel_commands c using emptied
    where emptied.event_name = 'channel.message.requested' and c.event_id = emptied.event_id
  ), deliveries as materialized (
    select skein_delivery_id(emptied.event_id, s.stitch_id) as delivery_id
    from emptied join stitches s on s.project_id = emptied.project_id and s.environment_id = emptied.environment_id
    union all
    select d.delivery_id from emptied join webhook_deliveries d on d.event_id = emptied.event_id and d.trigger <> 'scheduled'
  ), answers as (
    update webhook_attempts a set response_body = null, error = null from deliveries where a.delivery_id = deliveries.delivery_id
  )
  select max(seq) as last from piece`;

/** `$1`: the thread; here and below, `$2`: when it was asked for. */
export const dropNotes = `delete from thread_notes where thread_id = $1 and created_at <= $2`;

/**
 * Of runs that are over; `$3` and `$4`: project and environment. The version moves on: whoever still holds the run in memory cannot
 * write it down again.
 */
export const emptyRuns = `
  update agent_runs set trace = '{"steps": []}', metadata = '{}', error_message = null, version = version + 1,
    state = case when state ? 'turns' then state || '{"turns": []}' else state end
  where project_id = $3 and environment_id = $4 and thread_id = $1 and created_at <= $2
    and status in ('succeeded', 'failed', 'cancelled')
    and (trace not in ('{}', '{"steps": []}') or metadata <> '{}' or error_message is not null or state -> 'turns' <> '[]')`;

/**
 * What is answered again to a repeated request: a note, a thread, a run, in the shape that it had. An emptied answer is in the index
 * no more, since PostgreSQL writes its JSON with spaces. A message is read from its event.
 */
export const emptyAnswers = `
  with piece as materialized (
    select key_hash, body::jsonb as resource from idempotency_keys
    where body is not null and skein_thread_of(body) = $1 and (body::jsonb ->> 'createdAt')::timestamptz <= $2 limit ${piece}
  ), emptied as (
    update idempotency_keys k set body = (${emptied('piece.resource', '$1::text')})::text
    from piece where k.key_hash = piece.key_hash
  )
  select count(*)::int as count from piece`;

/** Work that failed for good, of the thread or about it: that it failed is kept. Few rows ever. */
export const emptyLetters = `
  update dead_letters set payload = '{}', error = 'erased'
  where name <> 'erase' and (kind = 'thread' and actor_id = $1 or strpos(payload::text, $1) > 0)`;
