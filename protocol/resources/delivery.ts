import Type from 'typebox';
import type { Static } from 'typebox';
import { body, choice, id, instant, nullable, optional, resource, text } from './fields.ts';
import { BulkError } from './bulk.ts';
import { page, scope } from './list.ts';

export const deliveryStatuses = [
  'pending',
  'delivering',
  'delivered',
  'retrying',
  'failed',
  'cancelled',
] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
export const deliveryTriggers = ['scheduled', 'manual', 'replay', 'test'] as const;
export type DeliveryTrigger = (typeof deliveryTriggers)[number];
export const attemptErrorClasses = [
  'timeout',
  'dns',
  'connect',
  'tls',
  'blocked_address',
  'unreadable_secret',
  'http_status',
] as const;

export const WebhookDelivery = resource('WebhookDelivery', {
  deliveryId: id('delivery'),
  projectId: id('project'),
  stitchId: optional(nullable(id('stitch'))),
  eventId: optional(nullable(id('event'))),
  status: choice(deliveryStatuses),
  attemptCount: Type.Integer({ minimum: 0 }),
  responseStatus: optional(nullable(Type.Integer())),
  lastError: optional(nullable(Type.String())),
  lastAttemptAt: optional(nullable(instant())),
  nextAttemptAt: optional(nullable(instant())),
  createdAt: instant(),
  updatedAt: instant(),
  environmentId: optional(id('environment')),
  eventName: optional(Type.String()),
  trigger: optional(choice(deliveryTriggers)),
  threadId: optional(nullable(id('thread'))),
});
export type WebhookDelivery = Static<typeof WebhookDelivery>;

/** One request of a delivery, also one that was refused before it was sent. */
export const DeliveryAttempt = resource('DeliveryAttempt', {
  /** From 1. */
  number: Type.Integer({ minimum: 1 }),
  trigger: choice(deliveryTriggers),
  attemptedAt: instant(),
  durationMs: Type.Integer({ minimum: 0 }),
  responseStatus: nullable(Type.Integer()),
  /** The first 16 KiB. */
  responseBody: nullable(Type.String()),
  errorClass: nullable(choice(attemptErrorClasses)),
  error: nullable(Type.String()),
  nextAttemptAt: nullable(instant()),
});
export type DeliveryAttempt = Static<typeof DeliveryAttempt>;

export const ListDeliveriesQuery = Type.Object({
  ...scope,
  stitchId: optional(id('stitch')),
  status: optional(choice(deliveryStatuses)),
  eventId: optional(id('event')),
  eventName: optional(text(1, 128)),
  since: optional(instant()),
  until: optional(instant()),
  ...page,
});

/** Delivers the same bytes again, to the same stitch or another one. */
export const ReplayDeliveryBody = body('ReplayDeliveryBody', {
  projectId: id('project'),
  targetStitchId: optional(id('stitch')),
});
export type ReplayDeliveryBody = Static<typeof ReplayDeliveryBody>;

/** Replays the stitch's deliveries from `since` on, to another stitch when one is named. */
export const ReplayStitchBody = body('ReplayStitchBody', {
  projectId: id('project'),
  since: instant(),
  until: optional(instant()),
  eventNames: optional(Type.Array(text(1, 128), { maxItems: 100 })),
  statuses: optional(Type.Array(choice(deliveryStatuses), { maxItems: deliveryStatuses.length })),
  targetStitchId: optional(id('stitch')),
});
export type ReplayStitchBody = Static<typeof ReplayStitchBody>;

/** The deliveries are created after the answer, page by page. */
export const ReplayAccepted = resource('ReplayAccepted', {
  accepted: Type.Literal(true),
  /** Among the `replays` of the target's stats as long as it is under way. */
  replayId: optional(Type.String()),
});
export type ReplayAccepted = Static<typeof ReplayAccepted>;

/** Everything that is kept, of all stitches, where no field says less. */
export const ReplayFailedBody = body('ReplayFailedBody', {
  ...scope,
  stitchId: optional(id('stitch')),
  since: optional(instant()),
  until: optional(instant()),
  eventNames: optional(Type.Array(text(1, 128), { maxItems: 100 })),
});
export type ReplayFailedBody = Static<typeof ReplayFailedBody>;

export const FailedReplay = resource('FailedReplay', {
  stitchId: id('stitch'),
  status: choice(['started', 'refused']),
  replayId: nullable(Type.String()),
  error: nullable(BulkError),
});
export type FailedReplay = Static<typeof FailedReplay>;

export const FailedReplays = resource('FailedReplays', { stitches: Type.Array(FailedReplay) });
export type FailedReplays = Static<typeof FailedReplays>;
