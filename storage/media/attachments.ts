/**
 * The rows of the files that messages carry. An attachment is
 *
 *   pending -> stored            all its bytes have arrived and are safe in the media store; those of a chat provider are fetched
 *   stored  -> stored            a message takes it, once (storage/writes/attachments.ts)
 *   pending -> (removed)         no upload began within an hour: its upload URL is good for five minutes
 *   pending -> erased            an upload began, and its bytes have not arrived within that hour
 *   stored  -> erased            no message took it within a day, or personal data was erased: its bytes go, then its row
 *
 * While bytes come in, the upload claims the row, for longer than an upload may take: of two uploads one is refused. The claim is part of the
 * object's key, so that two uploads never write one object, not even after a claim has ended. Every object in the store has a row that names it.
 */
import { randomBytes } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { createFindTenant, type Database, type Queries, type TenantScope } from '../database/index.ts';
import { type Keyed, transactOnce } from '../idempotency/index.ts';
import { type Limits, requireWithinLimit } from '../writes/index.ts';
import type { Media } from './media.ts';

export interface NewAttachment extends TenantScope, Keyed {
  readonly attachmentId: string;
  readonly filename: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface StoredAttachment extends TenantScope {
  readonly attachmentId: string;
  readonly status: 'pending' | 'stored' | 'erased';
  readonly filename: string;
  readonly mimeType: string;
  readonly sizeBytes: number;
  readonly storageKey: string;
  readonly messageId: string | null;
}

interface AttachmentKey extends TenantScope {
  readonly attachmentId: string;
}

/** An upload that has claimed its row. */
export interface Upload extends AttachmentKey {
  readonly storageKey: string;
  readonly claimedAt: Date;
}

/** Milliseconds that a claim holds: longer than an upload may take (gateway/http: 5 minutes). */
const claimMs = 600_000;

const insert = `
  insert into attachments (attachment_id, project_id, environment_id, status, filename, mime_type, size_bytes, storage_key, created_at)
  values (?, ?, ?, 'pending', ?, ?, ?, ?, ?)`;

const selectWorkspace = `
  select p.workspace_id as "workspaceId", exists (
    select from workspace_members m join users u on u.user_id = m.user_id
    where m.workspace_id = p.workspace_id and m.role = 'owner' and u.email_verified_at is not null) as "isVerified"
  from projects p where p.project_id = ?`;

/**
 * Announces a file: project, environment and id are its key in the store. Resolves to its id and `now`. Rejects with `LimitReached` where its environment or workspace
 * would have more bytes than it may have.
 */
export function createAttachment(
  db: Pick<Database, 'em'>,
  attachment: NewAttachment,
  limits: Limits,
): Promise<Pick<NewAttachment, 'attachmentId' | 'now'>> {
  const { attachmentId, projectId, environmentId, filename, mimeType, sizeBytes, now } = attachment;
  const storageKey = `${projectId}/${environmentId}/${attachmentId}`;
  const row = [
    attachmentId,
    projectId,
    environmentId,
    filename,
    mimeType,
    sizeBytes,
    storageKey,
    new Date(now),
  ];
  return transactOnce(db, attachment.key, async em => {
    await em.execute(insert, row);
    await requireRoom(em, attachment, limits);
    return { attachmentId, now };
  });
}

/** After a file was announced: whether there may be so many bytes. */
async function requireRoom(
  em: EntityManager,
  { projectId, environmentId }: TenantScope,
  limits: Limits,
): Promise<void> {
  await requireWithinLimit(em, limits, 'announcedBytes', environmentId);
  await requireWithinLimit(em, limits, 'environmentBytes', environmentId);
  const [workspace] = await em.execute<{ workspaceId: string; isVerified: boolean }[]>(selectWorkspace, [
    projectId,
  ]);
  if (workspace === undefined) return;
  const { workspaceId, isVerified } = workspace;
  await requireWithinLimit(em, limits, isVerified ? 'workspaceBytes' : 'unverifiedBytes', workspaceId);
}

// Its message has taken it already. One that is stored stays as it is, and one that was erased is not announced again.
const insertFetched = `
  insert into attachments (attachment_id, project_id, environment_id, thread_id, message_id, status, filename, mime_type, size_bytes,
    storage_key, provider_media_id, created_at)
  select attachment_id, project_id, environment_id, thread_id, message_id, 'pending', ?, ?, ?,
    project_id || '/' || environment_id || '/' || attachment_id, provider_media_id, ?
  from chatapp_files where attachment_id = ? and project_id = ? and environment_id = ?
  on conflict (attachment_id) do update set size_bytes = excluded.size_bytes where attachments.status = 'pending'`;

/**
 * Announces a file that a chat provider had and that was fetched: the message that awaits it (storage/chatapp/files.ts) has it from then on.
 * May be repeated. Where nobody awaits it any more, nothing is announced. Rejects with `LimitReached` as {@link createAttachment} does.
 */
export async function announceFetched(
  db: Pick<Database, 'em'>,
  file: Omit<NewAttachment, 'key'>,
  limits: Limits,
): Promise<void> {
  const { attachmentId, projectId, environmentId, filename, mimeType, sizeBytes, now } = file;
  await db.em().transactional(async em => {
    const values = [filename, mimeType, sizeBytes, new Date(now), attachmentId, projectId, environmentId];
    await em.execute(insertFetched, values);
    await requireRoom(em, file, limits);
  });
}

const columns = `
  attachment_id as "attachmentId", project_id as "projectId", environment_id as "environmentId", status, filename,
  mime_type as "mimeType", size_bytes as "sizeBytes", storage_key as "storageKey", message_id as "messageId"`;

/** Those of the environment, in no order. */
export function findAttachments(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  attachmentIds: readonly string[],
): Promise<StoredAttachment[]> {
  return db.query<StoredAttachment>(
    `select ${columns} from attachments
     where attachment_id = any ($1::text[]) and project_id = $2 and environment_id = $3`,
    [attachmentIds, projectId, environmentId],
    'attachments.find',
  );
}

export const findAttachmentTenant = createFindTenant('attachments', 'attachment_id');

// The former key is left to the sweep, as a row of its own: an upload that was interrupted may have stored a part under it.
const claim = `
  with claimed as materialized (
    select attachment_id, storage_key as former, claimed_at from attachments
    where attachment_id = $1 and project_id = $2 and environment_id = $3
      and status = 'pending' and (claimed_at is null or claimed_at < $5) for update
  ), moved as (
    update attachments a set claimed_at = $4, storage_key = $2 || '/' || $3 || '/' || $1 || '-' || $6 from claimed
    where a.attachment_id = claimed.attachment_id returning a.storage_key, claimed.former, claimed.claimed_at
  ), left_over as (
    insert into attachments (attachment_id, project_id, environment_id, status, filename, mime_type, size_bytes, storage_key, created_at,
      erased_at)
    select former, $2, $3, 'erased', '', '', 0, former, $4, $4 from moved where claimed_at is not null
  )
  select storage_key as "storageKey" from moved`;

/**
 * Claims a pending attachment for an upload; undefined where another upload has it, or it is no longer pending. Each claim has a key of its
 * own in the store, so that an upload that outlives its claim cannot change what another one has stored.
 */
export async function claimUpload(
  db: Queries,
  { attachmentId, projectId, environmentId }: AttachmentKey,
  now: number,
): Promise<Upload | undefined> {
  const [row] = await db.query<{ storageKey: string }>(
    claim,
    [
      attachmentId,
      projectId,
      environmentId,
      new Date(now),
      new Date(now - claimMs),
      randomBytes(6).toString('hex'),
    ],
    'attachments.claim',
  );
  return row === undefined
    ? undefined
    : { attachmentId, projectId, environmentId, claimedAt: new Date(now), ...row };
}

/**
 * Makes the bytes count that an upload has put into the store. Otherwise they are removed: `taken`, another upload has taken over the claim;
 * `erased`, the row is gone or its bytes go.
 */
export async function completeUpload(
  db: Queries,
  media: Pick<Media, 'remove'>,
  upload: Upload,
  sha256: Buffer,
  now: number,
): Promise<'stored' | 'taken' | 'erased'> {
  const { attachmentId, projectId, environmentId, storageKey, claimedAt } = upload;
  const rows = await db.query(
    `update attachments set status = 'stored', stored_at = $6, sha256 = $5, claimed_at = null
     where attachment_id = $1 and project_id = $2 and environment_id = $3
       and status = 'pending' and claimed_at = $4 and storage_key = $7 returning 1`,
    [attachmentId, projectId, environmentId, claimedAt, sha256, new Date(now), storageKey],
    'attachments.complete',
  );
  if (rows.length > 0) return 'stored';
  const [found] = await findAttachments(db, upload, [attachmentId]);
  // The sweep may have removed the object before these bytes came: without a row they must not stay.
  if (found?.storageKey !== storageKey || found.status === 'erased') await media.remove(storageKey);
  return found === undefined || found.status === 'erased' ? 'erased' : 'taken';
}

/** Gives a claim back, so that the upload may be tried again at once. The row still says that there was one: a part of it may have been stored. */
export async function releaseUpload(
  db: Queries,
  { attachmentId, projectId, environmentId, storageKey, claimedAt }: Upload,
): Promise<void> {
  await db.query(
    `update attachments set claimed_at = to_timestamp(0)
     where attachment_id = $1 and project_id = $2 and environment_id = $3 and claimed_at = $4 and storage_key = $5`,
    [attachmentId, projectId, environmentId, claimedAt, storageKey],
    'attachments.release',
  );
}

/** A file that was announced by {@link announceFetched} will not come. */
export async function dropFetched(
  db: Queries,
  { attachmentId, projectId, environmentId }: AttachmentKey,
  now: number,
): Promise<void> {
  await db.query(
    `update attachments set status = 'erased', erased_at = $4
     where attachment_id = $1 and project_id = $2 and environment_id = $3 and status = 'pending'`,
    [attachmentId, projectId, environmentId, new Date(now)],
    'attachments.drop',
  );
}
