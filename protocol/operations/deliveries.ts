/** Webhook deliveries: the audit of the outbox, and replay. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  DeliveryAttempt,
  ListDeliveriesQuery,
  ReplayAccepted,
  ReplayDeliveryBody,
  ReplayStitchBody,
  WebhookDelivery,
} from '../resources/delivery.ts';
import { id } from '../resources/fields.ts';
import { listOf, MaybeProjectQuery, NestedListQuery } from '../resources/list.ts';
import { access, listing, reading, repeatable, shortPages, writing } from './rules.ts';

const tag = 'Webhook deliveries';
const oneDelivery = Type.Object({ deliveryId: id('delivery') });

export const deliveryOperations = {
  listDeliveries: {
    method: 'GET',
    path: '/webhook-deliveries',
    tag,
    summary: 'List webhook deliveries, newest first',
    description: shortPages,
    auth: 'project',
    access: access.readWebhooks,
    query: ListDeliveriesQuery,
    success: { status: 200, body: listOf(WebhookDelivery) },
    errors: [...listing],
    rate: 'read',
    idempotency: 'none',
  },
  getDelivery: {
    method: 'GET',
    path: '/webhook-deliveries/{deliveryId}',
    tag,
    summary: 'Read a webhook delivery',
    auth: 'project',
    access: access.readWebhooks,
    params: oneDelivery,
    query: MaybeProjectQuery,
    success: { status: 200, body: WebhookDelivery },
    errors: [...reading],
    rate: 'read',
    idempotency: 'none',
  },
  listDeliveryAttempts: {
    method: 'GET',
    path: '/webhook-deliveries/{deliveryId}/attempts',
    tag,
    summary: "List a delivery's attempts by number",
    auth: 'project',
    access: access.readWebhooks,
    params: oneDelivery,
    query: NestedListQuery,
    success: { status: 200, body: listOf(DeliveryAttempt) },
    errors: [...listing],
    rate: 'read',
    idempotency: 'none',
  },
  replayDelivery: {
    method: 'POST',
    path: '/webhook-deliveries/{deliveryId}/replay',
    tag,
    summary: 'Deliver the same bytes again, as a new delivery, to the same stitch or another',
    auth: 'project',
    access: access.writeWebhooks,
    params: oneDelivery,
    body: ReplayDeliveryBody,
    success: { status: 202, body: WebhookDelivery },
    errors: [...writing, ...repeatable, 'svc/runtime/conflict'],
    rate: 'test',
    idempotency: 'accepted',
  },
  replayStitch: {
    method: 'POST',
    path: '/stitches/{stitchId}/replay',
    tag,
    summary: 'Replay what a stitch was due in a span of time, to itself or another stitch',
    auth: 'project',
    access: access.writeWebhooks,
    params: Type.Object({ stitchId: id('stitch') }),
    body: ReplayStitchBody,
    success: { status: 202, body: ReplayAccepted },
    errors: [...writing, ...repeatable, 'svc/runtime/conflict'],
    rate: 'test',
    idempotency: 'accepted',
  },
} as const satisfies Record<string, Operation>;
