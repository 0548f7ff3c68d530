/**
 * Studio sessions as refresh families (docs/contract-decisions.md, "Sessions, limits and retention"). One row is one login.
 *
 *   (login) -> live
 *   live    -> live      rotated: the presented token becomes the predecessor of a new one
 *   live    -> revoked   logout, password reset, or reuse of a token that is neither the newest nor, within 10 s of its rotation, its
 *                        immediate predecessor; or a refresh where a workspace demands single sign-on by now, and the session is none of it
 *   live    -> ended     14 days without use, or 30 days after the login; one that another session opened, no later than that one
 *
 * The client holds `<family>.<secret>`. The name of the family is 128 random bits that no other text contains, so a token with a known
 * family and an unknown secret can only be an older token of that family: a reuse. Secrets are kept as keyed hashes.
 *
 * A successor is the keyed hash of its predecessor under a purpose of its own: 256 bits that nobody can predict without the server's key,
 * and that the server can compute again. So two tabs that refresh at once, and a client that lost the answer, get the same
 * successor within the 10 s, and nothing secret has to be kept for it.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { newId } from '../../protocol/ids.ts';
import type { AuditAction } from '../../protocol/resources/index.ts';
import { recordAccountAction, type RequestOrigin, type UserAuditContext } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { selectHasSecondFactor, Session, User, WorkspaceMember } from '../entities/index.ts';
import type { KeyedHash } from '../secrets/index.ts';
import type { RefuseAccount } from './refusal.ts';
import { mustSignOn } from './required-sign-on.ts';

type SessionRow = InferEntity<typeof Session>;

const day = 86_400_000;
export const idleMs = 14 * day;
export const absoluteMs = 30 * day;
export const leewayMs = 10_000;

/** What the client gets after a login or a refresh. */
export interface OpenSession {
  readonly sessionId: string;
  readonly userId: string;
  /** The value of the refresh cookie. */
  readonly refreshToken: string;
  /** Epoch milliseconds: when the refresh token ends, unless it is used before. */
  readonly refreshExpiresAt: number;
}

/** Where a login came from, for the list of sessions. */
export interface LoginClient extends RequestOrigin {
  readonly userAgent: string;
}

/** The user behind a live session. */
export interface LiveSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** Whether a login of the user takes more than the password. */
  readonly hasSecondFactor: boolean;
  /** Epoch milliseconds: 30 days after the login that it began with. */
  readonly expiresAt: number;
}

const selectLive = `
  select s.session_id as "sessionId", s.user_id as "userId", u.email, u.email_verified_at is not null as "emailVerified",
    ${selectHasSecondFactor('u.user_id')} as "hasSecondFactor",
    (extract(epoch from s.expires_at) * 1000)::float8 as "expiresAt"
  from sessions s join users u on u.user_id = s.user_id
  where s.session_id = $1 and s.revoked_at is null`;

