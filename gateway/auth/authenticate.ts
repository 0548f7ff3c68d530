/**
 * Who sends a request: `Authorization: Bearer` with a project API key or a Studio access token. Both are answered synchronously
 * where they were seen a moment ago. A credential that this node does not know costs its sender a charge before it is looked up.
 */
import { hash } from 'node:crypto';
import { ServiceError } from '../../protocol/errors.ts';
import { keySecretForm, keySecretPrefix } from '../../protocol/resources/index.ts';
import type { Clock, Timer } from '../../runtime/time/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { LiveSession, Sessions } from '../../storage/accounts/index.ts';
import type { ApiKeys, KeyGrant, KeyUse } from '../../storage/tenancy/index.ts';
import { TtlCache } from '../../storage/database/index.ts';
import { chain, type Caller, type KeyCaller, type Maybe, type UserCaller } from '../pipeline/index.ts';
import type { AccessClaims, AccessTokens, RequestSource } from './access-tokens.ts';

/**
 * How long a key or session that was not found is not looked up again, in milliseconds: a key would have to be guessed, and a
 * session that has ended does not begin again.
 */
const absentMs = 10_000;

const bearer = /^bearer +(\S+) *$/i;

export interface AuthenticatorOptions {
  readonly tokens: AccessTokens;
  readonly keys: KeyVerifier;
  readonly sessions: Pick<Sessions, 'live'>;
  readonly clock: Clock;
  /** Whether users have to verify their address before they may do anything else. Default false. */
  readonly mustVerify?: boolean;
}

/** A session as held in memory: the caller is made once, not per request. */
interface HeldSession {
  readonly caller: UserCaller;
  readonly expiresAt: number;
}

export class Authenticator {
  readonly #tokens: AccessTokens;
  readonly #keys: KeyVerifier;
  readonly #clock: Clock;
  readonly #sessions: TtlCache<HeldSession, string>;

