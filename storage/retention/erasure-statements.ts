/**
 * The statements that erase a thread, table by table (erasures.ts). Each takes one batch and can be repeated: it says where it ended, or in
 * `isMore` whether its batch was full, as it was found: of two nodes that are at one batch, neither takes the other's work for the end.
 */
import { isNamed } from '../search/index.ts';

/** Rows of one statement. */
const batchRows = 2_000;
/** Runs of one statement: a trace may be megabytes. */
const batchRuns = 500;

/** A contact's id names the participant: the thread's id replaces it. */
const withoutName = (actor: string, threadId: string): string => `
  case when ${actor} ->> 'type' = 'contact' then jsonb_build_object('type', 'contact', 'id', ${threadId}) else ${actor} end`;

/** A message, thread, note or run in its own shape, without what it says of anybody. */
const emptied = (resource: string, threadId: string): string => `
  ${resource} - '{content,replyTo,referral,error,freeEntry,discardReason}'::text[] || (
    select coalesce(jsonb_object_agg(name, value), '{}') from (values
      ('body', '""'::jsonb), ('attachments', '[]'), ('metadata', '{}'), ('externalMessageId', 'null'),
      ('externalRef', 'null'), ('participant', 'null'), ('sentBody', '""'), ('tags', '[]'), ('customFields', '{}'), ('trace', '{"steps": []}'), ('errorMessage', 'null'),
      ('actor', ${withoutName(`(${resource} -> 'actor')`, threadId)})
    ) blank (name, value) where ${resource} ? name)`;

const selectMessages = `
    select message_id, sequence, direction, channel_id, external_message_id from messages
    where thread_id = $2 and project_id = $3 and environment_id = $4 and sequence > $1 and sequence <= $5
    order by sequence limit ${batchRows}`;

/** The provider's ids of the inbound messages that `emptyMessages` takes next. Parameters: its first five. */
export const selectExternalIds = `
  select channel_id as "channelId", external_message_id as "externalMessageId" from (${selectMessages}) batch
  where direction = 'inbound' and external_message_id is not null`;

/**
 * `$1`: where the previous batch ended; gives where this one ends. `$2`: the thread, `$3` and `$4`: its project and environment, `$5`: the
 * last sequence that is erased. `$6` and `$7`: channels and hashes by which the erased messages are recognised from then on, `$8`: now.
 */
export const emptyMessages = `
  with batch as materialized (${selectMessages}
  ), known as (
    insert into erased_messages (channel_id, id_hash, project_id, environment_id, erased_at)
    select channel_id, id_hash, $3, $4, $8 from unnest($6::text[], $7::bytea[]) as erased(channel_id, id_hash)
    on conflict do nothing
  ), emptied as (
    update messages m set body = '', attachments = '[]', metadata = '{}', external_message_id = null, details = null, failure = null,
      actor = ${withoutName('m.actor', 'm.thread_id')}
    from batch where m.message_id = batch.message_id
  ), files as (
    update attachments a set status = 'erased', erased_at = coalesce(erased_at, now()), filename = '', metadata = '{}',
      provider_media_id = null
    from batch where a.thread_id = $2 and a.project_id = $3 and a.environment_id = $4 and a.message_id = batch.message_id
  )
  select max(sequence) as last from batch`;

const data = `(e.body::jsonb -> 'data')`;
const emptiedMember = (member: string): string => `
  case when ${data} ? '${member}'
    then jsonb_build_object('${member}', ${emptied(`(${data} -> '${member}')`, 'e.thread_id')}) else '{}' end`;

/** The part of the data without personal data: its ids, and the shapes of message, thread and note. */
const emptiedData = `
  jsonb_strip_nulls(jsonb_build_object('environmentId', ${data} -> 'environmentId', 'threadId', ${data} -> 'threadId',
    'channelId', ${data} -> 'channelId', 'sequence', ${data} -> 'sequence',
    'actor', ${withoutName(`(${data} -> 'actor')`, 'e.thread_id')}))
  || ${emptiedMember('message')} || ${emptiedMember('thread')} || ${emptiedMember('note')}
  || '{"erased": true}'`;

/** A later event about something older, which was read before it was emptied: a receipt, the end of a note or of a run. */
const isAboutOlder = `
  ((${data} #>> '{message,sequence}')::bigint <= $5 or exists (
    select from jsonb_each(${data}) part where part.key not in ('thread', 'message') and jsonb_typeof(part.value) = 'object'
      and (part.value ->> 'threadId') = e.thread_id and (part.value ->> 'createdAt')::timestamptz <= $6))`;

/**
 * A delivery `d`, and between when it was attempted: a row without an attempt has none to be emptied. Instants are from the clocks of several
 * nodes, which may differ.
 */
const deliveryTimes = `
  d.project_id, d.delivery_id, least(d.created_at, d.last_attempt_at) - interval '1 hour' as since, d.last_attempt_at + interval '1 hour' as until`;

