/** Who calls: as handlers need it, as events and messages show it, and as the audit log records it. */
import type { CommandAudit } from '../../actors/base/index.ts';
import { ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { AuditContext, UserAuditContext } from '../../storage/audit/index.ts';
import { type Call, getAuthor, type UserCaller } from '../pipeline/index.ts';

export { getAuthor };

/** The user who calls, for operations that API keys never reach: the pipeline has refused anyone else already. */
export function requireUser({ caller }: Pick<Call, 'caller'>): UserCaller {
  if (caller?.type !== 'user') throw new ServiceError('svc/auth/login_required');
  return caller;
}

/** Users whose e-mail is not verified cannot use production, invite, or set up what signs somebody in: second factors and identity providers. */
export function requireVerified(user: UserCaller): void {
  if (!user.emailVerified) throw new ServiceError('svc/auth/email_not_verified');
}

/** The user in whose name a call is made: who is signed in, or whom the API key acts for. */
export function findActingUser({ caller }: Pick<Call, 'caller'>): string | undefined {
  if (caller?.type === 'user') return caller.userId;
  return caller?.type === 'key' ? caller.actingUserId : undefined;
}

/** The user behind a call: in whose name it is made, or who has made the API key (docs/contract-decisions.md, "Who may do what"). */
export function getUserId({ caller }: Pick<Call, 'caller'>): string {
  if (caller === undefined) throw new ServiceError('svc/auth/missing_credentials');
  if (caller.type === 'service') throw new ServiceError('svc/auth/login_required');
  return caller.type === 'key' ? (caller.actingUserId ?? caller.createdByUserId) : caller.userId;
}

type AuditedCall = Pick<Call, 'caller' | 'requestId' | 'address' | 'now'>;

/** Who acts, when, and by which request: for services of environments, where keys administer too. */
export function createAuditContext(call: AuditedCall): AuditContext {
  return { author: getAuthor(call), origin: getRequestOrigin(call), now: call.now };
}

/** The same for acts of users alone. */
export function createUserAuditContext(call: AuditedCall): UserAuditContext {
  return { byUserId: requireUser(call).userId, origin: getRequestOrigin(call), now: call.now };
}

/** The same for a command: its actor records the act in its own commit. */
export function createCommandAudit(call: AuditedCall): CommandAudit {
  return { auditLogId: newId('audit', call.now), author: getAuthor(call), origin: getRequestOrigin(call) };
}

/** The request that caused the action. */
export function getRequestOrigin({
  requestId,
  address,
}: Pick<Call, 'requestId' | 'address'>): AuditContext['origin'] {
  return { requestId, address };
}
