import type { IdempotencyKey } from '../../../actors/thread/commands.ts';
import type { Call } from '../handler.ts';

/** The call's Idempotency-Key for the commit that answers it, in a form that JSON can carry. */
export function commitKey({ idempotency }: Pick<Call, 'idempotency'>): { readonly key?: IdempotencyKey } {
  if (idempotency === undefined) return {};
  const { keyHash, fingerprint } = idempotency;
  return { key: { keyHash: keyHash.toString('base64'), fingerprint: fingerprint.toString('base64') } };
}
