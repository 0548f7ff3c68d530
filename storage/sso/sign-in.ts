/**
 * Whoever a provider vouches for. Their account is the one with the address, whatever it was made by: the workspace has proven that it has the
 * domain, and so whoever has its mail. Without an account one is made; whoever is no member of the workspace becomes a viewer. A second factor of
 * the account is asked for here, too.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../protocol/ids.ts';
import {
  endUnprovenAccess,
  findMethods,
  type LoginClient,
  openChallenge,
  type OpenSession,
  recordFailedLogin,
  type RefuseAccount,
  SecondFactorRequired,
  type Sessions,
  toEmailDomain,
} from '../accounts/index.ts';
import {
  recordAccountAction,
  recordAuditEntries,
  recordUserAction,
  type RequestOrigin,
  type UserAuditContext,
} from '../audit/index.ts';
import { type Database, violatesConstraint } from '../database/index.ts';
import { User, WorkspaceMember } from '../entities/index.ts';
import { appendEvents, type NewEvent } from '../events/index.ts';
import { emailKey } from '../mail/index.ts';
import type { KeyedHash } from '../secrets/index.ts';
import type { AccessCache } from '../tenancy/index.ts';
import type { StartedFlow } from './flows.ts';

/** A change of the provider or its domains waits, or is seen. */
const lockDomain = `
  select 1 from sso_domains d
  join sso_connections c on c.workspace_id = d.workspace_id
  join workspaces w on w.workspace_id = d.workspace_id
  where d.workspace_id = ? and d.domain = ? and d.proven_at is not null and c.issuer = ? and w.archived_at is null
  for share of d, c, w`;

/**
 * Entries of addresses of no member, for each workspace: whoever makes up addresses of the domain, and codes, causes as many as they like from many
 * networks, and each is kept for 400 days.
 */
const strangerLimit = 30;
const strangerWindowMs = 3_600_000;

/** Ids sort by time. */
const countStrangers = `
  select count(*)::int as count from (
    select from audit_logs
    where target_id = ? and audit_log_id > ? and workspace_id = target_id and action = 'user.login_failed'
    limit ${strangerLimit}) recent`;

export interface SsoSignInOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly sessions: Sessions;
  readonly access: Pick<AccessCache, 'invalidateUser'>;
  readonly refuse: RefuseAccount;
}

export class SsoSignIn {
  readonly #options: SsoSignInOptions;

  constructor(options: SsoSignInOptions) {
    this.#options = options;
  }

  /**
   * Opens a session for an address that the provider has verified. Refused where its domain is none of the workspace's proven ones. Rejects
   * with {@link SecondFactorRequired} where a second factor is needed, too.
   */
  async signIn(
    { workspaceId, issuer }: Pick<StartedFlow, 'workspaceId' | 'issuer'>,
    email: string,
    client: LoginClient,
    now: number,
  ): Promise<OpenSession> {
    const { db, hash, sessions, access, refuse } = this.#options;
    const domain = toEmailDomain(email);
    try {
      const { userId, opened } = await db.em().transactional(async em => {
        const found = await em.execute<unknown[]>(lockDomain, [workspaceId, domain, issuer]);
        if (found.length === 0) throw refuse('foreign_domain');
        const { user, events } = await this.#admit(em, email, client, now);
        const { userId } = user;
        const audit = { byUserId: userId, origin: client, now };
        await join(em, workspaceId, audit);
        const details = { issuer };
        await recordUserAction(em, audit, {
          workspaceId,
          action: 'single_sign_on.used',
          targetId: userId,
          details,
        });
        const methods = await findMethods(em, userId);
        const opened =
          methods.length === 0
            ? await sessions.open(em, userId, client, now, workspaceId)
            : { challenge: await openChallenge(em, hash, userId, now, workspaceId), methods };
        if (events.length > 0) await appendEvents(em, events);
        return { userId, opened };
      });
      access.invalidateUser(userId);
      if ('challenge' in opened) throw new SecondFactorRequired(opened);
      return opened;
    } catch (error) {
      throw violatesConstraint(error, 'users_email_key') ? refuse('email_in_use') : error;
    }
  }

  /**
   * Records a sign-in that failed, as a login by password is: in the workspaces of the user whose address began it. What the provider did is the
   * business of its own workspace, and of no other. Where the address is of no member that workspace alone sees it, 30 times an hour at most, and as
   * many more as come at the same instant.
   */
  async recordFailure(
    { workspaceId, userId }: Pick<StartedFlow, 'workspaceId' | 'userId'>,
    reason: string,
    origin: RequestOrigin,
    now: number,
  ): Promise<void> {
    await this.#options.db.em().transactional(async em => {
      if (userId !== null) {
        const own = { workspaceId, details: { reason } };
        return recordFailedLogin(em, { byUserId: userId, origin, now }, 'single_sign_on', own);
      }
      const since = newId('audit', now - strangerWindowMs);
      const [recent] = await em.execute<{ count: number }[]>(countStrangers, [workspaceId, since]);
      if ((recent?.count ?? 0) >= strangerLimit) return;
      const entry = {
        actor: { type: 'system', id: 'system' },
        action: 'user.login_failed',
        targetId: workspaceId,
        workspaceId,
        details: { step: 'single_sign_on', reason },
        origin: { requestId: origin.requestId },
      } as const;
      return recordAuditEntries(em, [entry], now);
    });
  }

  /** The locked account of the address. */
  async #admit(
    em: EntityManager,
    email: string,
    client: LoginClient,
    now: number,
  ): Promise<{ readonly user: InferEntity<typeof User>; readonly events: readonly NewEvent[] }> {
    const at = new Date(now);
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
    const present = await em.findOne(User, { emailKey: emailKey(email) }, lock);
    if (present === null) {
      const user = em.create(User, {
        userId: newId('user', now),
        email: email.trim().normalize('NFC'),
        emailKey: emailKey(email),
        emailVerifiedAt: at,
        createdAt: at,
        updatedAt: at,
      });
      await em.flush();
      const { userId } = user;
      await recordAccountAction(
        em,
        { byUserId: userId, origin: client, now },
        { action: 'user.created', targetId: userId },
      );
      return { user, events: [] };
    }
    if (present.emailVerifiedAt) return { user: present, events: [] };
    // Somebody else may have made it, with a password that they know.
    const { userId } = present;
    em.assign(present, { emailVerifiedAt: at, passwordHash: null, updatedAt: at });
    await em.flush();
    return { user: present, events: await endUnprovenAccess(em, { byUserId: userId, origin: client, now }) };
  }
}

/** With the least role that there is. */
async function join(em: EntityManager, workspaceId: string, audit: UserAuditContext): Promise<void> {
  const { byUserId: userId, now } = audit;
  if ((await em.count(WorkspaceMember, { workspaceId, userId })) > 0) return;
  const at = new Date(now);
  em.create(WorkspaceMember, { workspaceId, userId, role: 'viewer', createdAt: at, updatedAt: at });
  await em.flush();
  const details = { role: 'viewer', by: 'single_sign_on' };
  await recordUserAction(em, audit, { workspaceId, action: 'member.joined', targetId: userId, details });
}
