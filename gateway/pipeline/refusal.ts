import { ServiceError } from '../../protocol/errors.ts';
import { toServiceError, unavailable } from '../../runtime/actor/index.ts';
import { isTransient } from '../../storage/database/index.ts';
import { InvalidCursor } from '../../storage/paging/index.ts';

/**
 * What a caller is told of an error: a refusal as it was thrown, 400 for a cursor of another list, and 503 while the database is away.
 * Undefined for a defect, which is logged and answered as `svc/runtime/internal_error`.
 */
export function toRefusal(error: unknown): ServiceError | undefined {
  if (error instanceof InvalidCursor) {
    return new ServiceError('svc/runtime/invalid_request', {
      message: 'The cursor does not belong to this list.',
    });
  }
  return toServiceError(error) ?? (isTransient(error) ? unavailable('store') : undefined);
}
