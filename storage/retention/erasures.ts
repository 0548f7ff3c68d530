/**
 * Erases personal data (docs/contract-decisions.md, "Operations" and "Retention"): everything of a thread up to the event at which the
 * erasure was requested. The thread itself has forgotten already (actors/thread); what came after the request is not touched. An
 * erasure is
 *
 *   requested -> settling   all that is there is emptied, at once
 *   settling  -> (removed)  done once more, ten minutes after the request: by then everything that was in progress has been written
 *                           too (a receiver's answer, an answer kept under a key, the trace of a run, the event of a receipt)
 *   settling  -> settling   webhooks that name the participant and others are still to be worked through: again ten minutes later
 *
 * A step that fails is retried without limit, later each time: erasure is a legal duty. Each step empties one batch at a time
 * (erasure-statements.ts) and can be repeated: a node may die in between, and several nodes may work at once.
 */
import { deriveThreadId } from '../../protocol/ids.ts';
import type { Log } from '../../runtime/observability/index.ts';
import { backoffMs, type Random, systemRandom } from '../../runtime/time/index.ts';
import { type ExternalIdHash, hashExternalId } from '../chatapp/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import {
  deleteAliases,
  deleteNotes,
  deleteWebhooks,
  deleteWords,
  dropChatappWork,
  emptyAnswers,
  emptyEvents,
  emptyDeadLetters,
  emptyMessages,
  emptyRuns,
  hasOpenWebhooks,
  selectAliases,
  selectExternalIds,
} from './erasure-statements.ts';

/** Threads of one statement, and statements of one sweep: the rest waits for the next sweep. */
const batchThreads = 50;
const maxBatches = 20;

/** Milliseconds; longer than anything takes that may have read what is erased: an upload, a run, a request with its key. */
const settlingMs = 600_000;

/** Milliseconds between two attempts. */
const firstRetryMs = 60_000;
const maxRetryMs = 3_600_000;
/** Failed attempts after which a dead letter tells a person, once. */
const reportedAfter = 10;

interface Erasure extends TenantScope {
  readonly threadId: string;
  /** The sequence of the last event that is erased. */
  readonly through: number;
  readonly requestedAt: Date;
  readonly attempts: number;
}

const selectDue = `
  select thread_id as "threadId", project_id as "projectId", environment_id as "environmentId", through,
    requested_at as "requestedAt", attempts
  from erasures
  where due_at <= $1 order by due_at limit ${batchThreads}`;

// These three name the event: an erasure that was requested again meanwhile has more to do.
const isThisOne = 'thread_id = $1 and project_id = $2 and environment_id = $3 and through = $4';
const settle = `update erasures set due_at = $5, attempts = 0, last_error = null where ${isThisOne}`;
const finish = `delete from erasures where ${isThisOne}`;
const postpone = `
  with failed as (
    update erasures set due_at = $5, attempts = attempts + 1, last_error = $6 where ${isThisOne} returning attempts
  )
  insert into dead_letters (kind, actor_id, name, payload, error, attempts, created_at)
  select 'thread', $1, 'erase', '{}', $6, attempts, $7 from failed where attempts = ${reportedAfter}`;

export interface ErasureServices {
  readonly database: Queries;
  readonly hash: ExternalIdHash;
  readonly log: Log;
}

