/**
 * Studio access tokens (specification, "Authentication"; decisions section 9): EdDSA JWTs of 900 seconds with the claims
 * `type: studio`, `sub` (user) and `sid` (session). This file knows cryptography and claims; whether the session still
 * lives is asked elsewhere (authenticate.ts).
 */
import { SignJWT, errors, jwtVerify } from 'jose';
import { hash } from 'node:crypto';
import type { Clock } from '../../runtime/clock.ts';
import { ServiceError } from '../../protocol/errors.ts';
import { isId } from '../../protocol/ids.ts';
import type { Origin } from './origin.ts';
import type { TokenKeys } from './token-keys.ts';

/** Seconds that an access token lives. */
export const accessTokenSeconds = 900;
const issuer = 'skein';
const audience = 'skein-api';
/** Verified tokens that are remembered, so that a busy client costs one signature check per token and not per request. */
const maxRemembered = 10_000;

/** Who a token says that it is. */
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
  readonly #remembered = new Map<string, AccessClaims>();

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
   * The claims of a token that we signed and that has not expired. Synchronous for a token seen before; for any other a toll is paid
   * before its signature is checked.
   * Fails with `svc/auth/expired_token` for a good token past its time, `svc/auth/invalid_token` for anything else.
   */
  verify(token: string, from?: Origin): AccessClaims | Promise<AccessClaims> {
    const key = hash('sha256', token, 'base64');
    const known = this.#remembered.get(key);
    if (known === undefined) return this.#check(token, key, from);
    if (known.expiresAt > this.#clock.now()) return known;
    this.#remembered.delete(key);
    throw new ServiceError('svc/auth/expired_token');
  }

  async #check(token: string, key: string, from?: Origin): Promise<AccessClaims> {
    await from?.toll?.();
    const claims = await this.#open(token);
    // Tokens expire by themselves, so the oldest entry is the least useful one.
    if (this.#remembered.size >= maxRemembered) {
      const oldest = this.#remembered.keys().next();
      if (oldest.done !== true) this.#remembered.delete(oldest.value);
    }
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
