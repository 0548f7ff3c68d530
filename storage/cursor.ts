/**
 * Keyset cursors (decisions section 1): the key of the last row that was shown, in a text that only we can write and that
 * fits one list of one tenant only. base64url of a 16-byte tag and the key as JSON; the tag is an HMAC over scope and key.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { ServiceError } from '../protocol/errors.ts';
import type { KeyRing } from './keyring.ts';
import type { Stretch } from './reads/walk.ts';

/** The values that a list is sorted by, the last of them unique; instants as epoch milliseconds. */
export type CursorKey = readonly (string | number)[];

/** The list envelope of the specification ("Common rules"). */
export interface Page<T> {
  readonly data: T[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

const tagBytes = 16;
/** No key of ours comes near it. */
const longest = 2_048;

/**
 * Writes and reads the cursors of one installation: those of another, or of before its oldest key was replaced, are
 * refused.
 */
export class Cursors {
  readonly #key: KeyObject;

  constructor(ring: KeyRing) {
    this.#key = ring.derive('cursor');
  }

  /** @param scope names the list, its tenant and its filters: the cursor is good for exactly that. */
  encode(scope: string, key: CursorKey): string {
    const payload = Buffer.from(JSON.stringify(key), 'utf8');
    return Buffer.concat([this.#tag(scope, payload), payload]).toString('base64url');
  }

  /** The key. Throws svc/runtime/invalid_request (400) for any text that `encode` did not give for the same scope. */
  decode(scope: string, text: string): CursorKey {
    const bytes = text.length > longest ? Buffer.alloc(0) : Buffer.from(text, 'base64url');
    const payload = bytes.subarray(tagBytes);
    const genuine =
      bytes.length > tagBytes &&
      timingSafeEqual(bytes.subarray(0, tagBytes), this.#tag(scope, payload)) &&
      // Decoding is lenient (stray characters, unused bits); a cursor has one spelling.
      bytes.toString('base64url') === text;
    if (!genuine) {
      throw new ServiceError('svc/runtime/invalid_request', {
        message: 'The cursor is not one of this list.',
      });
    }
    return JSON.parse(payload.toString('utf8')) as CursorKey;
  }

  #tag(scope: string, payload: Buffer): Buffer {
    const hmac = createHmac('sha256', this.#key);
    hmac.update(`${Buffer.byteLength(scope)}:${scope}:`).update(payload);
    return hmac.digest().subarray(0, tagBytes);
  }
}

/** A page from `limit + 1` rows: the one too many only says that there is more. */
export function page<T>(rows: readonly T[], limit: number, encodeKey: (last: T) => string): Page<T> {
  const data = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const last = data.at(-1);
  return { data, hasMore, nextCursor: hasMore && last !== undefined ? encodeKey(last) : null };
}

/** A page that a walk brought: see reads/walk.ts. */
export function pageOf<T>({ rows, end }: Stretch<T>, encodeKey: (end: T) => string): Page<T> {
  return { data: rows, hasMore: end !== undefined, nextCursor: end === undefined ? null : encodeKey(end) };
}
