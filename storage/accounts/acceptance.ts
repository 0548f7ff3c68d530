/**
 * Accepting an invitation (decisions section 4): whoever holds the mailed token and is the user of the invited address joins
 * the workspace, and every project's Console in the role that the invitation names. What the user is already stays.
 *
 * Locks are taken in one order: user, session, workspace, invitation.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound, ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { ConsoleRole } from '../../protocol/operation.ts';
import { recordActs, recordOwnAct, type Doing, type NewAct } from '../audit.ts';
import type { Database } from '../database.ts';
import { Session, User } from '../entities/accounts.ts';
import { ConsoleMember, Invitation, Project, WorkspaceMember } from '../entities/tenancy.ts';
import { appendEvents, type NewEvent } from '../events.ts';
import type { KeyHash } from '../keyhash.ts';
import type { Access } from '../tenancy/access.ts';
import { memberResource } from '../tenancy/console-members.ts';
import { invitationResource, invitationTokenHash } from '../tenancy/invitations.ts';
import { sandboxesOf, workspaceEvent } from '../tenancy/workspace-events.ts';
import { violates } from '../unique-violation.ts';
import type { LoginAccount } from './accounts.ts';
import type { Client, OpenSession, Sessions } from './sessions.ts';

/** Whom a token invites. */
export interface Invited {
  readonly email: string;
  /** Undefined: nobody has the address yet. */
  readonly account: LoginAccount | undefined;
}

/** What shows that it is the invited user: a session, or the password that was checked against this hash. */
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

// Whoever changes members holds the workspace's row, and then the invitations that become void: so it is held first here, too.
const holdWorkspace = `
  select 1 from workspaces w join invitations i on i.workspace_id = w.workspace_id where i.token_hash = ? for share of w`;

export interface AcceptanceOptions {
  readonly db: Database;
  readonly hash: KeyHash;
  readonly sessions: Sessions;
  readonly access: Pick<Access, 'forgetUser'>;
}

export class Acceptance {
  readonly #db: Database;
  readonly #hash: KeyHash;
  readonly #sessions: Sessions;
  readonly #access: Pick<Access, 'forgetUser'>;

  constructor({ db, hash, sessions, access }: AcceptanceOptions) {
    this.#db = db;
    this.#hash = hash;
    this.#sessions = sessions;
    this.#access = access;
  }

  /**
   * Whom the token invites. Fails with `svc/runtime/not_found` when it is unknown, used or revoked, and with
   * `svc/auth/expired_token`. `now` in epoch milliseconds.
   */
  async invited(token: string, now: number): Promise<Invited> {
    const [row] = await this.#db.query<InvitedRow>(selectInvited, [invitationTokenHash(this.#hash, token)]);
    if (row === undefined) throw notFound();
    refuseUnlessOpen(row.closed, row.expiresAt, now);
    const { email, userId, passwordHash } = row;
    return { email, account: userId === null ? undefined : { userId, passwordHash } };
  }

  /**
   * The invited user accepts. Fails as `invited` does, and with `svc/auth/login_required` when the proof is none any more: the
   * session has ended, or the password was changed.
   */
  async join(token: string, userId: string, proof: Proof, client: Client, now: number): Promise<OpenSession> {
    const session = await this.#db.em().transactional(async em => {
      const user = await em.findOne(User, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (user === null || !(await holds(em, userId, user.passwordHash ?? null, proof))) {
        throw new ServiceError('svc/auth/login_required');
      }
      // The token was mailed to the address, which it proves as well as a verification link does.
      user.emailVerifiedAt ??= new Date(now);
      const invitation = await this.#locked(em, token, now);
      if (invitation.emailKey !== user.emailKey) throw notFound();
      const events = await accept(em, invitation, { byUserId: userId, origin: client, now });
      return this.#enter(em, userId, events, client, now);
    });
    this.#access.forgetUser(userId);
    return session;
  }

  /** The invited address gets its account, and that accepts. Fails as `invited` does, and with `svc/auth/email_in_use`. */
  async signUp(token: string, passwordHash: string, client: Client, now: number): Promise<OpenSession> {
    const at = new Date(now);
    try {
      return await this.#db.em().transactional(async em => {
        const invitation = await this.#locked(em, token, now);
        const { email, emailKey } = invitation;
        const { userId } = em.create(User, {
          ...{ userId: newId('user', now), email, emailKey, passwordHash },
          ...{ emailVerifiedAt: at, createdAt: at, updatedAt: at },
        });
        await em.flush();
        const doing = { byUserId: userId, origin: client, now };
        const events = await accept(em, invitation, doing);
        await recordOwnAct(em, doing, { action: 'user.created', targetId: userId });
        return this.#enter(em, userId, events, client, now);
      });
    } catch (error) {
      throw violates(error, 'users_email_key') ? new ServiceError('svc/auth/email_in_use') : error;
    }
  }

  async #locked(em: EntityManager, token: string, now: number) {
    const tokenHash = invitationTokenHash(this.#hash, token);
    await em.execute(holdWorkspace, [tokenHash]);
    const found = await em.findOne(Invitation, { tokenHash }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (found === null) throw notFound();
    refuseUnlessOpen(Boolean(found.acceptedAt ?? found.revokedAt), found.expiresAt, now);
    return found;
  }

  /** Opens the session, and appends the events last: from there on the project's numbers are held. */
  async #enter(
    em: EntityManager,
    userId: string,
    events: readonly NewEvent[],
    client: Client,
    now: number,
  ): Promise<OpenSession> {
    const session = await this.#sessions.open(em, userId, client, now);
    await appendEvents(em, events);
    return session;
  }
}