/** Does what is due at `now` (epoch milliseconds). Rejects when all have had their turn and some failed, or where the database fails. */
export async function erasePersonalData(
  services: ErasureServices,
  now: number,
  random: Random = systemRandom,
): Promise<void> {
  const { database: db, log } = services;
  const errors: unknown[] = [];
  for (let batch = 0; batch < maxBatches; batch++) {
    const due = await db.query<Erasure>(selectDue, [new Date(now)]);
    for (const erasure of due) {
      try {
        await erase(services, erasure, now);
      } catch (err) {
        log.warn(
          { err, threadId: erasure.threadId },
          'personal data of a thread could not be erased; it will be tried again',
        );
        errors.push(err);
        await postponeErasure(db, erasure, now, err, random);
      }
    }
    if (due.length < batchThreads) break;
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} erasures failed`);
}

async function erase({ database: db, hash }: ErasureServices, erasure: Erasure, now: number): Promise<void> {
  const { threadId, projectId, environmentId, through, requestedAt } = erasure;
  const settled = requestedAt.getTime() + settlingMs;
  const thread = [threadId, projectId, environmentId];
  const requested = [threadId, requestedAt, projectId, environmentId];
  // First, so that nothing empty leaves.
  await repeat(db, dropChatappWork, requested);
  await eraseMessages(db, hash, [...thread, through], now);
  await repeat(db, deleteWords, [...thread, through]);
  await inBatches(db, emptyEvents, [...thread, through, requestedAt, new Date(settled)]);
  const aboutThreads = [await listDerivedThreads(db, erasure), ...requested.slice(1)];
  await repeat(db, deleteWebhooks, aboutThreads);
  for (const statement of [deleteNotes, emptyRuns]) await repeat(db, statement, requested);
  await repeat(db, emptyAnswers, [threadId, requestedAt]);
  await db.query(emptyDeadLetters, [threadId]);
  const [webhooks] = await db.query<{ isOpen: boolean }>(hasOpenWebhooks, aboutThreads);
  if (now < settled || webhooks?.isOpen === true) {
    await db.query(settle, [...thread, through, new Date(now < settled ? settled : now + settlingMs)]);
    return;
  }
  // Last, since the webhooks are found by them.
  await repeat(db, deleteAliases, requested);
  await db.query(finish, [...thread, through]);
}

interface ExternalId {
  readonly channelId: string;
  readonly externalMessageId: string;
}

/** @param values `$2` to `$5` of `emptyMessages` */
async function eraseMessages(
  db: Queries,
  hash: ExternalIdHash,
  values: readonly unknown[],
  now: number,
): Promise<void> {
  for (let after: number | null = 0; after !== null;) {
    const found: ExternalId[] = await db.query<ExternalId>(selectExternalIds, [after, ...values]);
    const hashes = found.map(each => hashExternalId(hash, each.channelId, each.externalMessageId));
    const [row]: { last: number | null }[] = await db.query<{ last: number | null }>(emptyMessages, [
      after,
      ...values,
      found.map(({ channelId }) => channelId),
      hashes,
      new Date(now),
    ]);
    after = row?.last ?? null;
  }
}

/** The thread, and those that are derived from the other names of its participant. */
async function listDerivedThreads(
  db: Queries,
  { threadId, projectId, environmentId }: Erasure,
): Promise<string[]> {
  const aliases = await db.query<{ channelId: string; alias: string }>(selectAliases, [
    threadId,
    projectId,
    environmentId,
  ]);
  return [
    threadId,
    ...aliases.map(({ channelId, alias }) => deriveThreadId(environmentId, channelId, alias)),
  ];
}

/** @param values from `$2` on; `$1` is where the previous batch ended */
async function inBatches(db: Queries, statement: string, values: readonly unknown[]): Promise<void> {
  for (let after: number | null = 0; after !== null;) {
    const [row]: { last: number | null }[] = await db.query<{ last: number | null }>(statement, [
      after,
      ...values,
    ]);
    after = row?.last ?? null;
  }
}

/** Until the statement takes no full batch any more. */
async function repeat(db: Queries, statement: string, values: readonly unknown[]): Promise<void> {
  for (let isMore: boolean | undefined = true; isMore === true;) {
    const [row]: { isMore: boolean }[] = await db.query<{ isMore: boolean }>(statement, [...values]);
    isMore = row?.isMore;
  }
}

/** Behind whatever else is due. */
async function postponeErasure(
  db: Queries,
  { threadId, projectId, environmentId, through, attempts }: Erasure,
  now: number,
  err: unknown,
  random: Random,
): Promise<void> {
  const dueAt = now + backoffMs(attempts + 1, firstRetryMs, maxRetryMs, random);
  const error = err instanceof Error ? err.message : String(err);
  const values = [new Date(dueAt), error.slice(0, 4_000), new Date(now)];
  await db.query(postpone, [threadId, projectId, environmentId, through, ...values]);
}
