/**
 * Studio sessions: refresh families (decisions section 9). One row is one login.
 *
 *   open     -> live
 *   live     -> live      rotated: the presented token becomes the predecessor of a new one
 *   live     -> revoked   logout, password reset, or reuse of a token that is neither the newest nor, within 10 s of its
 *                         rotation, its immediate predecessor
 *   live     -> ended     14 days without use, 30 days after the login
 *
 * What the client holds is `<family>.<secret>`. The family's name is 128 random bits that stand in nothing else that
 * leaves the house, so a token with a known family and an unknown secret can only be an older token of that family: a
 * reuse. Secrets are kept as keyed hashes.
 *
 * A successor is the keyed hash of its predecessor under a purpose of its own: 256 bits that nobody can foresee without
 * the server's key, and that the server can make again. So two tabs that refresh at once, or a client that lost
 * the answer, are given the same successor within the leeway, and nothing secret has to be kept for it.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { AuditAction } from '../../protocol/resources/audit.ts';
import { recordOwnAct, type Doing, type Origin } from '../audit.ts';
import type { Database } from '../database.ts';
import { Session } from '../entities/accounts.ts';
import { WorkspaceMember } from '../entities/tenancy.ts';
import type { KeyHash } from '../keyhash.ts';

type SessionRow = InferEntity<typeof Session>;

const day = 86_400_000;
export const idleMs = 14 * day;
export const absoluteMs = 30 * day;
export const leewayMs = 10_000;

/** What is handed to the client after a login or a refresh. */
export interface OpenSession {
  readonly sessionId: string;
  readonly userId: string;
  /** The value of the refresh cookie. */
  readonly refreshToken: string;
  /** Epoch milliseconds: when the refresh token ends unless it is used before. */
  readonly refreshExpiresAt: number;
}

/** Where a login came from, for the list of sessions. */
export interface Client extends Origin {
  readonly userAgent: string;
}

/** The user behind a live session. */
export interface LiveSession {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** Epoch milliseconds: 30 days after the login. */
  readonly expiresAt: number;
}

const selectLive = `
  select s.session_id as "sessionId", s.user_id as "userId", u.email, u.email_verified_at is not null as "emailVerified",
    (extract(epoch from s.expires_at) * 1000)::float8 as "expiresAt"
  from sessions s join users u on u.user_id = s.user_id
  where s.session_id = $1 and s.revoked_at is null`;

