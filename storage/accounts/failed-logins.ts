/** Logins that failed, as the admins of the user's workspaces see them. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAccountAction, type UserAuditContext } from '../audit/index.ts';

/** What was wrong. */
export type LoginStep = 'password' | 'second_factor' | 'single_sign_on';

/**
 * Records it in the caller's transaction, of which no refusal may be the outcome: it would take the entry back. How many there are is
 * limited by the rate of logins (docs/operate/rate-limits.md).
 */
export function recordFailedLogin(
  em: EntityManager,
  audit: UserAuditContext,
  step: LoginStep,
  details: Readonly<Record<string, string>> = {},
): Promise<void> {
  // Whoever tried it is not known to be the user.
  const actor = { type: 'system', id: 'system' } as const;
  const entry = {
    action: 'user.login_failed',
    targetId: audit.byUserId,
    details: { step, ...details },
  } as const;
  return recordAccountAction(em, audit, { ...entry, actor });
}
