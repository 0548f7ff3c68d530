/** Logins that failed, as the admins of the user's workspaces see them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAccountAction, type UserAuditContext, type WorkspaceDetails } from '../audit/index.ts';

/** What was wrong. */
export type LoginStep = 'password' | 'second_factor' | 'single_sign_on';

/**
 * Records it in the caller's transaction, of which no refusal may be the outcome: it would take the entry back. How many there are of one
 * user is limited by the rate of logins (docs/operate/rate-limits.md): each has named the address, or a login of it that was begun.
 *
 * @param own what one of the workspaces learns, and no other
 */
export function recordFailedLogin(
  em: EntityManager,
  audit: UserAuditContext,
  step: LoginStep,
  own?: WorkspaceDetails,
): Promise<void> {
  // Whoever tried it is not known to be the user.
  const actor = { type: 'system', id: 'system' } as const;
  const entry = { action: 'user.login_failed', targetId: audit.byUserId, details: { step } } as const;
  return recordAccountAction(em, audit, { ...entry, actor }, own);
}
