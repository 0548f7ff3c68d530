/** Gives files of ours to the provider: each once for a number, which calls it by the id that it got there while the provider has it. */
import type { Readable } from 'node:stream';
import type { MessageAttachment } from '../../protocol/resources/index.ts';
import { isId } from '../../protocol/ids.ts';
import { findUpload, keepUpload } from '../../storage/chatapp/index.ts';
import type { Database, TenantScope } from '../../storage/database/index.ts';
import { findAttachments, type Media, NoSuchMedia } from '../../storage/media/index.ts';
import { type Graph, GraphError, type MediaSource, uploadMedia } from '../chatapp/index.ts';
import type { OpenConnection } from './credentials.ts';

export interface UploadServices {
  readonly db: Pick<Database, 'query'>;
  readonly graph: Graph;
  readonly media: Pick<Media, 'open'>;
  readonly now: () => number;
}

/** Milliseconds that the provider keeps what was uploaded, less a day: a message may wait before it leaves. */
const uploadKeptMs = 29 * 86_400_000;

/**
 * Resolves to the provider's id of a file of ours; undefined where there is no such file (any more). Rejects with `GraphError`, which never
 * `mayBeDone`: an upload whose answer was lost is repeated, which does no harm.
 *
 * @param file the attachment's id, and its tenant
 * @param signal ends the wait: a file may have 100 MB
 */
export async function uploadOnce(
  { db, graph, media, now }: UploadServices,
  { as, connection: { phoneNumberId } }: Pick<OpenConnection, 'as' | 'connection'>,
  { attachmentId, ...scope }: TenantScope & { readonly attachmentId: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const [file] = await findAttachments(db, scope, [attachmentId]);
  if (file?.status !== 'stored') return undefined;
  const known = await findUpload(db, { phoneNumberId, attachmentId }, now());
  if (known !== undefined) return known;
  const { filename, mimeType, sizeBytes, storageKey } = file;
  const bytes = await openFile(media, storageKey);
  if (bytes === undefined) return undefined;
  try {
    const form = { filename, mimeType, sizeBytes, bytes };
    const providerMediaId = await uploadMedia(graph, as, phoneNumberId, form, signal);
    const expiresAt = now() + uploadKeptMs;
    await keepUpload(db, { phoneNumberId, attachmentId, providerMediaId, expiresAt });
    return providerMediaId;
  } finally {
    bytes.destroy();
  }
}

async function openFile(media: Pick<Media, 'open'>, storageKey: string): Promise<Readable | undefined> {
  try {
    return await media.open(storageKey);
  } catch (error) {
    if (error instanceof NoSuchMedia) return undefined;
    throw new GraphError('The file cannot be read now.', { isTransient: true });
  }
}

/** Where the provider finds the file of a message: see {@link uploadOnce}. Undefined: nowhere. */
export async function provideFile(
  services: UploadServices,
  open: Pick<OpenConnection, 'as' | 'connection'>,
  { projectId, environmentId }: TenantScope,
  { attachmentId = '', providerMediaId, url }: MessageAttachment,
  signal: AbortSignal,
): Promise<MediaSource | undefined> {
  if (isId('attachment', attachmentId)) {
    const id = await uploadOnce(services, open, { attachmentId, projectId, environmentId }, signal);
    if (id !== undefined) return { id };
  }
  if (providerMediaId !== undefined) return { id: providerMediaId };
  return url === undefined ? undefined : { link: url };
}
