/**
 * Files that the chat provider has, and those of ours that it has taken. A row of `chatapp_files` is written in the commit that stores the
 * message of the file (storage/writes/files.ts), and deleted in the one that says what became of the file.
 *
 *   due -> claimed      one winner, who fetches the file; nobody else does before the claim ends
 *   claimed -> due      it could not be fetched, or whoever has claimed it has gone
 *   any -> (deleted)    it is kept here, or it has failed, or it was erased
 *
 * A row of `chatapp_uploads` is what the provider calls a file of ours. Where one is lost, the file is uploaded once more.
 */
import type { AttachmentKind } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import { createFindChannels } from './channels-with-work.ts';

interface FileKey extends TenantScope {
  readonly attachmentId: string;
}

/** A file of a message, as the provider has told it. */
export interface ClaimedFile extends FileKey {
  readonly channelId: string;
  readonly threadId: string;
  readonly messageId: string;
  readonly providerMediaId: string;
  /** As what it was sent; null: its message is not there any more. */
  readonly kind: AttachmentKind | null;
  readonly mimeType: string;
  readonly filename: string | null;
  /** Of its bytes, in hexadecimal or base64. */
  readonly sha256: string | null;
  readonly createdAt: Date;
  /** How often it was claimed, this time included. */
  readonly attempts: number;
}

export interface FileClaim {
  readonly channelId: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** When whoever has claimed them must have gone, in epoch milliseconds. */
  readonly until: number;
  readonly limit: number;
}

/** Claims those that are due, the longest due first. */
export function claimFiles(db: Queries, { channelId, now, until, limit }: FileClaim): Promise<ClaimedFile[]> {
  return db.query<ClaimedFile>(
    `update chatapp_files f set next_at = $3, attempts = f.attempts + 1
     where f.attachment_id = any (array(
       select attachment_id from chatapp_files where channel_id = $1 and next_at <= $2
       order by next_at limit $4 for update skip locked))
     returning attachment_id as "attachmentId", project_id as "projectId", environment_id as "environmentId",
       channel_id as "channelId", thread_id as "threadId", message_id as "messageId", provider_media_id as "providerMediaId",
       (select a ->> 'kind' from messages m, jsonb_array_elements(m.attachments) a
        where m.message_id = f.message_id and m.project_id = f.project_id and a ->> 'attachmentId' = f.attachment_id) as kind,
       mime_type as "mimeType", filename, sha256, created_at as "createdAt", attempts`,
    [channelId, new Date(now), new Date(until), limit],
    'chatapp_files.claim',
  );
}

/** Gives a claim back: the file may be fetched again at that time. */
export async function postponeFile(
  db: Queries,
  { attachmentId, projectId, environmentId }: FileKey,
  { at, attempts }: { readonly at: number; readonly attempts: number },
): Promise<void> {
  await db.query(
    `update chatapp_files set next_at = $4, attempts = $5
     where attachment_id = $1 and project_id = $2 and environment_id = $3`,
    [attachmentId, projectId, environmentId, new Date(at), attempts],
    'chatapp_files.postpone',
  );
}

/** The file's message is not there any more. */
export async function dropFile(
  db: Queries,
  { attachmentId, projectId, environmentId }: FileKey,
): Promise<void> {
  await db.query(
    `delete from chatapp_files where attachment_id = $1 and project_id = $2 and environment_id = $3`,
    [attachmentId, projectId, environmentId],
    'chatapp_files.drop',
  );
}

/** When the next file is due, in epoch milliseconds; undefined: none is awaited. */
export async function nextFileAt(db: Queries, channelId: string): Promise<number | undefined> {
  const [row] = await db.query<{ at: Date | null }>(
    `select min(next_at) as at from chatapp_files where channel_id = $1`,
    [channelId],
    'chatapp_files.next',
  );
  return row?.at?.getTime();
}

/** Channels with a file that is due. */
export const channelsWithFiles = createFindChannels('chatapp_files', 'next_at <= now()');

/** A file of ours, and the number that gives it to the provider. */
export interface UploadKey {
  readonly phoneNumberId: string;
  readonly attachmentId: string;
}

/** What the provider calls the file; undefined where it has not taken it, or may not have it any more at that time. */
export async function findUpload(
  db: Queries,
  { phoneNumberId, attachmentId }: UploadKey,
  at: number,
): Promise<string | undefined> {
  const [row] = await db.query<{ providerMediaId: string }>(
    `select provider_media_id as "providerMediaId" from chatapp_uploads
     where phone_number_id = $1 and attachment_id = $2 and expires_at > $3`,
    [phoneNumberId, attachmentId, new Date(at)],
    'chatapp_uploads.find',
  );
  return row?.providerMediaId;
}

export interface Upload extends UploadKey {
  readonly providerMediaId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** The provider has taken the file. Of two uploads of one file the later counts. */
export async function keepUpload(
  db: Queries,
  { phoneNumberId, attachmentId, providerMediaId, expiresAt }: Upload,
): Promise<void> {
  await db.query(
    `insert into chatapp_uploads (phone_number_id, attachment_id, provider_media_id, expires_at) values ($1, $2, $3, $4)
     on conflict (phone_number_id, attachment_id) do update
       set provider_media_id = excluded.provider_media_id, expires_at = excluded.expires_at`,
    [phoneNumberId, attachmentId, providerMediaId, new Date(expiresAt)],
    'chatapp_uploads.keep',
  );
}

/** The provider may not have the file any more. */
export async function dropUpload(db: Queries, { phoneNumberId, attachmentId }: UploadKey): Promise<void> {
  await db.query(
    `delete from chatapp_uploads where phone_number_id = $1 and attachment_id = $2`,
    [phoneNumberId, attachmentId],
    'chatapp_uploads.drop',
  );
}
