/**
 * Invitations to a workspace (specification, "Workspace invitation"; decisions section 4):
 *
 *   pending -> accepted   with the mailed token (storage/accounts/acceptance.ts)
 *   pending -> revoked    by an admin; or a successor was made after it had expired; or who sent it was removed
 *                         or made a viewer
 *   pending -> expired    7 days after it was made: no row changes for it
 *
 * An address has one pending invitation to a workspace at most. Each change is an event in the same transaction.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { notFound, ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { ConsoleRole } from '../../protocol/operation.ts';
import type { WorkspaceRole } from '../../protocol/resources/studio.ts';
import type { WorkspaceInvitation } from '../../protocol/resources/workspace.ts';
import { emailKey } from '../accounts/email-key.ts';
import { emailSecret } from '../accounts/email-secret.ts';
import type { Mails } from '../accounts/mails.ts';
import { recordDoing, type Doing } from '../audit.ts';
import { page } from '../cursor.ts';
import type { Cursors, Page } from '../cursor.ts';
import type { Database } from '../database.ts';
import { User } from '../entities/accounts.ts';
import { Invitation, Workspace } from '../entities/tenancy.ts';
import { appendEvents, type NewEvent } from '../events.ts';
import type { KeyHash } from '../keyhash.ts';
import { violates } from '../unique-violation.ts';
import { requireAdmin } from './authority.ts';
import { workspaceEvent } from './workspace-events.ts';
import type { PageRequest } from './workspaces.ts';

/** Milliseconds that an invitation can be accepted. */
export const invitationMs = 7 * 86_400_000;

export interface NewInvitation extends Doing {
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

// One statement: that an address has an account elsewhere is nobody's to know, by the time it takes neither.
const selectMember = `
  select 1 from users u join workspace_members m on m.user_id = u.user_id where m.workspace_id = ? and u.email_key = ?`;

/** What the mail of an invitation carries, as JSON. */
export interface InvitationMail {
  readonly token: string;
  readonly workspace: string;
  /** The address of whoever invites. */
  readonly inviter: string;
}

/** The keyed hash under which an invitation's token is kept. */
export function invitationTokenHash(hash: KeyHash, token: string): Buffer {
  return hash.of('invitation-token', token);
}

export interface InvitationsOptions {
  readonly db: Database;
  readonly hash: KeyHash;
  readonly mails: Mails;
  readonly cursors: Cursors;
}

export class Invitations {
  readonly #db: Database;
  readonly #hash: KeyHash;
  readonly #mails: Mails;
  readonly #cursors: Cursors;

  constructor({ db, hash, mails, cursors }: InvitationsOptions) {
    this.#db = db;
    this.#hash = hash;
    this.#mails = mails;
    this.#cursors = cursors;
  }

  /** Pending and past, the newest first. */
  async list(workspaceId: string, { cursor, limit }: PageRequest): Promise<Page<WorkspaceInvitation>> {
    const scope = `invitations/${workspaceId}`;
    const [createdAt, invitationId] = cursor === undefined ? [] : this.#cursors.decode(scope, cursor);
    const before = createdAt === undefined ? null : new Date(createdAt);
    const values = [workspaceId, before, invitationId ?? null, limit + 1];
    const rows = await this.#db.query<InvitationRow>(selectPage, values);
    const { data, ...rest } = page(rows, limit, last =>
      this.#cursors.encode(scope, [last.createdAt.getTime(), last.invitationId]),
    );
    return { data: data.map(invitationResource), ...rest };
  }

