/** 409 by the state of the resource. */
import { ServiceError } from '../protocol/errors.ts';

/** 409 `svc/runtime/conflict`: the state of the resource does not allow it. `details` go to the client. */
export function conflict(message: string, details?: Readonly<Record<string, unknown>>): ServiceError {
  return new ServiceError('svc/runtime/conflict', { message, ...(details === undefined ? {} : { details }) });
}
