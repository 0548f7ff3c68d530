/**
 * The messages that the chat provider has yet to take. A row is written in the commit that queues its message (storage/writes/sends.ts),
 * and deleted in the one that says what became of it.
 *
 *   queued -> sending     claimed: one winner, who then calls the provider once
 *   sending -> queued     the provider has not taken it, and may do so later
 *   sending -> unknown    the answer was lost, or whoever claimed it has gone: it may have been taken, so nobody sends it again
 *   any -> (deleted)      the message was taken, or has failed
 *
 * Messages of a thread leave in their order: one that is queued or being sent holds those behind it, an unknown one does not. `next_at` is
 * when a row has to be looked at: for a queued one when it may leave, for the others when it is given up.
 */
import type { MessageAttachment, MessageContent, MessageReference } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import { createFindChannels } from './channels-with-work.ts';

export interface DueSend extends TenantScope {
  readonly messageId: string;
  readonly threadId: string;
  readonly status: 'queued' | 'sending' | 'unknown';
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly error: SendError | null;
  /** Its file; null: it has none. */
  readonly file: MessageAttachment | null;
}

/** Why a message has not left yet, as the message will show it if that is the end. */
export interface SendError {
  readonly code?: string;
  readonly message: string;
  /** How often the provider has failed at it. */
  readonly failures?: number;
}

/** Nothing before it in its thread holds it. */
const isHead = `not exists (
  select from chatapp_sends e where e.thread_id = s.thread_id and e.sequence < s.sequence and e.status in ('queued', 'sending'))`;

const columns = `s.message_id as "messageId", s.thread_id as "threadId", s.project_id as "projectId", s.environment_id as "environmentId",
  s.status, s.created_at as "createdAt", s.started_at as "startedAt", s.error,
  (select m.attachments -> 0 from messages m where m.message_id = s.message_id) as file`;

const due = `
  select ${columns} from chatapp_sends s
  where s.channel_id = $1 and s.next_at <= $2 and (s.status <> 'queued' or $3 and ${isHead})
  order by s.next_at, s.message_id limit $4`;

export interface DueFilter {
  readonly now: number;
  /** Whether messages that are queued are of interest. */
  readonly queued: boolean;
  readonly limit: number;
}

/** What has to be looked at by now, oldest first. */
export function dueSends(
  db: Queries,
  channelId: string,
  { now, queued, limit }: DueFilter,
): Promise<DueSend[]> {
  return db.query<DueSend>(due, [channelId, new Date(now), queued, limit], 'chatapp_sends.due');
}

const next = `
  select min(s.next_at) as at from chatapp_sends s
  where s.channel_id = $1 and (s.status <> 'queued' or $2 and ${isHead})`;

/** When something has to be looked at, in epoch milliseconds; undefined: nothing is open. */
export async function nextSendAt(
  db: Queries,
  channelId: string,
  { queued }: Pick<DueFilter, 'queued'>,
): Promise<number | undefined> {
  const [row] = await db.query<{ at: Date | null }>(next, [channelId, queued], 'chatapp_sends.next');
  return row?.at?.getTime();
}

/** The messages that have been queued for the longest time. */
export function oldestSends(db: Queries, channelId: string, limit: number): Promise<DueSend[]> {
  return db.query<DueSend>(
    `select ${columns} from chatapp_sends s where s.channel_id = $1 and s.status = 'queued'
     order by s.created_at, s.sequence limit $2`,
    [channelId, limit],
    'chatapp_sends.oldest',
  );
}

/** The message is not there any more. */
export async function dropSend(db: Queries, messageId: string): Promise<void> {
  await db.query('delete from chatapp_sends where message_id = $1', [messageId], 'chatapp_sends.drop');
}

/** A message that was claimed, with all that its request to the provider is made of. */
export interface ClaimedSend {
  readonly messageId: string;
  readonly threadId: string;
  readonly projectId: string;
  readonly environmentId: string;
  /** How often it was claimed, this time included. */
  readonly attempts: number;
  /** Of the attempt before; null: this is the first. */
  readonly error: SendError | null;
  readonly createdAt: Date;
  readonly body: string;
  readonly attachments: readonly MessageAttachment[];
  readonly details: {
    readonly content?: MessageContent;
    readonly replyTo?: MessageReference;
  } | null;
  /** The participant's name in the channel; null: it was erased. */
  readonly externalRef: string | null;
  readonly participant: { readonly attributes?: Readonly<Record<string, unknown>> } | null;
  /** The provider's id of the message that this one answers or reacts to, as it is known now. */
  readonly targetId: string | null;
}

