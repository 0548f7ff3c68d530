/**
 * Accepting an invitation (docs/contract-decisions.md, "States"): a user who holds the mailed token and has the invited address joins the
 * workspace, and the Console of every project in the role that the invitation names. Roles that the user has already stay.
 *
 * Locks are taken in one order: user, session, workspace, invitation.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../protocol/ids.ts';
import type { ConsoleRole } from '../../protocol/operation.ts';
import {
  type NewAuditEntry,
  recordAccountAction,
  recordAuditEntries,
  type UserAuditContext,
} from '../audit/index.ts';
import { type Database, violatesConstraint } from '../database/index.ts';
import { ConsoleMember, Invitation, Project, Session, User, WorkspaceMember } from '../entities/index.ts';
import { appendEvents, type NewEvent } from '../events/index.ts';
import type { KeyedHash } from '../secrets/index.ts';
import {
  type AccessCache,
  createProjectEvents,
  createWorkspaceEvents,
  invitationResource,
  invitationTokenHash,
  memberResource,
  type ProjectChange,
} from '../tenancy/index.ts';
import type { LoginAccount } from './accounts.ts';
import { endUnprovenAccess } from './first-proof.ts';
import type { RefuseAccount } from './refusal.ts';
import { mustSignOn } from './required-sign-on.ts';
import { hasSecondFactor } from './second-factors.ts';
import type { LoginClient, OpenSession, Sessions } from './sessions.ts';

/** Whom a token invites. */
export interface Invited {
  readonly email: string;
  /** Undefined: nobody has the address yet. */
  readonly account: LoginAccount | undefined;
}

/** What proves the invited user: a session, or the password that was checked against this hash. */
export type Proof = { readonly sessionId: string } | { readonly passwordHash: string | null };

interface InvitedRow {
  readonly email: string;
  readonly expiresAt: Date;
  readonly closed: boolean;
  readonly userId: string | null;
  readonly passwordHash: string | null;
}

const selectInvited = `
  select i.email, i.expires_at as "expiresAt", coalesce(i.accepted_at, i.revoked_at) is not null as closed,
    u.user_id as "userId", u.password_hash as "passwordHash"
  from invitations i left join users u on u.email_key = i.email_key
  where i.token_hash = $1`;

// A change of members locks the workspace's row, and then the invitations that it revokes: so it is locked first here, too.
const lockWorkspace = `
  select 1 from workspaces w join invitations i on i.workspace_id = w.workspace_id where i.token_hash = ? for share of w`;

export interface AcceptanceOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly sessions: Sessions;
  readonly access: Pick<AccessCache, 'invalidateUser'>;
  readonly refuse: RefuseAccount;
}

export class Acceptance {
  readonly #db: Database;
  readonly #hash: KeyedHash;
  readonly #sessions: Sessions;
  readonly #access: Pick<AccessCache, 'invalidateUser'>;
  readonly #refuse: RefuseAccount;

  constructor({ db, hash, sessions, access, refuse }: AcceptanceOptions) {
    this.#db = db;
    this.#hash = hash;
    this.#sessions = sessions;
    this.#access = access;
    this.#refuse = refuse;
  }

  /** Whom the token invites. Refused when the token is unknown, used, revoked or expired. `now` in epoch milliseconds. */
  async invited(token: string, now: number): Promise<Invited> {
    const [row] = await this.#db.query<InvitedRow>(selectInvited, [invitationTokenHash(this.#hash, token)]);
    if (row === undefined) throw this.#refuse('invitation_absent');
    this.#requireOpen(row.closed, row.expiresAt, now);
    const { email, userId, passwordHash } = row;
    return { email, account: userId === null ? undefined : { userId, passwordHash } };
  }