/**
 * As `emptyMessages`, by the numbers of the events in their project. `$6`: when the erasure was requested, `$7`: when everything that was
 * in progress then has been written. The bodies of receivers' answers go with the events: the id of a scheduled delivery follows from its
 * event and stitch, the others are found by an index. Attempts are looked for in the days in which there were any.
 * Numbers and days of the events are named once more: the planner, which knows nothing of partitions that are left out, would read the log.
 */
export const emptyEvents = `
  with batch as materialized (
    select project_id, environment_id, seq, occurred_at, event_id, event_name, sequence from events
    where thread_id = $2 and project_id = $3 and environment_id = $4 and seq > $1 and (sequence <= $5 or occurred_at <= $7)
    order by seq limit ${batchRows}
  ), emptied as (
    update events e set body = '{"eventId":"' || e.event_id || '","eventName":"' || e.event_name
      || '","occurredAt":"' || (e.body::json ->> 'occurredAt') || '","apiVersion":"' || (e.body::json ->> 'apiVersion')
      || '","projectId":"' || e.project_id || '","data":' || (${emptiedData})::text || '}'
    from batch where e.project_id = batch.project_id and e.seq = batch.seq and e.occurred_at = batch.occurred_at
      and e.seq = any (array(select seq from batch))
      and e.occurred_at >= (select min(occurred_at) from batch) and e.occurred_at <= (select max(occurred_at) from batch)
      and (batch.sequence <= $5 or ${isAboutOlder})
    returning e.project_id, e.environment_id, e.event_id, e.event_name, e.occurred_at
  ), commands as (
    delete from channel_commands c using emptied
    where emptied.event_name = 'channel.message.requested' and c.event_id = emptied.event_id
      and c.project_id = emptied.project_id and c.environment_id = emptied.environment_id
  ), deliveries as materialized (
    select d.* from emptied join stitches s on s.project_id = emptied.project_id and s.environment_id = emptied.environment_id
    cross join lateral (
      select ${deliveryTimes} from webhook_deliveries d
      where d.delivery_id = skein_delivery_id(emptied.event_id, s.stitch_id) and d.created_at = emptied.occurred_at
        and d.project_id = s.project_id limit 1
    ) d
    union all
    select ${deliveryTimes} from emptied join webhook_deliveries d
      on d.event_id = emptied.event_id and d.trigger <> 'scheduled' and d.project_id = emptied.project_id
      and d.environment_id = emptied.environment_id and d.created_at >= emptied.occurred_at - interval '1 hour'
  ), answers as (
    update webhook_attempts a set response_body = null, error = null from deliveries
    where a.delivery_id = deliveries.delivery_id and a.project_id = deliveries.project_id
      and a.attempted_at >= deliveries.since and a.attempted_at <= deliveries.until
      and a.attempted_at >= (select min(since) from deliveries) and a.attempted_at <= (select max(until) from deliveries)
  )
  select max(seq) as last from batch`;

/** `$1`: the thread; here and below, `$2`: when the erasure was requested, `$3` and `$4`: project and environment. */
export const deleteNotes = `
  with batch as materialized (
    select thread_note_id from thread_notes
    where thread_id = $1 and created_at <= $2 and project_id = $3 and environment_id = $4 limit ${batchRows}
  ), notes as (
    delete from thread_notes n using batch where n.thread_note_id = batch.thread_note_id
  ), mentions as (
    delete from note_mentions m using batch
    where m.thread_note_id = batch.thread_note_id and m.project_id = $3 and m.environment_id = $4
  )
  select count(*) = ${batchRows} as "isMore" from batch`;

/**
 * Of finished runs. The version is raised, so that a node with the run in memory cannot write it back.
 */
export const emptyRuns = `
  with batch as materialized (
    select agent_run_id from agent_runs
    where project_id = $3 and environment_id = $4 and thread_id = $1 and created_at <= $2
      and status in ('succeeded', 'failed', 'cancelled')
      and (trace not in ('{}', '{"steps": []}') or metadata <> '{}' or error_message is not null or state -> 'turns' <> '[]')
    limit ${batchRuns}
  ), emptied as (
    update agent_runs r set trace = '{"steps": []}', suggestion_status = null, metadata = '{}', error_message = null, version = version + 1,
      state = case when state ? 'turns' then state || '{"turns": []}' else state end
    from batch where r.agent_run_id = batch.agent_run_id
  )
  select count(*) = ${batchRuns} as "isMore" from batch`;

/**
 * What is kept for repeated requests: a note, a thread, a run or a suggestion, in its shape at that time. An emptied answer leaves the index, because
 * PostgreSQL writes its JSON with spaces. An answer that is a message is read from its event.
 */
export const emptyAnswers = `
  with batch as materialized (
    select key_hash, body::jsonb as resource from idempotency_keys
    where body is not null and skein_thread_of(body) = $1 and (body::jsonb ->> 'createdAt')::timestamptz <= $2 limit ${batchRows}
  ), emptied as (
    update idempotency_keys k set body = (${emptied('batch.resource', '$1::text')})::text
    from batch where k.key_hash = batch.key_hash
  )
  select count(*) = ${batchRows} as "isMore" from batch`;

