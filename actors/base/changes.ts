/** What changes of resources have in common: the precondition of a request, and free-form objects that are merged. */
import { preconditionFailed } from '../../protocol/errors.ts';
import { passesIfMatch } from '../../protocol/etag.ts';
import { isTooLarge, mergedTooLarge, mergePatch } from '../../protocol/merge-patch.ts';
import type { Metadata } from './tenancy.ts';

/** A change of a resource with an ETag. */
export interface Conditional {
  /** The header If-Match; absent: there is no condition. */
  readonly ifMatch?: string;
}

/** Refuses with 412 where the resource is not what If-Match names. */
export function requireUnchanged({ ifMatch = '' }: Conditional, resource: object): void {
  if (!passesIfMatch(ifMatch, resource)) throw preconditionFailed();
}

/** A free-form object after a merge patch (RFC 7396); without a patch as it was. 422 where it would be too large. */
export function mergeObject<T extends Metadata>(field: string, before: T, patch: T | undefined): T {
  if (patch === undefined) return before;
  const merged = mergePatch(before, patch);
  if (isTooLarge(merged, before)) throw mergedTooLarge(`/body/${field}`);
  // The schema of the request says what a patch may hold.
  return merged as T;
}
