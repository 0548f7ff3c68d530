/** Accounts: sign-up, login, the Studio user, and the proof that an e-mail address is the user's. */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../protocol/ids.ts';
import { toStudioRole } from '../../protocol/operations/index.ts';
import type { MailedApp, StudioUser } from '../../protocol/resources/index.ts';
import { recordAccountAction, recordUserAction, type RequestOrigin } from '../audit/index.ts';
import { type Database, violatesConstraint } from '../database/index.ts';
import { ConsoleMember, EmailToken, ProjectMember, User, WorkspaceMember } from '../entities/index.ts';
import { appendEvents } from '../events/index.ts';
import { transactOnce, type WorkKey } from '../idempotency/index.ts';
import type { KeyedHash } from '../secrets/index.ts';
import { addWorkspace } from '../tenancy/index.ts';
import {
  emailKey,
  createEmailToken,
  type MailOutbox,
  type SealedMail,
  type VerificationMail,
} from '../mail/index.ts';
import { recordFailedLogin } from './failed-logins.ts';
import type { RefuseAccount } from './refusal.ts';
import { endUnprovenAccess } from './first-proof.ts';
import { openChallenge, SecondFactorRequired } from './login-challenges.ts';
import { mustSignOn } from './required-sign-on.ts';
import { findMethods } from './second-factors.ts';
import { hasWorkspace } from './sessions.ts';
import type { LoginClient, OpenSession, Sessions } from './sessions.ts';

/** Milliseconds that a verification link works. */
const verificationMs = 24 * 3_600_000;

export interface SignUp {
  readonly email: string;
  readonly passwordHash: string;
  readonly workspaceName: string;
  /** Where the mailed link leads. */
  readonly app: MailedApp;
  readonly client: LoginClient;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What the password of a login is checked against. */
export interface LoginAccount {
  readonly userId: string;
  /** Null for an invited user who has not chosen a password. */
  readonly passwordHash: string | null;
}

interface Verification {
  readonly token: string;
  readonly mail: SealedMail;
}

/** The first workspace that the user joined, and the first project in it. */
const selectStudioUser = `
  select u.user_id as "userId", u.email, u.email_verified_at is not null as "emailVerified",
    m.workspace_id as "workspaceId", m.role as "workspaceRole", p.project_id as "projectId", pm.role as "projectRole"
  from users u
  left join lateral (
    select m.workspace_id, m.role from workspace_members m join workspaces w on w.workspace_id = m.workspace_id
    where m.user_id = u.user_id order by w.archived_at is not null, m.created_at, m.workspace_id limit 1
  ) m on true
  left join lateral (
    select p.project_id from projects p where p.workspace_id = m.workspace_id and p.archived_at is null
    order by p.project_id limit 1
  ) p on true
  left join project_members pm on pm.project_id = p.project_id and pm.user_id = u.user_id
  where u.user_id = $1`;

const selectFirstSession = `select address from sessions where user_id = $1 order by created_at limit 1`;

/** What was recorded of nobody, who is a member of no workspace. */
const forgetAttempt = `delete from audit_logs where workspace_id is null and target_id = ?`;

/** All that the user owns. Nobody else is a member there any more. */
const archiveWorkspaces = `
  with owned as (
    update workspaces w set archived_at = ?, updated_at = ?
    from workspace_members m where m.workspace_id = w.workspace_id and m.user_id = ? and m.role = 'owner'
    returning w.workspace_id, w.archived_at
  )
  update projects p set archived_at = owned.archived_at, updated_at = owned.archived_at
  from owned where p.workspace_id = owned.workspace_id and p.archived_at is null`;

interface StudioUserRow {
  readonly userId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly workspaceId: string | null;
  readonly workspaceRole: StudioUser['workspaceRole'] | null;
  readonly projectId: string | null;
  readonly projectRole: NonNullable<StudioUser['projectRole']> | null;
}

export interface AccountsOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly sessions: Sessions;
  readonly mails: MailOutbox;
  readonly refuse: RefuseAccount;
}

export class Accounts {
  readonly #db: Database;
  readonly #hash: KeyedHash;
  readonly #sessions: Sessions;
  readonly #mails: MailOutbox;
  readonly #refuse: RefuseAccount;

  constructor(options: AccountsOptions) {
    this.#db = options.db;
    this.#hash = options.hash;
    this.#sessions = options.sessions;
    this.#mails = options.mails;
    this.#refuse = options.refuse;
  }

