import { ServiceError } from '../../../protocol/errors.ts';
import type { Doing } from '../../../storage/audit.ts';
import type { Call, UserCaller } from '../handler.ts';

/** The user who calls, for operations that API keys never reach: the engine has refused anyone else already. */
export function requireUser(call: Pick<Call, 'caller'>): UserCaller {
  if (call.caller?.type !== 'user') throw new ServiceError('svc/auth/login_required');
  return call.caller;
}

/** Production is closed to users whose e-mail is not verified (specification, "Authentication" 6). */
export function requireVerified(user: UserCaller): void {
  if (!user.emailVerified) throw new ServiceError('svc/auth/email_not_verified');
}

/** Who does it, when, and by which request: for services that record what they do. */
export function doingOf(call: Pick<Call, 'caller' | 'requestId' | 'address' | 'now'>): Doing {
  return { byUserId: requireUser(call).userId, origin: originOf(call), now: call.now };
}

/** The request that an act comes by. */
export function originOf({ requestId, address }: Pick<Call, 'requestId' | 'address'>): Doing['origin'] {
  return { requestId, address };
}
