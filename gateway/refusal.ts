import type { ServiceError } from '../protocol/errors.ts';
import { serviceErrorOf, unavailable } from '../runtime/failures.ts';
import { isPassing } from '../storage/passing-error.ts';

/**
 * What a caller is told of an error: a refusal as it was thrown, 503 while the database is away. Undefined for a defect, which
 * is logged and answered as `svc/runtime/internal_error`.
 */
export function refusalOf(error: unknown): ServiceError | undefined {
  return serviceErrorOf(error) ?? (isPassing(error) ? unavailable('store') : undefined);
}
