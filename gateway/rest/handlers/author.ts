import type { ActMark } from '../../../actors/act.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Actor } from '../../../protocol/resources/message.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import type { Deed } from '../../../storage/audit.ts';
import type { Call } from '../handler.ts';
import { originOf } from './signed-in.ts';

/** Who a call is done by, as events and messages tell it (decisions section 7). */
export function authorOf({ caller }: Pick<Call, 'caller'>): Actor {
  if (caller === undefined) throw new ServiceError('svc/auth/missing_credentials');
  switch (caller.type) {
    case 'key':
      return { type: 'api_key', id: caller.apiKeyId };
    case 'user':
      return { type: 'user', id: caller.userId };
    case 'service':
      return { type: 'system', id: caller.name };
  }
}

/** The mark of a call that administers: what its act is recorded with. */
export function actOf(call: Pick<Call, 'caller' | 'requestId' | 'address' | 'now'>): ActMark {
  return { auditLogId: newId('audit', call.now), author: authorOf(call), origin: originOf(call) };
}

/** Who does it, when, and by which request: for services of environments, where keys administer too. */
export function deedOf(call: Pick<Call, 'caller' | 'requestId' | 'address' | 'now'>): Deed {
  return { author: authorOf(call), origin: originOf(call), now: call.now };
}

/** The user behind a call: whoever signed in, or made the key (decisions section 3). */
export function userOf({ caller }: Pick<Call, 'caller'>): string {
  if (caller === undefined) throw new ServiceError('svc/auth/missing_credentials');
  if (caller.type === 'service') throw new ServiceError('svc/auth/login_required');
  return caller.type === 'key' ? caller.createdByUserId : caller.userId;
}