  /**
   * Makes the invitation and queues its mail. Fails with `svc/runtime/conflict` when the address is a member's, or has an
   * invitation that is still open; and as any operation does where the inviter is no admin any more.
   */
  async create(request: NewInvitation): Promise<WorkspaceInvitation> {
    const { workspaceId, byUserId: invitedByUserId, now } = request;
    const at = new Date(now);
    const expiresAt = new Date(now + invitationMs);
    const email = request.email.trim().normalize('NFC');
    const token = emailSecret();
    const secret = JSON.stringify({
      token,
      ...(await this.#origin(workspaceId, invitedByUserId)),
    } satisfies InvitationMail);
    const mail = await this.#mails.seal({ kind: 'invitation', recipient: email, secret, now: at, expiresAt });
    try {
      return await this.#db.em().transactional(async em => {
        await requireAdmin(em, workspaceId, invitedByUserId);
        const events = await this.#replaceExpired(em, request);
        const row = em.create(Invitation, {
          ...{ invitationId: newId('invitation', now), workspaceId, email, emailKey: emailKey(email) },
          ...{ studioRole: request.studioRole, consoleRole: request.consoleRole, invitedByUserId },
          ...{ tokenHash: invitationTokenHash(this.#hash, token), createdAt: at, expiresAt },
        });
        this.#mails.queue(em, mail);
        await em.flush();
        const invitation = invitationResource(row);
        const { invitationId, studioRole, consoleRole } = row;
        await recordDoing(em, request, {
          ...{ workspaceId, action: 'invitation.created', targetId: invitationId },
          details: { email, studioRole, consoleRole },
        });
        const name = 'workspace.invitation.created';
        events.push(await workspaceEvent(em, workspaceId, invitedByUserId, name, { invitation }));
        await appendEvents(em, events);
        return invitation;
      });
    } catch (error) {
      throw violates(error, 'invitations_open') ? stillOpen() : error;
    }
  }

  /**
   * Revokes an invitation; one that is revoked already stays as it is, without a second event. `svc/runtime/not_found` for
   * one of another workspace, and for one that was accepted: there is nothing left to revoke; and to who is no admin any more.
   */
  async revoke(workspaceId: string, invitationId: string, doing: Doing): Promise<void> {
    await this.#db.em().transactional(async em => {
      await requireAdmin(em, workspaceId, doing.byUserId, notFound());
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const row = await em.findOne(Invitation, { workspaceId, invitationId }, lock);
      if (row === null || row.acceptedAt) throw notFound();
      if (row.revokedAt) return;
      await appendEvents(em, [await close(em, row, doing)]);
    });
  }

  async #origin(workspaceId: string, userId: string): Promise<Omit<InvitationMail, 'token'>> {
    const em = this.#db.em();
    const workspace = await em.findOneOrFail(Workspace, { workspaceId });
    const inviter = await em.findOneOrFail(User, { userId });
    return { workspace: workspace.name, inviter: inviter.email };
  }

  /** Makes room for the invitation; the events of that. */
  async #replaceExpired(em: EntityManager, request: NewInvitation): Promise<NewEvent[]> {
    const { workspaceId, email, now } = request;
    const key = emailKey(email);
    const where = { workspaceId, emailKey: key, acceptedAt: null, revokedAt: null };
    // Waits for an acceptance under way, whose member is then seen below.
    const open = await em.findOne(Invitation, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if ((await em.execute(selectMember, [workspaceId, key])).length > 0) {
      throw new ServiceError('svc/runtime/conflict', { message: 'The address is that of a member.' });
    }
    if (open === null) return [];
    if (open.expiresAt.getTime() > now) throw stillOpen();
    return [await close(em, open, request)];
  }
}

/**
 * Revokes what a user has invited to the workspace and nobody has accepted yet, as somebody else's doing; the events of that. Call
 * it inside a transaction, and append them there.
 */
export async function revokeInvitationsOf(
  em: EntityManager,
  workspaceId: string,
  invitedByUserId: string,
  doing: Doing,
): Promise<NewEvent[]> {
  const where = { workspaceId, invitedByUserId, acceptedAt: null, revokedAt: null };
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { invitationId: 'asc' } } as const;
  const events: NewEvent[] = [];
  for (const row of await em.find(Invitation, where, lock)) events.push(await close(em, row, doing));
  return events;
}

async function close(
  em: EntityManager,
  row: InferEntity<typeof Invitation>,
  doing: Doing,
): Promise<NewEvent> {
  const { workspaceId, invitationId: targetId, email } = row;
  row.revokedAt = new Date(doing.now);
  await em.flush();
  await recordDoing(em, doing, {
    ...{ workspaceId, action: 'invitation.revoked', targetId, details: { email } },
  });
  const invitation = invitationResource(row);
  const name = 'workspace.invitation.revoked';
  return workspaceEvent(em, workspaceId, doing.byUserId, name, { invitation });
}

function stillOpen(): ServiceError {
  return new ServiceError('svc/runtime/conflict', {
    message: 'The address has an invitation that is still open: revoke it first.',
  });
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
