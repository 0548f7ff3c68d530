import type { Actor } from '../../../protocol/resources/message.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import type { Call } from '../handler.ts';

/** Who a call is done by, as events and messages tell it (decisions section 7). */
export function authorOf({ caller }: Pick<Call, 'caller'>): Actor {
  if (caller === undefined) throw new ServiceError('svc/auth/missing_credentials');
  return caller.type === 'key'
    ? { type: 'api_key', id: caller.apiKeyId }
    : { type: 'user', id: caller.userId };
}
