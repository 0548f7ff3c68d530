/**
 * Invitations to a workspace (docs/contract-decisions.md, "States"):
 *
 *   pending -> accepted   with the mailed token (storage/accounts/acceptance.ts)
 *   pending -> revoked    by an admin; or a successor was created after it had expired; or the user who sent it was removed or
 *                         made a viewer
 *   pending -> expired    7 days after its creation: its row does not change
 *
 * An address has at most one pending invitation to a workspace. Each change is an event in the same transaction.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../protocol/ids.ts';
import type { ConsoleRole } from '../../protocol/operation.ts';
import type { MailedApp, WorkspaceInvitation, WorkspaceRole } from '../../protocol/resources/index.ts';
import { emailKey, createEmailToken, type MailOutbox } from '../mail/index.ts';
import { recordUserAction, type UserAuditContext } from '../audit/index.ts';
import { type Cursors, type Page, type PageRequest, cutPage, toPage } from '../paging/index.ts';
import { type Database, violatesConstraint } from '../database/index.ts';
import { Invitation, User, Workspace } from '../entities/index.ts';
import { appendEvents, type NewEvent } from '../events/index.ts';
import { type Keyed, transactOnce } from '../idempotency/index.ts';
import type { KeyedHash } from '../secrets/index.ts';
import { lockWorkspaceRole } from './roles.ts';
import type { TenancyRules } from './rules.ts';
import { createWorkspaceEvents } from './workspace-events.ts';

/** Milliseconds that an invitation can be accepted. */
export const invitationMs = 7 * 86_400_000;

export interface NewInvitation extends UserAuditContext, Keyed {
  readonly workspaceId: string;
  readonly email: string;
  readonly studioRole: Exclude<WorkspaceRole, 'owner'>;
  readonly consoleRole: ConsoleRole;
}

export type InvitationRow = Pick<
  InferEntity<typeof Invitation>,
  | 'invitationId'
  | 'workspaceId'
  | 'email'
  | 'studioRole'
  | 'consoleRole'
  | 'invitedByUserId'
  | 'createdAt'
  | 'expiresAt'
  | 'acceptedAt'
  | 'revokedAt'
>;

/** Newest first. */
const selectPage = `
  select invitation_id as "invitationId", workspace_id as "workspaceId", email, studio_role as "studioRole",
    console_role as "consoleRole", invited_by_user_id as "invitedByUserId", created_at as "createdAt",
    expires_at as "expiresAt", accepted_at as "acceptedAt", revoked_at as "revokedAt"
  from invitations
  where workspace_id = $1 and ($2::timestamptz is null or (created_at, invitation_id) < ($2, $3))
  order by created_at desc, invitation_id desc limit $4`;

// One statement, so that not even its duration reveals whether the address has an account elsewhere.
const selectMember = `
  select 1 from users u join workspace_members m on m.user_id = u.user_id where m.workspace_id = ? and u.email_key = ?`;

/** What the mail of an invitation carries, as JSON. */
export interface InvitationMail {
  readonly token: string;
  readonly workspace: string;
  /** The e-mail address of the inviting user. */
  readonly inviter: string;
  /** Where the invited person will work. Absent from mails of older nodes: Studio. */
  readonly app?: MailedApp;
}

/** Whoever may answer, and in Studio only look, works in the Console. */
const chooseApp = ({
  studioRole,
  consoleRole,
}: Pick<NewInvitation, 'studioRole' | 'consoleRole'>): MailedApp =>
  studioRole === 'viewer' && consoleRole !== 'viewer' ? 'console' : 'studio';

/** The keyed hash under which an invitation's token is kept. */
export function invitationTokenHash(hash: KeyedHash, token: string): Buffer {
  return hash.digest('invitation-token', token);
}

export interface InvitationsOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly mails: MailOutbox;
  readonly cursors: Cursors;
  readonly rules: TenancyRules;
}

export class Invitations {
  readonly #db: Database;
  readonly #hash: KeyedHash;
  readonly #mails: MailOutbox;
  readonly #cursors: Cursors;
  readonly #rules: TenancyRules;

  constructor({ db, hash, mails, cursors, rules }: InvitationsOptions) {
    this.#db = db;
    this.#hash = hash;
    this.#mails = mails;
    this.#cursors = cursors;
    this.#rules = rules;
  }

  /** Pending and past invitations, the newest first. */
  async list(workspaceId: string, { cursor, limit }: PageRequest): Promise<Page<WorkspaceInvitation>> {
    const scope = `invitations/${workspaceId}`;
    const [createdAt, invitationId] = cursor === undefined ? [] : this.#cursors.decode(scope, cursor);
    const before = createdAt === undefined ? null : new Date(createdAt);
    const values = [workspaceId, before, invitationId ?? null, limit + 1];
    const rows = await this.#db.query<InvitationRow>(selectPage, values);
    const { data, ...rest } = toPage(cutPage(rows, limit), last =>
      this.#cursors.encode(scope, [last.createdAt.getTime(), last.invitationId]),
    );
    return { data: data.map(invitationResource), ...rest };
  }