  constructor(options: AuthenticatorOptions) {
    this.#tokens = options.tokens;
    this.#keys = options.keys;
    this.#clock = options.clock;
    this.#sessions = new TtlCache({
      clock: options.clock,
      absentMs,
      load: async sessionId => {
        const session = await options.sessions.live(sessionId);
        return session === undefined ? undefined : holdSession(session, options.mustVerify ?? false);
      },
    });
  }

  /**
   * The caller behind an Authorization header. Fails with `svc/auth/missing_credentials` when it is empty or no Bearer, and
   * with `expired_token`, `invalid_token` or `invalid_api_key` for what may be wrong with a Bearer.
   */
  authenticate(authorization: string, from: RequestSource): Maybe<Caller> {
    const token = bearerToken(authorization);
    if (token === undefined) throw new ServiceError('svc/auth/missing_credentials');
    return isApiKey(token) ? this.#keys.verify(token, from) : this.#verifyUser(token, from);
  }

  /** The user of a valid access token, in a session that lives; undefined for any other header. */
  async findUser(authorization: string): Promise<UserCaller | undefined> {
    const token = bearerToken(authorization);
    if (token === undefined || isApiKey(token)) return undefined;
    try {
      return await this.#verifyUser(token);
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  /** When the access token of a header expires, in epoch milliseconds. Rejects where it is none, or is no longer valid. */
  async getTokenExpiry(authorization: string): Promise<number> {
    return (await this.#tokens.verify(bearerToken(authorization) ?? '')).expiresAt;
  }

  /** The session of a valid access token; undefined for any other header. Never rejects. */
  async findSession(authorization: string): Promise<string | undefined> {
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
    this.#sessions.invalidate(sessionId);
  }

  /** The user's e-mail was verified, the second factor has changed, or all of their sessions were revoked. */
  forgetUser(userId: string): void {
    this.#sessions.invalidateWhere(session => session.caller.userId === userId);
  }

  #verifyUser(token: string, from?: RequestSource): Maybe<UserCaller> {
    return chain(this.#tokens.verify(token, from), claims =>
      chain(this.#sessions.get(claims.sessionId, claims.sessionId), session => this.#admit(session, claims)),
    );
  }

  #admit(session: HeldSession | undefined, claims: AccessClaims): UserCaller {
    if (session?.caller.userId !== claims.userId) throw new ServiceError('svc/auth/invalid_token');
    if (session.expiresAt <= this.#clock.now()) throw new ServiceError('svc/auth/expired_token');
    return session.caller;
  }
}

/** Milliseconds between two writes of last uses. */
const flushMs = 10_000;
/** A use within this time of the one noted adds nothing to it. */
const useEveryMs = 1_000;
/** Last uses that wait to be written; the keys beyond it wait for their next use. */
const maxUses = 10_000;

/** A key as held in memory: the caller is made once, not per request. */
interface HeldKey {
  readonly caller: KeyCaller;
  readonly endsAt: number;
  readonly isArchived: boolean;
}

export interface KeyVerifierOptions {
  readonly apiKeys: Pick<ApiKeys, 'findGrant' | 'recordUses'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * API keys on the hot path. A key that was seen within the last second is answered synchronously from memory, by the
 * SHA-256 of what was presented (the secret itself is not kept). After that it is looked up in the database again. A
 * revocation in this process shows at once, one on another node within a second or when its event arrives (`forget`).
 *
 * Last uses are gathered here, and written in one statement at most every 10 s.
 */
export class KeyVerifier {
  readonly #apiKeys: KeyVerifierOptions['apiKeys'];
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #held: TtlCache<HeldKey, string>;
  #uses = new Map<string, KeyUse>();
  #timer: Timer | undefined;
  #flushing: Promise<void> | undefined;

  constructor(options: KeyVerifierOptions) {
    this.#apiKeys = options.apiKeys;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#held = new TtlCache({
      clock: options.clock,
      absentMs,
      load: async secret => {
        const grant = await this.#apiKeys.findGrant(secret);
        return grant === undefined ? undefined : holdKey(grant);
      },
    });
  }

  /**
   * Who presents the key. Fails with `svc/auth/invalid_api_key`: malformed, unknown, revoked, expired, of an archived project.
   *
   * @param from the sender. Its address is read at most once a second, because to find it costs more (3.8 microseconds) than to look
   * up the key.
   */
  verify(secret: string, from: RequestSource): Maybe<KeyCaller> {
    // What does not have the form of a secret is refused without asking the database.
    if (!keySecretForm.test(secret)) throw new ServiceError('svc/auth/invalid_api_key');
    const name = hash('sha256', secret, 'base64');
    const charged = this.#held.has(name) ? undefined : from.chargeAnonymous?.();
    return chain(charged, () => chain(this.#held.get(name, secret), key => this.#admit(key, from)));
  }

  /** The key was revoked or changed: it is looked up again at its next use. */
  forget(apiKeyId: string): void {
    this.#held.invalidateWhere(key => key.caller.apiKeyId === apiKeyId);
  }

  /** Projects were archived or restored: every key is looked up again at its next use. */
  forgetAll(): void {
    this.#held.invalidateWhere(() => true);
  }

  /** Writes the last uses that wait, and stops the timer. Idempotent. */
  async drain(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    await this.#flushing;
    await this.#flush();
  }

  #admit(key: HeldKey | undefined, from: RequestSource): KeyCaller {
    const now = this.#clock.now();
    if (key === undefined || key.endsAt <= now) throw new ServiceError('svc/auth/invalid_api_key');
    if (key.isArchived) {
      const message =
        'The project of the API key is archived: the key works again when somebody restores it.';
      throw new ServiceError('svc/auth/invalid_api_key', { message });
    }
    const { apiKeyId } = key.caller;
    const last = this.#uses.get(apiKeyId);
    if (last === undefined ? this.#uses.size < maxUses : now - last.at >= useEveryMs) {
      this.#uses.set(apiKeyId, { apiKeyId, at: now, address: from.address });
      this.#timer ??= this.#clock.after(flushMs, () => {
        this.#timer = undefined;
        this.#flushing = this.#flush();
      });
    }
    return key.caller;
  }

  async #flush(): Promise<void> {
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses.values()];
    this.#uses = new Map();
    try {
      await this.#apiKeys.recordUses(uses);
    } catch (error) {
      // The last use of a key is for information only: the next use writes it again.
      this.#log.warn({ err: error, keys: uses.length }, 'the last uses of API keys could not be written');
    }
  }
}

function bearerToken(authorization: string): string | undefined {
  return bearer.exec(authorization)?.[1];
}

function isApiKey(token: string): boolean {
  return token.startsWith(keySecretPrefix.test) || token.startsWith(keySecretPrefix.live);
}

function holdSession(session: LiveSession, areUnprovenLimited: boolean): HeldSession {
  const { userId, sessionId, email, emailVerified, hasSecondFactor, expiresAt } = session;
  const mustVerify = areUnprovenLimited && !emailVerified;
  const caller = {
    type: 'user',
    userId,
    sessionId,
    email,
    emailVerified,
    hasSecondFactor,
    mustVerify,
  } as const;
  return { caller, expiresAt };
}

function holdKey(grant: KeyGrant): HeldKey {
  const { apiKeyId, firstKeyId, projectId, environmentId, environmentKind, scopes, createdByUserId } = grant;
  return {
    caller: {
      type: 'key',
      apiKeyId,
      firstKeyId,
      projectId,
      environmentId,
      environmentKind,
      scopes: new Set(scopes),
      createdByUserId,
    },
    endsAt: grant.endsAt ?? Infinity,
    isArchived: grant.isArchived,
  };
}