/**
 * `$1` to `$3`: the thread, its project and environment, `$4`: the last sequence that is erased. Under 0 stand the participant's name and the
 * subject: where the thread has one again, the search has it or will put it in the place of the old one.
 */
export const deleteWords = `
  with batch as materialized (
    select w.sequence from message_words w
    where w.thread_id = $1 and w.project_id = $2 and w.environment_id = $3 and w.sequence <= $4 and (w.sequence > 0 or not exists (
      select from threads t where t.thread_id = $1 and t.project_id = $2 and t.environment_id = $3 and ${isNamed('t')}))
    limit ${batchRows}
  ), deleted as (
    delete from message_words where thread_id = $1 and project_id = $2 and environment_id = $3
      and sequence = any (array(select sequence from batch))
  )
  select count(*) = ${batchRows} as "isMore" from batch`;

/** Dead letters of the thread or about it: that the work failed is kept. There are few such rows. */
export const emptyDeadLetters = `
  update dead_letters set payload = '{}', error = 'erased'
  where name <> 'erase' and (kind = 'thread' and actor_id = $1 or strpos(payload::text, $1) > 0)`;

/**
 * What waits for the chat provider, or to be fetched from it. A message that has not left does not leave any more. One that is leaving does,
 * and its row says nothing of anybody.
 */
export const dropChatappWork = `
  with files as materialized (
    select attachment_id from chatapp_files
    where thread_id = $1 and created_at <= $2 and project_id = $3 and environment_id = $4 limit ${batchRows}
  ), dropped_files as (
    delete from chatapp_files f using files where f.attachment_id = files.attachment_id
  ), uploads as materialized (
    select u.phone_number_id, u.attachment_id from chatapp_uploads u join attachments a on u.attachment_id = a.attachment_id
    where a.thread_id = $1 and a.created_at <= $2 and a.project_id = $3 and a.environment_id = $4 limit ${batchRows}
  ), dropped_uploads as (
    delete from chatapp_uploads u using uploads
    where u.phone_number_id = uploads.phone_number_id and u.attachment_id = uploads.attachment_id
  ), sends as materialized (
    select message_id from chatapp_sends
    where thread_id = $1 and created_at <= $2 and project_id = $3 and environment_id = $4 and status = 'queued' limit ${batchRows}
  ), dropped_sends as (
    delete from chatapp_sends s using sends where s.message_id = sends.message_id and s.status = 'queued' returning s.message_id
  ), failed as (
    update messages m set status = 'failed' from dropped_sends where m.message_id = dropped_sends.message_id and m.thread_id = $1
      and m.project_id = $3 and m.environment_id = $4 and m.status = 'queued'
  )
  select greatest((select count(*) from files), (select count(*) from uploads), (select count(*) from sends)) = ${batchRows} as "isMore"`;

/** The names that the chat provider has given to the participant. */
export const deleteAliases = `
  with batch as materialized (
    select channel_id, alias from chatapp_aliases
    where thread_id = $1 and created_at <= $2 and project_id = $3 and environment_id = $4 limit ${batchRows}
  ), deleted as (
    delete from chatapp_aliases a using batch where a.channel_id = batch.channel_id and a.alias = batch.alias
  )
  select count(*) = ${batchRows} as "isMore" from batch`;

/** Other names of the thread's participant, each of which may have derived another thread. */
export const selectAliases = `
  select channel_id as "channelId", alias from chatapp_aliases where thread_id = $1 and project_id = $2 and environment_id = $3`;

const isOpen =
  'exists (select from chatapp_open_webhooks o where o.channel_id = w.channel_id and o.request_id = w.request_id)';
const isAboutThreads =
  'w.thread_ids && $1 and w.received_at <= $2 and w.project_id = $3 and w.environment_id = $4';

/** Whether webhooks that name the participant are still to be worked through. Parameters: those of `deleteWebhooks`. */
export const hasOpenWebhooks = `
  select exists (select from chatapp_webhooks w where ${isAboutThreads} and ${isOpen}) as "isOpen"`;

/**
 * Webhooks of the chat provider that name the participant, by the threads that are derived from the names; of others in them, too, the
 * messages are kept. A webhook that names no other participant is closed, even if it was not worked through. The others go with the next turn of the erasure.
 */
export const deleteWebhooks = `
  with batch as materialized (
    select w.request_id, w.channel_id from chatapp_webhooks w where ${isAboutThreads}
      and (w.thread_ids <@ $1 or not ${isOpen})
    limit ${batchRows}
  ), closed as (
    delete from chatapp_open_webhooks o using batch where o.channel_id = batch.channel_id and o.request_id = batch.request_id
  ), deleted as (
    delete from chatapp_webhooks w using batch where w.request_id = batch.request_id
  )
  select count(*) = ${batchRows} as "isMore" from batch`;
