/**
 * Keyed hashes of the credentials that are checked but never needed again: API keys, refresh tokens, e-mailed tokens, stream tickets. They
 * hold 192 random bits or more, so one fast keyed hash is enough (a password would need a slow one). A copy of the database alone neither
 * verifies a guess nor opens anything.
 */
import { createHmac } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A key for each purpose, the same for as long as the database lives: its root (hash-root.ts). */
export interface RootKeys {
  derive(purpose: string): KeyObject;
}

/** Hashes under the root, so that they outlive rotations. */
export class KeyedHash {
  readonly #pepper: KeyObject;

  constructor(root: RootKeys) {
    this.#pepper = root.derive('key-hash');
  }

  /**
   * HMAC-SHA256 (32 bytes) of the secret. Each purpose (`api-key`, `refresh-token` ...) has hashes of its own, so that a credential of one
   * kind is never found among those of another.
   */
  digest(purpose: string, secret: string): Buffer {
    return createHmac('sha256', this.#pepper).update(purpose).update('\0').update(secret).digest();
  }
}
