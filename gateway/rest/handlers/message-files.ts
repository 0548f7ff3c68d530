/**
 * The uploaded files among a message's attachments. What they are is told by the store and not by the request: type, size, name
 * and key of a file of ours are those of its row.
 */
import type { NewMessage } from '../../../actors/thread/commands.ts';
import { invalid, type Issue } from '../../../protocol/errors.ts';
import { isId } from '../../../protocol/ids.ts';
import type { AttachmentInput, AttachmentKind } from '../../../protocol/resources/attachment.ts';
import { findAttachments, type StoredAttachment } from '../../../storage/attachments.ts';
import type { Database } from '../../../storage/database.ts';
import type { Place } from '../../../storage/reads/place.ts';

/** What the types of a kind begin with; a document may be anything. */
const typesOf: Readonly<Record<AttachmentKind, string>> = {
  image: 'image/',
  sticker: 'image/',
  audio: 'audio/',
  video: 'video/',
  document: '',
};

/**
 * The message as its thread is to be given it. 422 for an id of ours that is no uploaded file of this environment, or that a message
 * has taken; for a kind that its type does not fit; for a storage key that is not the file's own. A value where there are no attachments.
 */
export function withFiles(
  db: Pick<Database, 'query'>,
  place: Place,
  message: NewMessage,
  attachments: readonly AttachmentInput[] = [],
): NewMessage | Promise<NewMessage> {
  return attachments.length === 0 ? message : lookUp(db, place, message, attachments);
}

async function lookUp(
  db: Pick<Database, 'query'>,
  { projectId, environmentId }: Place,
  message: NewMessage,
  attachments: readonly AttachmentInput[],
): Promise<NewMessage> {
  const named = attachments.flatMap(({ attachmentId = '' }) =>
    isId('attachment', attachmentId) ? attachmentId : [],
  );
  const files = [...new Set(named)];
  const found = files.length === 0 ? [] : await findAttachments(db, files);
  const free = new Map(
    found
      .filter(file => file.projectId === projectId && file.environmentId === environmentId)
      .filter(({ status, messageId }) => status === 'stored' && messageId === null)
      .map(file => [file.attachmentId, file]),
  );
  const issues: Issue[] = attachments.flatMap((attachment, index) =>
    faultOf(attachment, free, `/body/attachments/${index}`),
  );
  if (issues.length > 0) throw invalid(issues);
  const shown = attachments.map(attachment => {
    const file = free.get(attachment.attachmentId ?? '');
    if (file === undefined) return attachment;
    const { mimeType, filename, sizeBytes, storageKey } = file;
    return { ...attachment, mimeType, filename, sizeBytes, storageKey };
  });
  return { ...message, attachments: shown, ...(files.length === 0 ? {} : { files }) };
}

function faultOf(
  { kind, attachmentId = '', storageKey }: AttachmentInput,
  free: ReadonlyMap<string, StoredAttachment>,
  path: string,
): Issue[] {
  const file = free.get(attachmentId);
  if (isId('attachment', attachmentId) && file === undefined) {
    const message = 'must name an uploaded file that no message has taken';
    return [{ path: `${path}/attachmentId`, message, code: 'attachment' }];
  }
  if (file !== undefined && !file.mimeType.toLowerCase().startsWith(typesOf[kind])) {
    return [{ path: `${path}/kind`, message: `must fit the type ${file.mimeType}`, code: 'kind' }];
  }
  if (storageKey !== undefined && storageKey !== file?.storageKey) {
    const message = 'is given by the media store: name an attachmentId';
    return [{ path: `${path}/storageKey`, message, code: 'storageKey' }];
  }
  return [];
}
