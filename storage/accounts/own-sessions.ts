/** A user's own sessions: the list of those that live, and their end. */
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAccountAction, type UserAuditContext } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { Session } from '../entities/index.ts';
import { type Cursors, type Page, type PageRequest, cutPage, toPage } from '../paging/index.ts';
import type { RefuseAccount } from './refusal.ts';
import { revoke } from './sessions.ts';

/** A session as its row has it. */
export interface ListedSession {
  readonly sessionId: string;
  readonly address: string | null;
  readonly userAgent: string | null;
  readonly createdAt: Date;
  /** When its refresh token was last exchanged: a busy client does so every 15 minutes. */
  readonly lastUsedAt: Date;
  /** When it ends, unless it is used before. */
  readonly expiresAt: Date;
}

/** Ids sort by creation: the newest comes first. A user has few enough to sort them. */
const selectPage = `
  select session_id as "sessionId", address, user_agent as "userAgent", created_at as "createdAt",
    coalesce(rotated_at, created_at) as "lastUsedAt", least(idle_expires_at, expires_at) as "expiresAt"
  from sessions
  where user_id = $1 and expires_at > $2 and idle_expires_at > $2 and revoked_at is null and session_id < $3
  order by session_id desc limit $4`;

/** Behind every id. */
const last = '~';

export interface OwnSessionsOptions {
  readonly db: Database;
  readonly cursors: Cursors;
  readonly refuse: RefuseAccount;
}

export class OwnSessions {
  readonly #db: Database;
  readonly #cursors: Cursors;
  readonly #refuse: RefuseAccount;

  constructor({ db, cursors, refuse }: OwnSessionsOptions) {
    this.#db = db;
    this.#cursors = cursors;
    this.#refuse = refuse;
  }

  /** Those that live at `now` (epoch milliseconds), the newest first. */
  async list(userId: string, now: number, { cursor, limit }: PageRequest): Promise<Page<ListedSession>> {
    const scope = `sessions/${userId}`;
    const before = cursor === undefined ? last : this.#cursors.decode(scope, cursor)[0];
    const rows = await this.#db.query<ListedSession>(
      selectPage,
      [userId, new Date(now), before, limit + 1],
      'sessions.own',
    );
    return toPage(cutPage(rows, limit), row => this.#cursors.encode(scope, [row.sessionId]));
  }

  /** Ends one session of the user. Refused where they have no such session, or it has ended. */
  async end(sessionId: string, audit: UserAuditContext): Promise<void> {
    const { byUserId: userId, now } = audit;
    await this.#db.em().transactional(async em => {
      const session = await em.findOne(
        Session,
        { sessionId, userId },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      const lives =
        session !== null &&
        !session.revokedAt &&
        Math.min(session.expiresAt.getTime(), session.idleExpiresAt.getTime()) > now;
      if (!lives) throw this.#refuse('session_absent');
      await revoke(em, session, audit);
    });
  }

  /** Ends all sessions of the user but this one; resolves to how many lived. */
  endOthers(keptSessionId: string, audit: UserAuditContext): Promise<number> {
    return this.#db.em().transactional(em => endOtherSessions(em, keptSessionId, audit));
  }
}

/** The same inside a transaction. */
export async function endOtherSessions(
  em: EntityManager,
  keptSessionId: string,
  audit: UserAuditContext,
): Promise<number> {
  const ended = await revokeSessions(em, audit, { sessionId: { $ne: keptSessionId } });
  if (ended === 0) return 0;
  // One entry for all of them: a user may have signed in often.
  const details = { others: ended };
  await recordAccountAction(em, audit, { action: 'session.closed', targetId: keptSessionId, details });
  return ended;
}

/** Ends all sessions of the user, inside a transaction; resolves to how many lived. Their entry names the user. */
export async function endAllSessions(em: EntityManager, audit: UserAuditContext): Promise<number> {
  const ended = await revokeSessions(em, audit, {});
  if (ended === 0) return 0;
  const details = { sessions: ended };
  await recordAccountAction(em, audit, { action: 'session.closed', targetId: audit.byUserId, details });
  return ended;
}

/** Of those that live. */
function revokeSessions(
  em: EntityManager,
  { byUserId: userId, now }: UserAuditContext,
  which: { readonly sessionId?: { readonly $ne: string } },
): Promise<number> {
  const at = new Date(now);
  return em.nativeUpdate(
    Session,
    { userId, ...which, revokedAt: null, expiresAt: { $gt: at }, idleExpiresAt: { $gt: at } },
    { revokedAt: at, updatedAt: at },
  );
}
