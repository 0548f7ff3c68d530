/** Files of text, which are read here as text alone: which they are, and what they say. */
import type { MessageAttachment } from '../../sdk/index.ts';

/** As much of a file is read, in bytes: more is for a program on the operator's machine. */
export const shownBytes = 100_000;

const types: ReadonlySet<string> = new Set([
  'text/plain',
  'text/csv',
  'text/tab-separated-values',
  'text/markdown',
  'application/json',
]);

export function isTextFile({ kind, mimeType = '' }: MessageAttachment): boolean {
  const [type = ''] = mimeType.split(';');
  return kind === 'document' && types.has(type.trim().toLowerCase());
}

export interface TextFile {
  readonly text: string;
  /** Whether the file has more. */
  readonly isCut: boolean;
}

/** Reads the start of the file. Rejects where it cannot be read. */
export async function readTextFile(url: string, signal: AbortSignal): Promise<TextFile> {
  // One more than is shown tells whether there is more.
  const response = await fetch(url, { headers: { range: `bytes=0-${shownBytes}` }, signal });
  // Of an empty file there is no range.
  if (response.status === 416) return { text: '', isCut: false };
  if (!response.ok) throw new Error(`the file was answered with ${response.status}`);
  return decodeTextFile(new Uint8Array(await response.arrayBuffer()));
}

/** By its byte order mark, else as UTF-8. What is none, and what was cut within a character, reads as U+FFFD. */
export function decodeTextFile(bytes: Uint8Array): TextFile {
  const isCut = bytes.length > shownBytes;
  const shown = bytes.subarray(0, shownBytes);
  const [first, second] = shown;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  const text = new TextDecoder(isUtf16 ? `utf-16${first === 0xff ? 'le' : 'be'}` : 'utf-8').decode(shown);
  return { text: isCut ? text.replace(/\uFFFD+$/, '') : text, isCut };
}
