/** What a file is by its first bytes, for the types that the provider passes on most. */
import { toPlainType } from './limits.ts';

/** As many bytes as {@link mayBeOfType} needs. */
export const headBytes = 16;

type Check = (head: Buffer) => boolean;

const startsWith =
  (...bytes: readonly number[]): Check =>
  head =>
    bytes.every((byte, index) => head[index] === byte);

const hasText =
  (text: string, at = 0): Check =>
  head =>
    head.toString('latin1', at, at + text.length) === text;

const any =
  (...checks: readonly Check[]): Check =>
  head =>
    checks.some(check => check(head));

const all =
  (...checks: readonly Check[]): Check =>
  head =>
    checks.every(check => check(head));

/** ISO base media: video and audio of several names. */
const isoMedia = hasText('ftyp', 4);
/** The first eleven bits of a frame of MPEG audio; of ADTS, which AAC has, too. */
const audioFrame: Check = head => head[0] === 0xff && ((head[1] ?? 0) & 0xe0) === 0xe0;
const id3 = hasText('ID3');

/** By type; of others nothing is known. */
const checks: Readonly<Record<string, Check>> = {
  'image/jpeg': startsWith(0xff, 0xd8, 0xff),
  'image/png': startsWith(0x89, 0x50, 0x4e, 0x47),
  'image/webp': all(hasText('RIFF'), hasText('WEBP', 8)),
  'audio/ogg': hasText('OggS'),
  'audio/amr': hasText('#!AMR'),
  'audio/mpeg': any(id3, audioFrame),
  'audio/aac': any(id3, audioFrame, isoMedia),
  'audio/mp4': isoMedia,
  'video/mp4': isoMedia,
  'video/3gpp': isoMedia,
  'application/pdf': hasText('%PDF-'),
};

/** Whether a file that begins so may be of that type. */
export function mayBeOfType(head: Buffer, mimeType: string): boolean {
  const type = toPlainType(mimeType);
  return !Object.hasOwn(checks, type) || checks[type]?.(head) === true;
}
