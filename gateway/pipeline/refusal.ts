import type { ServiceError } from '../../protocol/errors.ts';
import { toServiceError, unavailable } from '../../runtime/actor/index.ts';
import { isTransient } from '../../storage/database/index.ts';

/**
 * What a caller is told of an error: a refusal as it was thrown, and 503 while the database is away. Undefined for a defect, which
 * is logged and answered as `svc/runtime/internal_error`.
 */
export function toRefusal(error: unknown): ServiceError | undefined {
  return toServiceError(error) ?? (isTransient(error) ? unavailable('store') : undefined);
}
