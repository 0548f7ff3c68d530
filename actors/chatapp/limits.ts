/** What the provider takes as a file, by kind. What it would refuse is refused before it is stored, and never leaves. */
import { invalid, type ServiceError } from '../../protocol/errors.ts';
import type { AttachmentKind, MessageAttachment } from '../../protocol/resources/index.ts';

interface FileLimit {
  readonly maxBytes: number;
  /** Absent: any. */
  readonly types?: readonly string[];
}

const megabyte = 1_048_576;

/** https://developers.facebook.com/docs/whatsapp/cloud-api/reference/media ("Supported Media Types"). */
const limits: Readonly<Record<AttachmentKind, FileLimit>> = {
  audio: {
    maxBytes: 16 * megabyte,
    types: ['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4', 'audio/ogg'],
  },
  image: { maxBytes: 5 * megabyte, types: ['image/jpeg', 'image/png'] },
  video: { maxBytes: 16 * megabyte, types: ['video/mp4', 'video/3gpp'] },
  document: { maxBytes: 100 * megabyte },
  // One that does not move may have a fifth of it; which of the two it is, only its bytes say.
  sticker: { maxBytes: 500 * 1_024, types: ['image/webp'] },
};

/**
 * Why the provider would not take the file: 422. Undefined: nothing is known against it. Of a file that lies elsewhere, size and type may
 * not be known.
 *
 * @param path of the attachment in the request
 */
export function findFileObstacle(
  { kind, mimeType, sizeBytes }: Pick<MessageAttachment, 'kind' | 'mimeType' | 'sizeBytes'>,
  path = '/body/attachments/0',
): ServiceError | undefined {
  const { maxBytes, types } = limits[kind];
  if (sizeBytes !== undefined && sizeBytes > maxBytes) {
    const message = `must not have more than ${maxBytes} bytes: the provider takes no larger file of the kind ${kind}`;
    return invalid([{ path: `${path}/sizeBytes`, message, code: 'maximum' }]);
  }
  if (types === undefined || mimeType === undefined || types.includes(toPlainType(mimeType)))
    return undefined;
  const message = `must be one of ${types.join(', ')}: the provider takes no other file of the kind ${kind}`;
  return invalid([{ path: `${path}/mimeType`, message, code: 'enum' }]);
}

/** Without its parameters. */
export function toPlainType(mimeType: string): string {
  return (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase();
}