/** The parts of a refresh token; undefined for a text of another form. */
function parseToken(token: string): { familyId: string; secret: string } | undefined {
  const match = /^([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(token);
  return match?.[1] === undefined || match[2] === undefined
    ? undefined
    : { familyId: match[1], secret: match[2] };
}

function same(a: Uint8Array, b: Uint8Array | null | undefined): boolean {
  return b?.length === a.length && timingSafeEqual(a, b);
}

export class Sessions {
  readonly #db: Database;
  readonly #hash: KeyedHash;
  readonly #refuse: RefuseAccount;

  constructor(db: Database, hash: KeyedHash, refuse: RefuseAccount) {
    this.#db = db;
    this.#hash = hash;
    this.#refuse = refuse;
  }

  /**
   * Opens a session inside the caller's transaction.
   *
   * @param signedOnBy the workspace whose identity provider has vouched for the user; null: the user has signed in otherwise
   * @param latest when it ends at the latest, where another session has proven the user. Default: 30 days from now
   */
  async open(
    em: EntityManager,
    userId: string,
    client: LoginClient,
    now: number,
    signedOnBy: string | null,
    latest: Date = new Date(now + absoluteMs),
  ): Promise<OpenSession> {
    const familyId = randomBytes(16).toString('base64url');
    const secret = randomBytes(32).toString('base64url');
    const at = new Date(now);
    const expiresAt = new Date(Math.min(now + absoluteMs, latest.getTime()));
    const idleExpiresAt = new Date(Math.min(now + idleMs, expiresAt.getTime()));
    const userAgent = client.userAgent.slice(0, 512).toWellFormed();
    const { sessionId } = em.create(Session, {
      sessionId: newId('session', now),
      userId,
      familyId,
      tokenHash: this.#hashSecret(secret),
      idleExpiresAt,
      expiresAt,
      address: client.address,
      userAgent,
      signedOnBy,
      createdAt: at,
      updatedAt: at,
    });
    await em.flush();
    await record(em, 'session.opened', { sessionId, userId }, { origin: client, now });
    return {
      sessionId,
      userId,
      refreshToken: `${familyId}.${secret}`,
      refreshExpiresAt: idleExpiresAt.getTime(),
    };
  }

  /**
   * Exchanges a refresh token for its successor. Refused when the token is unknown, revoked, reused or expired, and without a workspace; as
   * expired, too, when the user has to sign in by an identity provider by now, and has not. A reuse revokes the family, and so does that;
   * `revoked` is then called with its session.
   */
  async refresh(
    token: string,
    now: number,
    revoked: (sessionId: string) => void,
    origin: RequestOrigin,
  ): Promise<OpenSession> {
    const parts = parseToken(token);
    if (parts === undefined) throw this.#refuse('invalid_token');
    const { familyId, secret } = parts;
    const outcome = await this.#db.em().transactional(async em => {
      // Of several refreshes with one token, each waits here for the one before.
      const session = await em.findOne(Session, { familyId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (session === null || session.revokedAt) throw this.#refuse('invalid_token');
      if (session.expiresAt.getTime() <= now || session.idleExpiresAt.getTime() <= now) {
        throw this.#refuse('expired_token');
      }
      const user = await em.findOne(User, { userId: session.userId }, { fields: ['email'] });
      if (user === null) throw this.#refuse('invalid_token');
      if (await mustSignOn(em, user.email, session.userId, session.signedOnBy ?? null)) {
        await revoke(em, session, { origin, now }, { reason: 'single_sign_on_required' });
        return { revokedSessionId: session.sessionId, refusal: 'expired_token' as const };
      }
      const presented = this.#hashSecret(secret);
      const successor = this.#hash.digest('refresh-successor', secret).toString('base64url');
      if (same(presented, session.tokenHash)) {
        if (!(await hasWorkspace(em, session.userId))) throw this.#refuse('no_workspace');
        session.previousTokenHash = session.tokenHash;
        session.tokenHash = this.#hashSecret(successor);
        session.rotatedAt = new Date(now);
        session.updatedAt = session.rotatedAt;
        session.idleExpiresAt = new Date(Math.min(now + idleMs, session.expiresAt.getTime()));
      } else if (!this.#isLatePredecessor(session, presented, successor, now)) {
        session.revokedAt = new Date(now);
        session.updatedAt = session.revokedAt;
        await em.flush();
        await record(em, 'session.reuse_detected', session, { origin, now });
        return { revokedSessionId: session.sessionId, refusal: 'invalid_token' as const };
      }
      return {
        sessionId: session.sessionId,
        userId: session.userId,
        refreshToken: `${familyId}.${successor}`,
        refreshExpiresAt: session.idleExpiresAt.getTime(),
      };
    });
    // The revocation must be committed, so the refusal comes after the transaction.
    if (outcome.revokedSessionId !== undefined) {
      revoked(outcome.revokedSessionId);
      throw this.#refuse(outcome.refusal);
    }
    return outcome;
  }

  /** Revokes the session of a refresh token, newest or not; undefined when it belongs to none. */
  async revokeByToken(token: string, now: number, origin: RequestOrigin): Promise<string | undefined> {
    const familyId = parseToken(token)?.familyId;
    if (familyId === undefined) return undefined;
    return this.#db.em().transactional(async em => {
      const session = await em.findOne(Session, { familyId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (session === null) return undefined;
      await revoke(em, session, { origin, now });
      return session.sessionId;
    });
  }

  /** Revokes the session, at `now` in epoch milliseconds; no effect when it is revoked already or unknown. */
  async revoke(sessionId: string, now: number, origin: RequestOrigin): Promise<void> {
    await this.#db.em().transactional(async em => {
      const session = await em.findOne(Session, { sessionId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (session !== null) await revoke(em, session, { origin, now });
    });
  }

  /** The session, if it is not revoked. The caller checks whether it has expired. */
  async live(sessionId: string): Promise<LiveSession | undefined> {
    const [session] = await this.#db.query<LiveSession>(selectLive, [sessionId], 'sessions.live');
    return session;
  }

  #hashSecret(secret: string): Buffer {
    return this.#hash.digest('refresh-token', secret);
  }

  #isLatePredecessor(session: SessionRow, presented: Buffer, successor: string, now: number): boolean {
    return (
      same(presented, session.previousTokenHash) &&
      // When the server's key has changed since, the successor cannot be computed again.
      same(this.#hashSecret(successor), session.tokenHash) &&
      session.rotatedAt instanceof Date &&
      now - session.rotatedAt.getTime() <= leewayMs
    );
  }
}

/** Inside a transaction that has locked the session; no effect when it is revoked already. */
export async function revoke(
  em: EntityManager,
  session: SessionRow,
  asked: Pick<UserAuditContext, 'origin' | 'now'>,
  details: Readonly<Record<string, string>> = {},
): Promise<void> {
  if (session.revokedAt) return;
  session.revokedAt = new Date(asked.now);
  session.updatedAt = session.revokedAt;
  await em.flush();
  await record(em, 'session.closed', session, asked, details);
}

function record(
  em: EntityManager,
  action: AuditAction,
  { sessionId: targetId, userId }: Pick<SessionRow, 'sessionId' | 'userId'>,
  { origin, now }: Pick<UserAuditContext, 'origin' | 'now'>,
  details: Readonly<Record<string, string>> = {},
): Promise<void> {
  return recordAccountAction(em, { byUserId: userId, origin, now }, { action, targetId, details });
}

/** A user without any workspace cannot sign in. */
export async function hasWorkspace(em: EntityManager, userId: string): Promise<boolean> {
  return (await em.findOne(WorkspaceMember, { userId })) !== null;
}