  /** Creates the invitation and queues its mail. Refused for the address of a member, and while the address has an open invitation. */
  async create(request: NewInvitation): Promise<WorkspaceInvitation> {
    const { workspaceId, byUserId: invitedByUserId, now } = request;
    const at = new Date(now);
    const expiresAt = new Date(now + invitationMs);
    const email = request.email.trim().normalize('NFC');
    const token = createEmailToken();
    const secret = JSON.stringify({
      token,
      ...(await this.#readSender(workspaceId, invitedByUserId)),
      app: chooseApp(request),
    } satisfies InvitationMail);
    const mail = await this.#mails.seal({ kind: 'invitation', recipient: email, secret, now: at, expiresAt });
    try {
      return await transactOnce(this.#db, request.key, async em => {
        this.#rules.requireAdmin(await lockWorkspaceRole(em, workspaceId, invitedByUserId));
        const events = await this.#replaceExpired(em, request);
        const row = em.create(Invitation, {
          invitationId: newId('invitation', now),
          workspaceId,
          email,
          emailKey: emailKey(email),
          studioRole: request.studioRole,
          consoleRole: request.consoleRole,
          invitedByUserId,
          tokenHash: invitationTokenHash(this.#hash, token),
          createdAt: at,
          expiresAt,
        });
        this.#mails.queue(em, mail);
        await em.flush();
        const invitation = invitationResource(row);
        const { invitationId, studioRole, consoleRole } = row;
        await recordUserAction(em, request, {
          workspaceId,
          action: 'invitation.created',
          targetId: invitationId,
          details: { email, studioRole, consoleRole },
        });
        const name = 'workspace.invitation.created';
        events.push(...(await createWorkspaceEvents(em, workspaceId, invitedByUserId, name, { invitation })));
        await appendEvents(em, events);
        return invitation;
      });
    } catch (error) {
      throw violatesConstraint(error, 'invitations_open') ? this.#rules.refuse('invitation_open') : error;
    }
  }

  /**
   * Revokes an invitation. A revoked one stays as it is, without a second event; an accepted one, and one of another workspace, reads as
   * absent.
   */
  async revoke(workspaceId: string, invitationId: string, audit: UserAuditContext): Promise<void> {
    await this.#db.em().transactional(async em => {
      this.#rules.requireInvitationAdmin(await lockWorkspaceRole(em, workspaceId, audit.byUserId));
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const row = await em.findOne(Invitation, { workspaceId, invitationId }, lock);
      if (row === null || row.acceptedAt) throw this.#rules.refuse('absent');
      if (row.revokedAt) return;
      await appendEvents(em, await revokeRow(em, row, audit));
    });
  }

  async #readSender(
    workspaceId: string,
    userId: string,
  ): Promise<Pick<InvitationMail, 'workspace' | 'inviter'>> {
    const em = this.#db.em();
    const workspace = await em.findOneOrFail(Workspace, { workspaceId });
    const inviter = await em.findOneOrFail(User, { userId });
    return { workspace: workspace.name, inviter: inviter.email };
  }

  /** Revokes the expired invitation of the same address, if there is one; resolves to the events of that. */
  async #replaceExpired(em: EntityManager, request: NewInvitation): Promise<NewEvent[]> {
    const { workspaceId, email, now } = request;
    const key = emailKey(email);
    const where = { workspaceId, emailKey: key, acceptedAt: null, revokedAt: null };
    // Waits for an acceptance in progress, whose member is then found below.
    const open = await em.findOne(Invitation, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if ((await em.execute(selectMember, [workspaceId, key])).length > 0) {
      throw this.#rules.refuse('address_is_member');
    }
    if (open === null) return [];
    if (open.expiresAt.getTime() > now) throw this.#rules.refuse('invitation_open');
    return revokeRow(em, open, request);
  }
}

/**
 * Revokes the open invitations to the workspace, or those of them that one user has sent, and resolves to the events of that. Call it inside
 * a transaction and append the events there.
 */
export async function revokeInvitations(
  em: EntityManager,
  sent: { readonly workspaceId: string; readonly invitedByUserId?: string },
  audit: UserAuditContext,
): Promise<NewEvent[]> {
  const where = { ...sent, acceptedAt: null, revokedAt: null };
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { invitationId: 'asc' } } as const;
  const events: NewEvent[] = [];
  for (const row of await em.find(Invitation, where, lock)) events.push(...(await revokeRow(em, row, audit)));
  return events;
}

async function revokeRow(
  em: EntityManager,
  row: InferEntity<typeof Invitation>,
  audit: UserAuditContext,
): Promise<NewEvent[]> {
  const { workspaceId, invitationId: targetId, email } = row;
  row.revokedAt = new Date(audit.now);
  await em.flush();
  await recordUserAction(em, audit, {
    workspaceId,
    action: 'invitation.revoked',
    targetId,
    details: { email },
  });
  const invitation = invitationResource(row);
  const name = 'workspace.invitation.revoked';
  return createWorkspaceEvents(em, workspaceId, audit.byUserId, name, { invitation });
}

export function invitationResource(row: InvitationRow): WorkspaceInvitation {
  return {
    invitationId: row.invitationId,
    workspaceId: row.workspaceId,
    email: row.email,
    studioRole: row.studioRole,
    consoleRole: row.consoleRole,
    invitedByUserId: row.invitedByUserId,
    expiresAt: row.expiresAt.toISOString(),
    acceptedAt: row.acceptedAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}
