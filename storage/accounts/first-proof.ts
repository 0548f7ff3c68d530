/**
 * The first proof of an address by a reset, an invitation or an identity provider. Anybody can sign up with an address that is not theirs and wait
 * until its owner proves it. From then on nobody else may have a way in that was made before, and nothing that was made before may keep the owner
 * out. The link that verifies an address ends nothing: whoever uses it says that the account is theirs, and its mail has another link that removes it.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { recordAccountAction, type UserAuditContext } from '../audit/index.ts';
import { EmailToken, Passkey } from '../entities/index.ts';
import type { NewEvent } from '../events/index.ts';
import { revokeGrants } from '../tenancy/index.ts';
import { endAllSessions } from './own-sessions.ts';
import { forgetSecondFactor, hasSecondFactor } from './second-factors.ts';

/**
 * Ends the sessions of an account whose address nothing had proven, its second factors, a change of address that was asked for, and all access
 * that it has given out; resolves to the events of that. Call it inside a transaction that has locked the user, and append the events there,
 * last. The password is the caller's business: a reset sets another one.
 */
export async function endUnprovenAccess(em: EntityManager, audit: UserAuditContext): Promise<NewEvent[]> {
  const { byUserId: userId, now } = audit;
  if (await hasSecondFactor(em, userId)) {
    await recordAccountAction(em, audit, { action: 'user.second_factor_disabled', targetId: userId });
  }
  // Before the sessions: a second step that is under way holds what is deleted here, and its session is there afterwards.
  await forgetSecondFactor(em, userId);
  await em.nativeDelete(Passkey, { userId });
  await endAllSessions(em, audit);
  await em.nativeUpdate(EmailToken, { userId, purpose: 'change', usedAt: null }, { usedAt: new Date(now) });
  return revokeGrants(em, audit);
}