/** The parts of a refresh token; undefined when it has not their form. */
function parse(token: string): { familyId: string; secret: string } | undefined {
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
  readonly #hash: KeyHash;

  constructor(db: Database, hash: KeyHash) {
    this.#db = db;
    this.#hash = hash;
  }

  /** Opens a session inside the caller's transaction. */
  async open(em: EntityManager, userId: string, client: Client, now: number): Promise<OpenSession> {
    const familyId = randomBytes(16).toString('base64url');
    const secret = randomBytes(32).toString('base64url');
    const at = new Date(now);
    const idleExpiresAt = new Date(now + idleMs);
    const userAgent = client.userAgent.slice(0, 512).toWellFormed();
    const { sessionId } = em.create(Session, {
      sessionId: newId('session', now),
      userId,
      familyId,
      tokenHash: this.#stored(secret),
      idleExpiresAt,
      expiresAt: new Date(now + absoluteMs),
      address: client.address,
      userAgent,
      createdAt: at,
      updatedAt: at,
    });
    await em.flush();
    await record(em, 'session.opened', { sessionId, userId }, { origin: client, now }, { userAgent });
    return {
      sessionId,
      userId,
      refreshToken: `${familyId}.${secret}`,
      refreshExpiresAt: idleExpiresAt.getTime(),
    };
  }

  /**
   * Exchanges a refresh token for its successor. Fails with `svc/auth/invalid_token` (unknown, revoked, reused),
   * `svc/auth/expired_token` or `svc/auth/no_workspace`. A reuse revokes the family; `revoked` is then told its session.
   */
  async refresh(
    token: string,
    now: number,
    revoked: (sessionId: string) => void,
    origin: Origin,
  ): Promise<OpenSession> {
    const parts = parse(token);
    if (parts === undefined) throw new ServiceError('svc/auth/invalid_token');
    const { familyId, secret } = parts;
    const outcome = await this.#db.em().transactional(async em => {
      // Of several refreshes with one token, each waits here for the one before.
      const session = await em.findOne(Session, { familyId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (session === null || session.revokedAt) throw new ServiceError('svc/auth/invalid_token');
      if (session.expiresAt.getTime() <= now || session.idleExpiresAt.getTime() <= now) {
        throw new ServiceError('svc/auth/expired_token');
      }
      const presented = this.#stored(secret);
      const successor = this.#hash.of('refresh-successor', secret).toString('base64url');
      if (same(presented, session.tokenHash)) {
        await requireWorkspace(em, session.userId);
        session.previousTokenHash = session.tokenHash;
        session.tokenHash = this.#stored(successor);
        session.rotatedAt = new Date(now);
        session.updatedAt = session.rotatedAt;
        session.idleExpiresAt = new Date(Math.min(now + idleMs, session.expiresAt.getTime()));
      } else if (!this.#isLatePredecessor(session, presented, successor, now)) {
        session.revokedAt = new Date(now);
        session.updatedAt = session.revokedAt;
        await em.flush();
        await record(em, 'session.reuse_detected', session, { origin, now });
        return { reusedSessionId: session.sessionId };
      }
      return {
        sessionId: session.sessionId,
        userId: session.userId,
        refreshToken: `${familyId}.${successor}`,
        refreshExpiresAt: session.idleExpiresAt.getTime(),
      };
    });
    // The revocation has to be committed, so the refusal comes after the transaction.
    if ('reusedSessionId' in outcome) {
      revoked(outcome.reusedSessionId);
      throw new ServiceError('svc/auth/invalid_token');
    }
    return outcome;
  }

  /** Revokes the session that a refresh token belongs to, newest or not; undefined when it belongs to none. */
  async revokeByToken(token: string, now: number, origin: Origin): Promise<string | undefined> {
    const familyId = parse(token)?.familyId;
    if (familyId === undefined) return undefined;
    return this.#db.em().transactional(async em => {
      const session = await em.findOne(Session, { familyId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (session === null) return undefined;
      await revoke(em, session, { origin, now });
      return session.sessionId;
    });
  }

  /** Revokes the session, at `now` in epoch milliseconds; nothing when it is revoked already or unknown. */
  async revoke(sessionId: string, now: number, origin: Origin): Promise<void> {
    await this.#db.em().transactional(async em => {
      const session = await em.findOne(Session, { sessionId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (session !== null) await revoke(em, session, { origin, now });
    });
  }

  /** The session if it is not revoked; whether it has expired is the caller's to see, who knows the time. */
  async live(sessionId: string): Promise<LiveSession | undefined> {
    const [session] = await this.#db.query<LiveSession>(selectLive, [sessionId], 'sessions.live');
    return session;
  }

  #stored(secret: string): Buffer {
    return this.#hash.of('refresh-token', secret);
  }

  #isLatePredecessor(session: SessionRow, presented: Buffer, successor: string, now: number): boolean {
    return (
      same(presented, session.previousTokenHash) &&
      // Not so when the server's key has changed since: then the successor cannot be made again.
      same(this.#stored(successor), session.tokenHash) &&
      session.rotatedAt instanceof Date &&
      now - session.rotatedAt.getTime() <= leewayMs
    );
  }
}

async function revoke(
  em: EntityManager,
  session: SessionRow,
  asked: Pick<Doing, 'origin' | 'now'>,
): Promise<void> {
  if (session.revokedAt) return;
  session.revokedAt = new Date(asked.now);
  session.updatedAt = session.revokedAt;
  await em.flush();
  await record(em, 'session.closed', session, asked);
}

function record(
  em: EntityManager,
  action: AuditAction,
  { sessionId: targetId, userId }: Pick<SessionRow, 'sessionId' | 'userId'>,
  asked: Pick<Doing, 'origin' | 'now'>,
  details: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { origin, now } = asked;
  return recordOwnAct(em, { byUserId: userId, origin, now }, { action, targetId, details });
}

/** A user without any workspace has no business here: 403 `svc/auth/no_workspace`. */
export async function requireWorkspace(em: EntityManager, userId: string): Promise<void> {
  const membership = await em.findOne(WorkspaceMember, { userId });
  if (membership === null) throw new ServiceError('svc/auth/no_workspace');
}
