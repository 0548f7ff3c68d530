/**
 * Keyed hashes of the credentials that we check but never need back: API keys, refresh tokens, e-mailed tokens, stream
 * tickets. They hold 256 random bits, so one fast keyed hash is enough (a password would need a slow one): a copy of the
 * database alone neither verifies a guess nor opens anything.
 */
import { createHmac } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { KeyRing } from './keyring.ts';

/** Hashes under the ring's oldest key, so that they outlive rotations. */
export class KeyHash {
  readonly #pepper: KeyObject;

  constructor(ring: KeyRing) {
    this.#pepper = ring.derive('key-hash');
  }

  /**
   * HMAC-SHA256 (32 bytes) of the secret. Each purpose (`api-key`, `refresh-token` ...) has hashes of its own, so that
   * a credential of one sort is never found among another.
   */
  of(purpose: string, secret: string): Buffer {
    return createHmac('sha256', this.#pepper).update(purpose).update('\0').update(secret).digest();
  }
}