  /** The invited user accepts. Refused as `invited` is, and when the proof is not valid any more: the session has ended, or the password was
   * changed. */
  async join(
    token: string,
    userId: string,
    proof: Proof,
    client: LoginClient,
    now: number,
  ): Promise<OpenSession> {
    const session = await this.#db.em().transactional(async em => {
      const user = await em.findOne(User, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const proven = user === null ? undefined : await check(em, userId, user.passwordHash ?? null, proof);
      if (user === null || proven === undefined) throw this.#refuse('login_required');
      const audit = { byUserId: userId, origin: client, now };
      // First: a second factor from before the first proof keeps nobody out.
      const events = await proveAddress(em, user, audit);
      // A password opens no session of an account with a second factor.
      if ('passwordHash' in proof && (await hasSecondFactor(em, userId)))
        throw this.#refuse('login_required');
      if ('passwordHash' in proof && (await mustSignOn(em, user.email, userId)))
        throw this.#refuse('sso_required');
      const invitation = await this.#lockInvitation(em, token, now);
      if (invitation.emailKey !== user.emailKey) throw this.#refuse('invitation_absent');
      events.push(...(await accept(em, invitation, audit)));
      return this.#enter(em, userId, events, client, now, proven);
    });
    this.#access.invalidateUser(userId);
    return session;
  }

  /** Creates the account of the invited address, which accepts. Refused as `invited` is, and where the address has an account. */
  async signUp(token: string, passwordHash: string, client: LoginClient, now: number): Promise<OpenSession> {
    const at = new Date(now);
    try {
      return await this.#db.em().transactional(async em => {
        const invitation = await this.#lockInvitation(em, token, now);
        const { email, emailKey } = invitation;
        if (await mustSignOn(em, email, null)) throw this.#refuse('sso_required');
        const { userId } = em.create(User, {
          userId: newId('user', now),
          email,
          emailKey,
          passwordHash,
          emailVerifiedAt: at,
          createdAt: at,
          updatedAt: at,
        });
        await em.flush();
        const audit = { byUserId: userId, origin: client, now };
        const events = await accept(em, invitation, audit);
        await recordAccountAction(em, audit, { action: 'user.created', targetId: userId });
        return this.#enter(em, userId, events, client, now, byPassword);
      });
    } catch (error) {
      throw violatesConstraint(error, 'users_email_key') ? this.#refuse('email_in_use') : error;
    }
  }

  async #lockInvitation(em: EntityManager, token: string, now: number) {
    const tokenHash = invitationTokenHash(this.#hash, token);
    await em.execute(lockWorkspace, [tokenHash]);
    const found = await em.findOne(Invitation, { tokenHash }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (found === null) throw this.#refuse('invitation_absent');
    this.#requireOpen(Boolean(found.acceptedAt ?? found.revokedAt), found.expiresAt, now);
    return found;
  }

  #requireOpen(closed: boolean, expiresAt: Date, now: number): void {
    if (closed) throw this.#refuse('invitation_absent');
    if (expiresAt.getTime() <= now) throw this.#refuse('expired_token');
  }

  /** Opens the session, and appends the events last, since they lock the project's numbers. */
  async #enter(
    em: EntityManager,
    userId: string,
    events: readonly NewEvent[],
    client: LoginClient,
    now: number,
    { signedOnBy, latest }: Proven,
  ): Promise<OpenSession> {
    const session = await this.#sessions.open(em, userId, client, now, signedOnBy, latest);
    await appendEvents(em, events);
    return session;
  }
}

/**
 * The token was mailed to the address, so it proves the address as a verification link does. Where nothing had proved it before, the sessions
 * of the account end, its second factors, and all access that it has given out; resolves to the events of that.
 */
async function proveAddress(
  em: EntityManager,
  user: InferEntity<typeof User>,
  audit: UserAuditContext,
): Promise<NewEvent[]> {
  if (user.emailVerifiedAt) return [];
  const at = new Date(audit.now);
  user.emailVerifiedAt = at;
  await em.flush();
  return endUnprovenAccess(em, audit);
}

