/**
 * Who sends a request (specification, "Authentication"): `Authorization: Bearer` with a project API key or a Studio access
 * token. Both are answered synchronously where they were seen a moment ago.
 */
import { ServiceError } from '../../protocol/errors.ts';
import { keySecretPrefix } from '../../protocol/resources/api-key.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { LiveSession, Sessions } from '../../storage/accounts/sessions.ts';
import { LookUps } from '../../storage/tenancy/look-ups.ts';
import type { Caller, UserCaller } from '../rest/handler.ts';
import type { AccessClaims, AccessTokens } from './access-tokens.ts';
import type { KeyVerifier } from './key-verifier.ts';
import type { Origin } from './origin.ts';

export interface AuthenticatorOptions {
  readonly tokens: AccessTokens;
  readonly keys: KeyVerifier;
  readonly sessions: Pick<Sessions, 'live'>;
  readonly clock: Clock;
}

/** A session that has ended does not begin again. Milliseconds that it is not asked for. */
const absentMs = 10_000;

/** A session as held in memory: the caller is made once, not per request. */
interface HeldSession {
  readonly caller: UserCaller;
  readonly expiresAt: number;
}

const bearer = /^bearer +(\S+) *$/i;

export class Authenticator {
  readonly #tokens: AccessTokens;
  readonly #keys: KeyVerifier;
  readonly #clock: Clock;
  readonly #sessions: LookUps<HeldSession, string>;

  constructor(options: AuthenticatorOptions) {
    this.#tokens = options.tokens;
    this.#keys = options.keys;
    this.#clock = options.clock;
    this.#sessions = new LookUps({
      clock: options.clock,
      absentMs,
      ask: async sessionId => {
        const session = await options.sessions.live(sessionId);
        return session === undefined ? undefined : held(session);
      },
    });
  }

  /**
   * The caller behind a header Authorization. Fails with `svc/auth/missing_credentials` when it is empty or no Bearer, and
   * with `expired_token`, `invalid_token` or `invalid_api_key` for what a Bearer may be wrong with.
   */
  authenticate(authorization: string, from: Origin): Caller | Promise<Caller> {
    const token = bearerToken(authorization);
    if (token === undefined) throw new ServiceError('svc/auth/missing_credentials');
    return isApiKey(token) ? this.#keys.verify(token, from) : this.#user(token, from);
  }

  /** The user of an access token that is good, in a session that lives; undefined for any other header. */
  async userOf(authorization: string): Promise<UserCaller | undefined> {
    const token = bearerToken(authorization);
    if (token === undefined || isApiKey(token)) return undefined;
    try {
      return await this.#user(token);
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  /** The session of an access token that is still good; undefined for any other header. Never rejects. */
  async sessionOf(authorization: string): Promise<string | undefined> {
    const token = bearerToken(authorization);
    if (token === undefined || isApiKey(token)) return undefined;
    try {
      return (await this.#tokens.verify(token)).sessionId;
    } catch {
      return undefined;
    }
  }

  /** The session was revoked: its access tokens end at once. */
  forgetSession(sessionId: string): void {
    this.#sessions.forget(sessionId);
  }

  /** The user's e-mail was verified, or all of their sessions were revoked. */
  forgetUser(userId: string): void {
    this.#sessions.forgetWhere(session => session.caller.userId === userId);
  }

  #user(token: string, from?: Origin): UserCaller | Promise<UserCaller> {
    const claims = this.#tokens.verify(token, from);
    return claims instanceof Promise ? claims.then(known => this.#inSession(known)) : this.#inSession(claims);
  }

  #inSession(claims: AccessClaims): UserCaller | Promise<UserCaller> {
    const session = this.#sessions.get(claims.sessionId, claims.sessionId);
    return session instanceof Promise
      ? session.then(found => this.#admit(found, claims))
      : this.#admit(session, claims);
  }

  #admit(session: HeldSession | undefined, claims: AccessClaims): UserCaller {
    if (session?.caller.userId !== claims.userId) throw new ServiceError('svc/auth/invalid_token');
    if (session.expiresAt <= this.#clock.now()) throw new ServiceError('svc/auth/expired_token');
    return session.caller;
  }
}

function bearerToken(authorization: string): string | undefined {
  return bearer.exec(authorization)?.[1];
}

function isApiKey(token: string): boolean {
  return token.startsWith(keySecretPrefix.test) || token.startsWith(keySecretPrefix.live);
}

function held(session: LiveSession): HeldSession {
  const { userId, sessionId, email, emailVerified, expiresAt } = session;
  return { caller: { type: 'user', userId, sessionId, email, emailVerified }, expiresAt };
}
