/** 409 by the state of the resource. */
import { ServiceError } from '../protocol/errors.ts';

export function conflict(message: string, details?: Readonly<Record<string, unknown>>): ServiceError {
  return new ServiceError('svc/runtime/conflict', { message, ...(details === undefined ? {} : { details }) });
}