/** Gives the user the roles of the locked invitation; resolves to the events, to be appended in the same transaction. */
async function accept(
  em: EntityManager,
  invitation: InferEntity<typeof Invitation>,
  audit: UserAuditContext,
): Promise<NewEvent[]> {
  const { byUserId: userId, now } = audit;
  const { workspaceId, studioRole: role, consoleRole } = invitation;
  const at = new Date(now);
  if ((await em.findOne(WorkspaceMember, { workspaceId, userId })) === null) {
    em.create(WorkspaceMember, { workspaceId, userId, role, createdAt: at, updatedAt: at });
  }
  invitation.acceptedAt = at;
  invitation.acceptedByUserId = userId;
  const joined = await joinConsoles(em, workspaceId, userId, consoleRole, at);
  const data = { invitation: invitationResource(invitation) };
  const accepted = await createWorkspaceEvents(
    em,
    workspaceId,
    userId,
    'workspace.invitation.accepted',
    data,
  );
  await em.flush();
  await recordAcceptance(em, invitation, joined, audit);
  return [...(await createProjectEvents(em, userId, joined)), ...accepted];
}

async function recordAcceptance(
  em: EntityManager,
  { workspaceId, invitationId, studioRole, consoleRole: role }: InferEntity<typeof Invitation>,
  joined: readonly ProjectChange[],
  { byUserId: userId, origin, now }: UserAuditContext,
): Promise<void> {
  const own = { workspaceId, actor: { type: 'user', id: userId }, origin } as const;
  const acts = joined.map(({ projectId }): NewAuditEntry => ({
    ...own,
    projectId,
    action: 'console_member.upserted',
    targetId: userId,
    details: { role },
  }));
  const details = { studioRole, consoleRole: role };
  await recordAuditEntries(
    em,
    [{ ...own, action: 'invitation.accepted', targetId: invitationId, details }, ...acts],
    now,
  );
}

/** What the proof gives to the session that it opens. */
interface Proven {
  /** Whose provider has vouched for the user. */
  readonly signedOnBy: string | null;
  /** When that session ends at the latest; undefined: as one that a login opens. */
  readonly latest?: Date | undefined;
}

const byPassword: Proven = { signedOnBy: null };

/**
 * A session gives no more than it has: else somebody whom a provider vouched for once, or who has shown a second factor once, would stay for
 * another 30 days by each invitation. Undefined where the proof is not valid any more.
 */
async function check(
  em: EntityManager,
  userId: string,
  passwordHash: string | null,
  proof: Proof,
): Promise<Proven | undefined> {
  if ('passwordHash' in proof) {
    const isSame = passwordHash !== null && passwordHash === proof.passwordHash;
    return isSame ? byPassword : undefined;
  }
  const where = { sessionId: proof.sessionId, userId, revokedAt: null };
  const session = await em.findOne(Session, where, { lockMode: LockMode.PESSIMISTIC_READ });
  if (session === null) return undefined;
  return { signedOnBy: session.signedOnBy ?? null, latest: session.expiresAt };
}

/** Makes the user a Console member of every project of the workspace that they are not a member of yet; resolves to these changes. */
async function joinConsoles(
  em: EntityManager,
  workspaceId: string,
  userId: string,
  role: ConsoleRole,
  at: Date,
): Promise<ProjectChange[]> {
  const projects = await em.find(Project, { workspaceId, archivedAt: null });
  const ids = projects.map(({ projectId }) => projectId);
  const present = await em.find(ConsoleMember, { userId, projectId: { $in: ids } });
  const before = new Set(present.map(({ projectId }) => projectId));
  return ids
    .filter(projectId => !before.has(projectId))
    .map(projectId => {
      const row = em.create(ConsoleMember, { projectId, userId, role, createdAt: at, updatedAt: at });
      return { projectId, eventName: 'project.member.upserted', data: { member: memberResource(row) } };
    });
}