// The next one of the thread waits for the pair's pace: it is known here already, and the provider is spared a refusal.
const claim = `
  with claimed as (
    update chatapp_sends s set status = 'sending', started_at = $3, next_at = $4, attempts = s.attempts + 1
    where s.message_id = $1 and s.channel_id = $2 and s.status = 'queued' and ${isHead} and exists (
      select from channels h where h.channel_id = $2 and h.status = 'connected'
        and h.chatapp #>> '{connection,accessToken}' = $6)
    returning s.*
  ), paced as (
    update chatapp_sends f set next_at = greatest(f.next_at, $5) from claimed c
    where f.message_id = (select n.message_id from chatapp_sends n
      where n.thread_id = c.thread_id and n.sequence > c.sequence and n.status = 'queued' order by n.sequence limit 1)
  )
  select c.message_id as "messageId", c.thread_id as "threadId", c.project_id as "projectId", c.environment_id as "environmentId",
    c.attempts, c.error, c.created_at as "createdAt", m.body, m.attachments, m.details, t.external_ref as "externalRef", t.participant,
    r.external_message_id as "targetId"
  from claimed c
  join messages m on m.message_id = c.message_id and m.project_id = c.project_id and m.environment_id = c.environment_id
  join threads t on t.thread_id = c.thread_id and t.project_id = c.project_id and t.environment_id = c.environment_id
  left join messages r on r.thread_id = m.thread_id
    and r.message_id = coalesce(m.details #>> '{content,to,messageId}', m.details #>> '{replyTo,messageId}')`;

export interface SendClaim {
  readonly messageId: string;
  readonly channelId: string;
  /** Sealed, as the channel's connection has it: what was opened for another one sends nothing. */
  readonly accessToken: string;
  readonly now: number;
  /** When whoever has claimed it must have gone, in epoch milliseconds. */
  readonly until: number;
  /** When the next message of the thread may leave. */
  readonly nextAt: number;
}

/** Undefined where somebody else was first, it is not its turn, or the channel has lost that connection. */
export async function claimSend(
  db: Queries,
  { messageId, channelId, accessToken, now, until, nextAt }: SendClaim,
): Promise<ClaimedSend | undefined> {
  const values = [messageId, channelId, new Date(now), new Date(until), new Date(nextAt), accessToken];
  const [row] = await db.query<ClaimedSend>(claim, values, 'chatapp_sends.claim');
  return row;
}

/** Extends the claim. Gives false if it is over: the outcome was taken for unknown meanwhile, or the message is gone. */
export async function renewClaim(
  db: Queries,
  { messageId, attempts }: Pick<ClaimedSend, 'messageId' | 'attempts'>,
  until: number,
): Promise<boolean> {
  const rows = await db.query(
    `update chatapp_sends set next_at = $3 where message_id = $1 and status = 'sending' and attempts = $2 returning message_id`,
    [messageId, attempts, new Date(until)],
    'chatapp_sends.renew',
  );
  return rows.length > 0;
}

/**
 * The provider has not taken a message that was claimed: it may leave again at that time. A repetition whose first statement was committed,
 * though its answer was lost, changes nothing: the message may have been claimed once more by then.
 */
export async function requeueSend(
  db: Queries,
  { messageId, attempts }: Pick<ClaimedSend, 'messageId' | 'attempts'>,
  at: number,
  error: SendError,
): Promise<void> {
  await db.query(
    `update chatapp_sends set status = 'queued', started_at = null, next_at = $3, error = $4
     where message_id = $1 and status = 'sending' and attempts = $2`,
    [messageId, attempts, new Date(at), JSON.stringify(error)],
    'chatapp_sends.requeue',
  );
}

/** A queued message may leave at that time, and not before. */
export async function postponeSend(db: Queries, messageId: string, at: number): Promise<void> {
  await db.query(
    `update chatapp_sends set next_at = greatest(next_at, $2) where message_id = $1 and status = 'queued'`,
    [messageId, new Date(at)],
    'chatapp_sends.postpone',
  );
}

/** Nobody knows whether the provider has taken it, until a webhook says so or this time comes. */
export async function markUnknown(
  db: Queries,
  messageId: string,
  until: number,
  error: SendError,
): Promise<void> {
  await db.query(
    `update chatapp_sends set status = 'unknown', next_at = $2, error = $3 where message_id = $1 and status = 'sending'`,
    [messageId, new Date(until), JSON.stringify(error)],
    'chatapp_sends.unknown',
  );
}

/** Channels that have to look at a message. */
export const channelsWithSends = createFindChannels('chatapp_sends', 'next_at <= now()');
