/**
 * Erases personal data (decisions sections 2 and 9): everything of a thread up to the event that its erasure was asked at. Each
 * step empties a piece at a time and can be repeated, so a node may die in between, and several may work at once. The thread
 * has forgotten already (actors/thread/decide-erasure.ts); what came after is not touched.
 */
import type { Log } from '../runtime/log.ts';
import type { Database } from './database.ts';

type Queries = Pick<Database, 'query'>;

/** Threads of one round, and rows of one statement. */
const threads = 50;
const piece = 2_000;

interface Erasure {
  readonly threadId: string;
  /** The thread's number of the last event that is erased. */
  readonly through: number;
  readonly requestedAt: Date;
}

/** A contact's id is the participant's name: the thread's id stands for it. */
const nameless = (actor: string, threadId: string): string => `
  case when ${actor} ->> 'type' = 'contact' then jsonb_build_object('type', 'contact', 'id', ${threadId}) else ${actor} end`;

/** `$2` is where the piece before ended, `$3` the last number that is erased; gives where this piece ends. */
const emptyMessages = `
  with piece as materialized (
    select message_id, sequence from messages where thread_id = $1 and sequence > $2 and sequence <= $3 order by sequence limit ${piece}
  ), emptied as (
    update messages m set body = '', attachments = '[]', metadata = '{}', external_message_id = null,
      actor = ${nameless('m.actor', 'm.thread_id')}
    from piece where m.message_id = piece.message_id
  ), files as (
    update attachments a set status = 'erased', erased_at = now()
    from piece where a.thread_id = $1 and a.message_id = piece.message_id and a.status <> 'erased'
  )
  select max(sequence) as last from piece`;

const data = `(e.body::jsonb -> 'data')`;
const within = (member: string, emptied: string): string => `
  case when ${data} ? '${member}' then jsonb_build_object('${member}', ${data} -> '${member}' || ${emptied}) else '{}' end`;

/** Of the data, what names no one: where it belongs, and the shapes of message, thread and note. */
const emptiedData = `
  jsonb_strip_nulls(jsonb_build_object('environmentId', ${data} -> 'environmentId', 'threadId', ${data} -> 'threadId',
    'channelId', ${data} -> 'channelId', 'sequence', ${data} -> 'sequence',
    'actor', ${nameless(`(${data} -> 'actor')`, 'e.thread_id')}))
  || ${within(
    'message',
    `'{"body": "", "attachments": [], "metadata": {}, "externalMessageId": null}' || jsonb_build_object('actor', ${nameless(`(${data} #> '{message,actor}')`, 'e.thread_id')})`,
  )}
  || ${within('thread', `'{"externalRef": null, "tags": [], "customFields": {}, "metadata": {}}'`)}
  || ${within('note', `'{"body": ""}'`)}
  || '{"erased": true}'`;

/** As `emptyMessages`, by the events' numbers in their project. The bodies of what receivers answered go with the events. */
const emptyEvents = `
  with piece as materialized (
    select project_id, environment_id, seq, occurred_at, event_id, event_name from events
    where thread_id = $1 and seq > $2 and sequence <= $3 order by seq limit ${piece}
  ), emptied as (
    update events e set body = '{"eventId":"' || e.event_id || '","eventName":"' || e.event_name
      || '","occurredAt":"' || (e.body::json ->> 'occurredAt') || '","apiVersion":"' || (e.body::json ->> 'apiVersion')
      || '","projectId":"' || e.project_id || '","data":' || (${emptiedData})::text || '}'
    from piece where e.project_id = piece.project_id and e.seq = piece.seq and e.occurred_at = piece.occurred_at
  ), commands as (
    delete from channel_commands c using piece
    where piece.event_name = 'channel.message.requested' and c.event_id = piece.event_id
  ), answers as (
    update webhook_attempts a set response_body = null, error = null
    from piece join stitches s on s.project_id = piece.project_id and s.environment_id = piece.environment_id
    where a.delivery_id = skein_delivery_id(piece.event_id, s.stitch_id)
  )
  select max(seq) as last from piece`;

const dropNotes = `delete from thread_notes where thread_id = $1 and created_at <= $2`;

/** Of runs that are over; whoever runs one still keeps its state. */
const emptyRuns = `
  update agent_runs set trace = '{}', metadata = '{}', error_message = null
  where thread_id = $1 and created_at <= $2 and status in ('succeeded', 'failed', 'cancelled') and trace <> '{}'`;

/** Does what has been asked for; an erasure that fails is told, and tried again by the next round. */
export async function erasePersonalData(db: Queries, log: Log): Promise<void> {
  const asked = await db.query<Erasure>(
    `select thread_id as "threadId", through, requested_at as "requestedAt" from erasures order by requested_at limit ${threads}`,
  );
  for (const erasure of asked) {
    try {
      await erase(db, erasure);
    } catch (err) {
      log.warn({ err, threadId: erasure.threadId }, 'personal data was not erased; it is tried again');
    }
  }
}

async function erase(db: Queries, { threadId, through, requestedAt }: Erasure): Promise<void> {
  await inPieces(db, emptyMessages, threadId, through);
  await inPieces(db, emptyEvents, threadId, through);
  await db.query(dropNotes, [threadId, requestedAt]);
  await db.query(emptyRuns, [threadId, requestedAt]);
  // Asked again meanwhile, it has more to do.
  await db.query('delete from erasures where thread_id = $1 and through = $2', [threadId, through]);
}

async function inPieces(db: Queries, statement: string, threadId: string, through: number): Promise<void> {
  for (let after: number | null = 0; after !== null;) {
    const [row]: { last: number | null }[] = await db.query<{ last: number | null }>(statement, [
      threadId,
      after,
      through,
    ]);
    after = row?.last ?? null;
  }
}
