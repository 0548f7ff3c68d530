/**
 * Studio access tokens (docs/contract-decisions.md, "Sessions and passwords"): EdDSA JWTs of 900 seconds with the claims
 * `type: studio`, `sub` (user) and `sid` (session). This file knows cryptography and claims; authenticate.ts checks whether the
 * session still lives.
 *
 * The keys are Ed25519, named by `kid`. The first key of the ring signs, all of them verify: a key is retired by putting a new
 * one in front, and dropping the old one 15 minutes later.
 */
import { SignJWT, errors, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { createPrivateKey, createPublicKey, hash, type KeyObject } from 'node:crypto';
import { ServiceError } from '../../protocol/errors.ts';
import { isId } from '../../protocol/ids.ts';
import type { Clock } from '../../runtime/time/index.ts';
import { parseKeys } from '../../storage/secrets/index.ts';
import type { Maybe } from '../pipeline/index.ts';

/** Seconds that an access token lives. */
export const accessTokenSeconds = 900;
const issuer = 'skein';
const audience = 'skein-api';
/** Verified tokens that are remembered, so that a busy client costs one signature check per token and not per request. */
const maxRemembered = 10_000;

/** Where a request comes from, as far as its credential is concerned. */
export interface RequestSource {
  /** The client's IP address. Determined when it is read. */
  readonly address: string;
  /** Charges the address for the look-up of a credential that this node does not know; throws or rejects where that is refused. */
  chargeAnonymous?(): Maybe<void>;
}

/** The ring of signing keys, ready for use. */
export interface TokenKeys {
  /** Signs new tokens. */
  readonly current: { readonly kid: string; readonly key: KeyObject };
  /** Public halves by kid. */
  readonly verify: ReadonlyMap<string, KeyObject>;
}

/** Whom a token names. */
export interface AccessClaims {
  readonly userId: string;
  readonly sessionId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** Issues and checks tokens under one ring of keys. */
export class AccessTokens {
  readonly #keys: TokenKeys;
  readonly #clock: Clock;
  readonly #remembered = new LRUCache<string, AccessClaims>({ max: maxRemembered });

  constructor(keys: TokenKeys, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** A signed token that lives `accessTokenSeconds` from now. */
  issue(userId: string, sessionId: string): Promise<string> {
    const now = Math.floor(this.#clock.now() / 1000);
    return new SignJWT({ type: 'studio', sid: sessionId })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid: this.#keys.current.kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(userId)
      .setIssuedAt(now)
      .setExpirationTime(now + accessTokenSeconds)
      .sign(this.#keys.current.key);
  }

  /**
   * The claims of a token that we signed and that has not expired. Synchronous for a token seen before; for any other the sender is
   * charged before its signature is checked.
   * Fails with `svc/auth/expired_token` for a good token past its time, `svc/auth/invalid_token` for anything else.
   */
  verify(token: string, from?: RequestSource): Maybe<AccessClaims> {
    const key = hash('sha256', token, 'base64');
    const known = this.#remembered.get(key);
    if (known === undefined) return this.#check(token, key, from);
    if (known.expiresAt > this.#clock.now()) return known;
    this.#remembered.delete(key);
    throw new ServiceError('svc/auth/expired_token');
  }

  async #check(token: string, key: string, from?: RequestSource): Promise<AccessClaims> {
    await from?.chargeAnonymous?.();
    const claims = await this.#open(token);
    this.#remembered.set(key, claims);
    return claims;
  }

  async #open(token: string): Promise<AccessClaims> {
    try {
      const { payload } = await jwtVerify(
        token,
        header => {
          const key = this.#keys.verify.get(header.kid ?? '');
          if (key === undefined) throw new ServiceError('svc/auth/invalid_token');
          return key;
        },
        {
          algorithms: ['EdDSA'],
          issuer,
          audience,
          typ: 'JWT',
          requiredClaims: ['type', 'sub', 'sid', 'iat', 'exp'],
          currentDate: new Date(this.#clock.now()),
        },
      );
      const { type, sub, sid, exp } = payload;
      // requiredClaims tests presence only.
      if (type !== 'studio' || typeof sid !== 'string' || !isId('session', sid)) throw invalidToken();
      if (sub === undefined || !isId('user', sub) || exp === undefined) throw invalidToken();
      return { userId: sub, sessionId: sid, expiresAt: exp * 1000 };
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new ServiceError('svc/auth/expired_token');
      throw invalidToken();
    }
  }
}

function invalidToken(): ServiceError {
  return new ServiceError('svc/auth/invalid_token');
}

/** What stands before the 32 bytes of the seed in the PKCS #8 form of an Ed25519 key (RFC 8410, section 7). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Reads TOKEN_KEYS: `kid:base64,kid:base64`, each the 32 bytes of an Ed25519 seed in base64 or base64url.
 * Throws an Error that names the fault and never shows key material.
 */
export function parseTokenKeys(text: string): TokenKeys {
  const verify = new Map<string, KeyObject>();
  let current: TokenKeys['current'] | undefined;
  for (const [kid, seed] of parseKeys('token key', text)) {
    const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
    current ??= { kid, key };
    verify.set(kid, createPublicKey(key));
  }
  if (current === undefined) throw new Error('token keys are empty');
  return { current, verify };
}
