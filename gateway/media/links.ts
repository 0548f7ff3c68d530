/**
 * Signed addresses of files: `{base}/media/{attachmentId}?kid=&expires=&signature=`. Whoever has an address may do one thing with one
 * file, until it expires. The signature is an HMAC over all parts, including the key's id, so that no part can be exchanged and an
 * address ends with its key.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { ServiceError } from '../../protocol/errors.ts';
import type { KeyRing } from '../../storage/secrets/index.ts';

/** What an address is for. */
export type MediaUse = 'upload' | 'read';

export interface MediaLink {
  readonly url: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** How long an address is valid (docs/contract-decisions.md, "Sessions, limits and retention"). */
const linkMs = 300_000;

const queryPattern = /^kid=([A-Za-z0-9._-]{1,64})&expires=([0-9]{1,12})&signature=([A-Za-z0-9_-]{43})$/;

/** Makes and checks the addresses. */
export class MediaLinks {
  readonly #ring: KeyRing;
  readonly #baseUrl: string;
  readonly #keys = new Map<string, KeyObject>();

  /** @param baseUrl the public address, without a slash at its end */
  constructor(ring: KeyRing, baseUrl: string) {
    this.#ring = ring;
    this.#baseUrl = baseUrl;
  }

  /** @param now epoch milliseconds */
  make(use: MediaUse, attachmentId: string, now: number): MediaLink {
    const { kid } = this.#ring.newest;
    // Whole seconds, so that address and answer say the same.
    const expires = Math.floor((now + linkMs) / 1_000);
    const signature = this.#sign(use, attachmentId, kid, expires)?.toString('base64url') ?? '';
    return {
      url: `${this.#baseUrl}/media/${attachmentId}?kid=${kid}&expires=${expires}&signature=${signature}`,
      expiresAt: new Date(expires * 1_000).toISOString(),
    };
  }

  /**
   * Throws 401 `svc/auth/invalid_token` unless the query is exactly what {@link make} gave for this use and object, and
   * `svc/auth/expired_token` once its time is over.
   */
  check(use: MediaUse, attachmentId: string, query: string, now: number): void {
    const [, kid = '', expires = '', given = ''] = queryPattern.exec(query) ?? [];
    const wanted = this.#sign(use, attachmentId, kid, Number(expires));
    const signature = Buffer.from(given, 'base64url');
    const isGenuine =
      wanted?.length === signature.length &&
      timingSafeEqual(wanted, signature) &&
      // Decoding ignores unused bits, but a signature has exactly one spelling.
      signature.toString('base64url') === given;
    if (!isGenuine) {
      throw new ServiceError('svc/auth/invalid_token', { message: 'The address is not valid.' });
    }
    if (now >= Number(expires) * 1_000) {
      throw new ServiceError('svc/auth/expired_token', { message: 'The address has expired.' });
    }
  }

  #sign(use: MediaUse, attachmentId: string, kid: string, expires: number): Buffer | undefined {
    const key = this.#getKey(kid);
    if (key === undefined) return undefined;
    // No part can contain a line feed, so the lines are unambiguous.
    return createHmac('sha256', key).update(`${use}\n${kid}\n${attachmentId}\n${expires}`).digest();
  }

  #getKey(kid: string): KeyObject | undefined {
    let key = this.#keys.get(kid);
    if (key === undefined) {
      key = this.#ring.deriveFrom(kid, 'media-link');
      if (key !== undefined) this.#keys.set(kid, key);
    }
    return key;
  }
}