/** Makes the user what the invitation, which is locked, says; the events of that, to be appended in the same transaction. */
async function accept(
  em: EntityManager,
  invitation: InferEntity<typeof Invitation>,
  doing: Doing,
): Promise<NewEvent[]> {
  const { byUserId: userId, now } = doing;
  const { workspaceId, studioRole: role, consoleRole } = invitation;
  const at = new Date(now);
  if ((await em.findOne(WorkspaceMember, { workspaceId, userId })) === null) {
    em.create(WorkspaceMember, { workspaceId, userId, role, createdAt: at, updatedAt: at });
  }
  invitation.acceptedAt = at;
  invitation.acceptedByUserId = userId;
  const events = await joinConsoles(em, workspaceId, userId, consoleRole, at);
  const data = { invitation: invitationResource(invitation) };
  events.push(await workspaceEvent(em, workspaceId, userId, 'workspace.invitation.accepted', data));
  await em.flush();
  await recordAcceptance(em, invitation, events, doing);
  return events;
}

async function recordAcceptance(
  em: EntityManager,
  { workspaceId, invitationId, studioRole, consoleRole: role }: InferEntity<typeof Invitation>,
  events: readonly NewEvent[],
  { byUserId: userId, origin, now }: Doing,
): Promise<void> {
  const own = { workspaceId, actor: { type: 'user', id: userId }, origin } as const;
  const joined = events.filter(({ eventName }) => eventName === 'project.member.upserted');
  const acts = joined.map(({ projectId }): NewAct => ({
    ...{ ...own, projectId, action: 'console_member.upserted', targetId: userId, details: { role } },
  }));
  const details = { studioRole, consoleRole: role };
  await recordActs(
    em,
    [{ ...own, action: 'invitation.accepted', targetId: invitationId, details }, ...acts],
    now,
  );
}

function refuseUnlessOpen(closed: boolean, expiresAt: Date, now: number): void {
  if (closed) throw notFound();
  if (expiresAt.getTime() <= now) throw new ServiceError('svc/auth/expired_token');
}

async function holds(
  em: EntityManager,
  userId: string,
  passwordHash: string | null,
  proof: Proof,
): Promise<boolean> {
  if ('passwordHash' in proof) return passwordHash !== null && passwordHash === proof.passwordHash;
  const where = { sessionId: proof.sessionId, userId, revokedAt: null };
  return (await em.findOne(Session, where, { lockMode: LockMode.PESSIMISTIC_READ })) !== null;
}

/** Makes the user a Console member of every project of the workspace where they are none; the events of that. */
async function joinConsoles(
  em: EntityManager,
  workspaceId: string,
  userId: string,
  role: ConsoleRole,
  at: Date,
): Promise<NewEvent[]> {
  const projects = await em.find(Project, { workspaceId, archivedAt: null });
  const ids = projects.map(({ projectId }) => projectId);
  const present = await em.find(ConsoleMember, { userId, projectId: { $in: ids } });
  const joined = new Set(present.map(({ projectId }) => projectId));
  const events: NewEvent[] = [];
  for (const [projectId, environmentId] of await sandboxesOf(em, ids)) {
    if (joined.has(projectId)) continue;
    const row = em.create(ConsoleMember, { projectId, userId, role, createdAt: at, updatedAt: at });
    const data = { actor: { type: 'user', id: userId }, member: memberResource(row) };
    events.push({ projectId, environmentId, eventName: 'project.member.upserted', data });
  }
  return events;
}
