/**
 * Keyset cursors (docs/contract-decisions.md, "General rules"): the key of the last row that was shown, in a text that only this
 * installation can write and that fits one list of one tenant. It is the base64url of a 16-byte tag and the key as JSON; the tag is an
 * HMAC over scope and key.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { RootKeys } from '../secrets/index.ts';
import type { PageRows } from './page-rows.ts';

/** The values that a list is sorted by, the last of them unique; instants as epoch milliseconds. */
export type CursorKey = readonly (string | number)[];

/** The page of a list that is asked for. */
export interface PageRequest {
  readonly cursor?: string | undefined;
  readonly limit: number;
}

/** A page of a list, as every list is answered. */
export interface Page<T> {
  readonly data: T[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

/** The text is no cursor of the list. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
}

const tagBytes = 16;
/** Characters; no key of ours comes near. */
const maxLength = 2_048;

/** Writes and reads the cursors of one installation. Those of another are refused. */
export class Cursors {
  readonly #key: KeyObject;

  constructor(root: RootKeys) {
    this.#key = root.derive('cursor');
  }

  /** @param scope names the list, its tenant and its filters: the cursor is valid for exactly that */
  encode(scope: string, key: CursorKey): string {
    const payload = Buffer.from(JSON.stringify(key), 'utf8');
    return Buffer.concat([this.#tag(scope, payload), payload]).toString('base64url');
  }

  /** The key. Throws {@link InvalidCursor} for any text that `encode` did not give for the same scope. */
  decode(scope: string, text: string): CursorKey {
    const bytes = text.length > maxLength ? Buffer.alloc(0) : Buffer.from(text, 'base64url');
    const payload = bytes.subarray(tagBytes);
    const genuine =
      bytes.length > tagBytes &&
      timingSafeEqual(bytes.subarray(0, tagBytes), this.#tag(scope, payload)) &&
      // Decoding is lenient (stray characters, unused bits), but a cursor has one spelling.
      bytes.toString('base64url') === text;
    if (!genuine) throw new InvalidCursor();
    return JSON.parse(payload.toString('utf8')) as CursorKey;
  }

  #tag(scope: string, payload: Buffer): Buffer {
    const hmac = createHmac('sha256', this.#key);
    hmac.update(`${Buffer.byteLength(scope)}:${scope}:`).update(payload);
    return hmac.digest().subarray(0, tagBytes);
  }
}

/** The page as a list shows it. */
export function toPage<T>({ rows, end }: PageRows<T>, encodeKey: (end: T) => string): Page<T> {
  return { data: rows, hasMore: end !== undefined, nextCursor: end === undefined ? null : encodeKey(end) };
}
