/** One range of a file's bytes (RFC 9110 section 14). A list of ranges may be answered with the whole file, and is. */

/** Both ends are part of it. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const form = /^bytes=(\d{0,15})-(\d{0,15})$/;

/**
 * What of a file is asked for. Undefined: all of it, since there is no range or not one that can be read, which then does not count.
 * `unsatisfiable`: nothing of the file is in it.
 */
export function parseRange(range: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = form.exec(range.trim()) ?? [];
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}
