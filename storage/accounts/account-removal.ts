/**
 * The end of an account by its own user. What others made with them stays: messages, events and audit entries go on naming the id. The row of
 * the user stays for that, without address, name, password or settings. API keys that they made belong to their projects, and work on.
 */
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAccountAction } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { EmailToken, Passkey, Session, Workspace, WorkspaceMember } from '../entities/index.ts';
import { appendEvents, type NewEvent } from '../events/index.ts';
import type { MailOutbox } from '../mail/index.ts';
import { type AccessCache, removeMember, revokeInvitations } from '../tenancy/index.ts';
import { type AccountChange, lockUser, tellAccount } from './account-notices.ts';
import { forgetSecondFactor } from './second-factors.ts';
import type { RefuseAccount } from './refusal.ts';

/** A workspace that would have no owner left. */
export interface OwnedWorkspace {
  readonly workspaceId: string;
  readonly name: string;
}

/** The user is the last owner of workspaces that are not archived: they are handed over or archived first. */
export class LastOwner extends Error {
  override readonly name = 'LastOwner';
  readonly workspaces: readonly OwnedWorkspace[];

  constructor(workspaces: readonly OwnedWorkspace[]) {
    super('the user is the last owner of workspaces');
    this.workspaces = workspaces;
  }
}

/** How others are shown a user whose account is gone. */
export const deletedUserName = 'Deleted user';

/** The invitations by which the user came name the address. */
const forgetInvitations = `
  update invitations set email = ?, email_key = ? where email_key = ? and coalesce(accepted_at, revoked_at) is not null`;

export interface AccountRemovalOptions {
  readonly db: Database;
  readonly mails: MailOutbox;
  readonly access: Pick<AccessCache, 'invalidateUser'>;
  readonly refuse: RefuseAccount;
}

export class AccountRemoval {
  readonly #options: AccountRemovalOptions;

  constructor(options: AccountRemovalOptions) {
    this.#options = options;
  }

  /**
   * Removes the account of a user whose password was checked; resolves to the workspaces that they were a member of. Refused when the password
   * has changed since, and with {@link LastOwner}.
   */
  async remove(change: AccountChange): Promise<readonly string[]> {
    const { db, mails, access, refuse } = this.#options;
    const { byUserId: userId, now } = change;
    const at = new Date(now);
    const left = await db.em().transactional(async em => {
      const user = await lockUser(em, change, refuse);
      // While the memberships are there: the admins of each workspace see who is gone.
      await recordAccountAction(em, change, { action: 'user.removed', targetId: userId });
      const { workspaceIds, events } = await leaveAll(em, change);
      await tellAccount(em, mails, user, { what: 'account_deleted' }, change);
      // First, since a second step that is under way holds what it deletes: its session is there before the sessions go.
      await forgetSecondFactor(em, userId);
      await em.nativeDelete(Passkey, { userId });
      await em.nativeDelete(Session, { userId });
      await em.nativeDelete(EmailToken, { userId });
      const nobody = `${userId}@deleted.invalid`;
      await em.execute(forgetInvitations, [nobody, nobody, user.emailKey]);
      // The proof of the address stays: what keys do in the name of their maker depends on it.
      em.assign(user, {
        email: nobody,
        emailKey: nobody,
        passwordHash: null,
        displayName: deletedUserName,
        avatarColor: null,
        settings: null,
        deletedAt: at,
        updatedAt: at,
      });
      await em.flush();
      if (events.length > 0) await appendEvents(em, events);
      return workspaceIds;
    });
    access.invalidateUser(userId);
    return left;
  }
}

/** Removes the user from every workspace; rejects with {@link LastOwner} where one of them needs its owner. */
async function leaveAll(
  em: EntityManager,
  change: AccountChange,
): Promise<{ readonly workspaceIds: readonly string[]; readonly events: readonly NewEvent[] }> {
  const { byUserId: userId } = change;
  const memberships = await em.find(WorkspaceMember, { userId }, { orderBy: { workspaceId: 'asc' } });
  const workspaceIds = memberships.map(({ workspaceId }) => workspaceId);
  // Whoever changes members of a workspace locks it, too. All take them in the order of their ids.
  const workspaces = await em.find(
    Workspace,
    { workspaceId: { $in: workspaceIds } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { workspaceId: 'asc' } },
  );
  const inNeed: OwnedWorkspace[] = [];
  for (const { workspaceId, name, archivedAt } of workspaces) {
    if (archivedAt) continue;
    const owners = await em.find(WorkspaceMember, { workspaceId, role: 'owner' }, { refresh: true });
    if (owners.length === 1 && owners[0]?.userId === userId) inNeed.push({ workspaceId, name });
  }
  if (inNeed.length > 0) throw new LastOwner(inNeed);
  const events: NewEvent[] = [];
  for (const workspaceId of workspaceIds) {
    // Removed by somebody else meanwhile: nothing is left to be done there.
    const member = await em.findOne(WorkspaceMember, { workspaceId, userId }, { refresh: true });
    if (member === null) continue;
    events.push(...(await removeMember(em, member, change)));
    events.push(...(await revokeInvitations(em, { workspaceId, invitedByUserId: userId }, change)));
  }
  return { workspaceIds, events };
}
