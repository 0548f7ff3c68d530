/** The headers of an attempt's request. They follow from the delivery and the attempt, but for the signatures, which are not kept. */
import type { DeliveryAttempt } from '../../sdk/index.ts';

export interface SentDelivery {
  readonly deliveryId: string;
  readonly eventId?: string | null | undefined;
}

/** Of an attempt that failed so, nothing was sent. */
const unsent: ReadonlySet<DeliveryAttempt['errorClass']> = new Set([
  'dns',
  'connect',
  'tls',
  'blocked_address',
  'unreadable_secret',
]);

export const wasSent = ({ errorClass }: Pick<DeliveryAttempt, 'errorClass'>): boolean =>
  !unsent.has(errorClass);

export function toRequestHeaders(
  { deliveryId, eventId }: SentDelivery,
  { number, attemptedAt }: Pick<DeliveryAttempt, 'number' | 'attemptedAt'>,
): readonly (readonly [name: string, value: string])[] {
  const id = eventId ?? '';
  const seconds = String(Math.floor(Date.parse(attemptedAt) / 1_000));
  return [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'Skein-Stitch/1'],
    ['Service-Event-Id', id],
    ['Service-Delivery-Id', deliveryId],
    ['Service-Attempt', String(number)],
    ['Service-Signature', `t=${seconds},v1=…`],
    ['webhook-id', id],
    ['webhook-timestamp', seconds],
    ['webhook-signature', 'v1,…'],
  ];
}
