/**
 * The rows of the files that messages carry. An attachment is
 *
 *   pending -> stored            all its bytes have arrived and are safe in the media store
 *   stored  -> stored            a message takes it, once (storage/writes/attachments.ts)
 *   pending, stored -> erased    no message took it within a day, or personal data was erased: its bytes go, then its row
 *
 * While bytes come in, the upload claims the row, for longer than an upload may take. Of two uploads one is refused, so they never write
 * one object together, and whatever fails in between, every object in the store has a row that names it.
 */
import { createFindTenant, type Queries, type TenantScope } from '../database/index.ts';

export interface NewAttachment extends TenantScope {
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

/** An upload that has claimed its row. */
export interface Upload {
  readonly attachmentId: string;
  readonly storageKey: string;
  readonly claimedAt: Date;
}

/** Milliseconds that a claim holds: longer than an upload may take (gateway/http: 5 minutes). */
const claimMs = 600_000;

/** Announces a file: project, environment and id are its key in the store. */
export async function createAttachment(db: Queries, attachment: NewAttachment): Promise<void> {
  const { attachmentId, projectId, environmentId, filename, mimeType, sizeBytes, now } = attachment;
  const storageKey = `${projectId}/${environmentId}/${attachmentId}`;
  await db.query(
    `insert into attachments (attachment_id, project_id, environment_id, status, filename, mime_type, size_bytes, storage_key, created_at)
     values ($1, $2, $3, 'pending', $4, $5, $6, $7, $8)`,
    [attachmentId, projectId, environmentId, filename, mimeType, sizeBytes, storageKey, new Date(now)],
    'attachments.create',
  );
}

const columns = `
  attachment_id as "attachmentId", project_id as "projectId", environment_id as "environmentId", status, filename,
  mime_type as "mimeType", size_bytes as "sizeBytes", storage_key as "storageKey", message_id as "messageId"`;

/** By their ids alone, in no order: whose they are is for the caller to check. */
export function findAttachments(db: Queries, attachmentIds: readonly string[]): Promise<StoredAttachment[]> {
  return db.query<StoredAttachment>(
    `select ${columns} from attachments where attachment_id = any ($1::text[])`,
    [attachmentIds],
    'attachments.find',
  );
}

export const findAttachmentTenant = createFindTenant('attachments', 'attachment_id');

/** Claims a pending attachment for an upload; undefined where another upload has it, or it is no longer pending. */
export async function claimUpload(
  db: Queries,
  attachmentId: string,
  now: number,
): Promise<Upload | undefined> {
  const [row] = await db.query<{ storageKey: string }>(
    `update attachments set claimed_at = $2
     where attachment_id = $1 and status = 'pending' and (claimed_at is null or claimed_at < $3)
     returning storage_key as "storageKey"`,
    [attachmentId, new Date(now), new Date(now - claimMs)],
    'attachments.claim',
  );
  return row === undefined ? undefined : { attachmentId, claimedAt: new Date(now), ...row };
}

/** False where the claim was lost: the stored bytes do not count. */
export async function completeUpload(
  db: Queries,
  { attachmentId, claimedAt }: Upload,
  sha256: Buffer,
  now: number,
): Promise<boolean> {
  const rows = await db.query(
    `update attachments set status = 'stored', stored_at = $4, sha256 = $3, claimed_at = null
     where attachment_id = $1 and status = 'pending' and claimed_at = $2 returning 1`,
    [attachmentId, claimedAt, sha256, new Date(now)],
    'attachments.complete',
  );
  return rows.length > 0;
}

/** Gives a claim back, so that the upload may be tried again at once. */
export async function releaseUpload(db: Queries, { attachmentId, claimedAt }: Upload): Promise<void> {
  await db.query(
    `update attachments set claimed_at = null where attachment_id = $1 and claimed_at = $2`,
    [attachmentId, claimedAt],
    'attachments.release',
  );
}