  /**
   * Creates the user, a workspace of their own with its default project and sandbox, the verification mail and the first session, all or
   * nothing. Where accounts with the address came and went, and it was mailed to five times within the hour, there is no mail. Refused when
   * the address has an account, or has to sign in by an identity provider.
   */
  async signUp(request: SignUp): Promise<OpenSession> {
    const { email, passwordHash, workspaceName, app, client, now } = request;
    const at = new Date(now);
    const address = email.trim().normalize('NFC');
    const made = { madeAt: at.toISOString(), madeFrom: client.address, app };
    const verification = await this.#prepareVerification(address, made, at);
    try {
      return await this.#db.em().transactional(async em => {
        if (await mustSignOn(em, address, null)) throw this.#refuse('sso_required');
        const { userId } = em.create(User, {
          userId: newId('user', now),
          email: address,
          emailKey: emailKey(email),
          passwordHash,
          createdAt: at,
          updatedAt: at,
        });
        const { workspace } = addWorkspace(em, { name: workspaceName, userId, now: at });
        if (await this.#mails.mayMailLink(em, address, now))
          this.#addVerification(em, userId, address, verification);
        await em.flush();
        const audit = { byUserId: userId, origin: client, now };
        const { workspaceId } = workspace;
        const details = { name: workspaceName };
        await recordAccountAction(em, audit, { action: 'user.created', targetId: userId });
        await recordUserAction(em, audit, {
          workspaceId,
          action: 'workspace.created',
          targetId: workspaceId,
          details,
        });
        return this.#sessions.open(em, userId, client, now, null);
      });
    } catch (error) {
      throw violatesConstraint(error, 'users_email_key') ? this.#refuse('email_in_use') : error;
    }
  }

  /** The account of an address; undefined when there is none. */
  async forLogin(email: string): Promise<LoginAccount | undefined> {
    const [account] = await this.#db.query<LoginAccount>(
      'select user_id as "userId", password_hash as "passwordHash" from users where email_key = $1',
      [emailKey(email)],
      'users.login',
    );
    return account;
  }

  /** The account of a signed-in user; undefined when it is gone. */
  async findAccount(userId: string): Promise<LoginAccount | undefined> {
    const [account] = await this.#db.query<LoginAccount>(
      'select user_id as "userId", password_hash as "passwordHash" from users where user_id = $1',
      [userId],
      'users.account',
    );
    return account;
  }

  /**
   * Opens a session for a user whose password was right. Refused without a workspace, where the address has to sign in by an identity provider, and when the password has been changed since: a reset
   * leaves no session of the old password. Rejects with {@link SecondFactorRequired} where a second factor is needed, too.
   */
  async login(
    { userId, passwordHash }: LoginAccount,
    client: LoginClient,
    now: number,
  ): Promise<OpenSession> {
    const opened = await this.#db.em().transactional(async em => {
      const user = await em.findOne(User, { userId }, { lockMode: LockMode.PESSIMISTIC_READ });
      if (user === null || (user.passwordHash ?? null) !== passwordHash) {
        throw this.#refuse('wrong_password');
      }
      if (await mustSignOn(em, user.email, userId)) throw this.#refuse('sso_required');
      if (!(await hasWorkspace(em, userId))) throw this.#refuse('no_workspace');
      const methods = await findMethods(em, userId);
      if (methods.length === 0) return this.#sessions.open(em, userId, client, now, null);
      return { challenge: await openChallenge(em, this.#hash, userId, now), methods };
    });
    if ('challenge' in opened) throw new SecondFactorRequired(opened);
    return opened;
  }

  /** Records a login with a wrong password. Where the address has no account it does the same, and leaves nothing. */
  async recordFailedLogin(
    account: LoginAccount | undefined,
    origin: RequestOrigin,
    now: number,
  ): Promise<void> {
    await this.#db.em().transactional(async em => {
      const nobody = newId('user', now);
      const byUserId = account?.userId ?? nobody;
      await recordFailedLogin(em, { byUserId, origin, now }, 'password');
      await em.execute(forgetAttempt, [nobody]);
    });
  }

  /** The user as Studio shows them. Refused for a user without a workspace, and where there is no such user. */
  async studioUser(userId: string): Promise<StudioUser> {
    const [row] = await this.#db.query<StudioUserRow>(selectStudioUser, [userId], 'users.studio');
    if (row === undefined) throw this.#refuse('invalid_token');
    const { workspaceId, workspaceRole, projectId, projectRole } = row;
    if (workspaceId === null || workspaceRole === null) throw this.#refuse('no_workspace');
    return {
      userId,
      email: row.email,
      emailVerified: row.emailVerified,
      workspaceId,
      workspaceRole,
      ...(projectId === null
        ? {}
        : {
            projectId,
            projectRole: toStudioRole(workspaceRole, projectRole) === 'viewer' ? 'viewer' : 'developer',
          }),
    };
  }

  /**
   * Queues another verification mail, unless the address is verified. Earlier links stay valid for their 24 hours. Refused after five to the
   * address within an hour.
   */
  resendVerification(userId: string, app: MailedApp, now: number, key?: WorkKey): Promise<void> {
    const at = new Date(now);
    return transactOnce(this.#db, key, async em => {
      const user = await em.findOne(User, { userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (user === null || user.emailVerifiedAt) return;
      if (!(await this.#mails.mayMailLink(em, user.email, now))) throw this.#refuse('too_many_mails');
      const [first] = await this.#db.query<{ address: string | null }>(selectFirstSession, [userId]);
      const made = { madeAt: user.createdAt.toISOString(), madeFrom: first?.address ?? null, app };
      this.#addVerification(em, userId, user.email, await this.#prepareVerification(user.email, made, at));
    });
  }

  /**
   * Uses a verification token; resolves to the user whose address it proves. Refused when the token is expired, unknown, used, or for an
   * address that the user does not have any more.
   */
  verifyEmail(token: string, now: number, origin: RequestOrigin, key?: WorkKey): Promise<string> {
    const at = new Date(now);
    return transactOnce(this.#db, key, async em => {
      const user = await this.#useToken(em, token, now);
      user.emailVerifiedAt ??= at;
      user.updatedAt = at;
      await em.flush();
      const { userId } = user;
      const audit = { byUserId: userId, origin, now };
      await recordAccountAction(em, audit, { action: 'user.email_verified', targetId: userId });
      return userId;
    });
  }

  /**
   * Removes the account of a verification token, for whoever has the address and did not make it: the address is free again, and what the
   * account had made is archived without a way in. Resolves to the user's id. Refused as `verifyEmail` is, and for a proven address.
   */
  rejectAccount(token: string, now: number, origin: RequestOrigin, key?: WorkKey): Promise<string> {
    const at = new Date(now);
    return transactOnce(this.#db, key, async em => {
      const user = await this.#useToken(em, token, now);
      if (user.emailVerifiedAt) throw this.#refuse('invalid_token');
      const { userId } = user;
      const audit = { byUserId: userId, origin, now };
      const events = await endUnprovenAccess(em, audit);
      await recordAccountAction(em, audit, { action: 'user.removed', targetId: userId });
      await em.execute(archiveWorkspaces, [at, at, userId]);
      await em.nativeDelete(WorkspaceMember, { userId });
      await em.nativeDelete(ProjectMember, { userId });
      await em.nativeDelete(ConsoleMember, { userId });
      await em.remove(user).flush();
      if (events.length > 0) await appendEvents(em, events);
      return userId;
    });
  }

  /** The locked user of a verification token, which is used by this. */
  async #useToken(em: EntityManager, token: string, now: number): Promise<InferEntity<typeof User>> {
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
    const tokenHash = this.#hash.digest('email-token', token);
    const found = await em.findOne(EmailToken, { tokenHash, purpose: 'verify' }, lock);
    if (found === null || found.usedAt) throw this.#refuse('invalid_token');
    if (found.expiresAt.getTime() <= now) throw this.#refuse('expired_token');
    const user = await em.findOne(User, { userId: found.userId }, lock);
    if (user === null || user.email !== found.email) throw this.#refuse('invalid_token');
    found.usedAt = new Date(now);
    return user;
  }

  async #prepareVerification(
    email: string,
    made: Omit<VerificationMail, 'token'>,
    now: Date,
  ): Promise<Verification> {
    const token = createEmailToken();
    const expiresAt = new Date(now.getTime() + verificationMs);
    const secret = JSON.stringify({ token, ...made } satisfies VerificationMail);
    const mail = await this.#mails.seal({ kind: 'verify_account', recipient: email, secret, now, expiresAt });
    return { token, mail };
  }

  #addVerification(em: EntityManager, userId: string, email: string, { token, mail }: Verification): void {
    em.create(EmailToken, {
      tokenHash: this.#hash.digest('email-token', token),
      purpose: 'verify',
      userId,
      email,
      createdAt: mail.now,
      expiresAt: mail.expiresAt,
    });
    this.#mails.queue(em, mail);
  }
}
