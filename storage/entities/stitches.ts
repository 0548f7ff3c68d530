/** Stitches (a row is its actor's snapshot), their deliveries, and every attempt. */
import { defineEntity, p } from '@mikro-orm/core';
import { big, id, instant, metadata, words } from './columns.ts';

/** A signing secret as kept: the newest has no end, a predecessor signs until its grace ends. */
export interface StitchSecret {
  /** JWE, context `stitches/<stitchId>/secret`. */
  readonly jwe: string;
  /** Epoch milliseconds; absent for the newest. */
  readonly until?: number;
}

export const Stitch = defineEntity({
  name: 'Stitch',
  tableName: 'stitches',
  properties: {
    stitchId: id().primary(),
    projectId: id(),
    environmentId: id(),
    name: p.text(),
    webhookUrl: p.text().nullable(),
    /** Public host of `webhookUrl`. Null for others, and in rows of earlier releases until the stitch changes. */
    webhookHost: p.text().nullable(),
    status: p.enum(['active', 'disabled', 'error'] as const),
    eventNames: words(),
    metadata: metadata(),
    createdAt: instant(),
    updatedAt: instant(),
    archivedAt: instant().nullable(),
    secrets: p.json<readonly StitchSecret[]>().default('[]'),
    state: p.json<unknown>(),
    /** Every event up to this number is settled or has a row. Events beyond it may have one, too. */
    settledSeq: big().defaultRaw('0'),
    /** There were deliveries with a row and without an attempt when stitches began to follow the log. */
    hasOldRows: p.boolean().default(false),
    version: big(),
  },
  indexes: [
    {
      name: 'stitches_live',
      properties: ['projectId', 'environmentId'],
      where: "archived_at is null and status <> 'disabled'",
    },
    { name: 'stitches_environment', properties: ['environmentId'], where: 'archived_at is null' },
    { name: 'stitches_listed', properties: ['projectId', 'environmentId', 'createdAt', 'stitchId'] },
    {
      name: 'stitches_unfinished',
      properties: ['stitchId'],
      where:
        "state ->> 'cancelUntil' is not null or state ->> 'replays' <> '[]' or state ->> 'ownerNews' <> '[]'",
    },
  ],
});

/** A part of the project's log that a stitch delivers; or whose deliveries were cancelled, as far as they have no row. */
export const StitchSpan = defineEntity({
  name: 'StitchSpan',
  tableName: 'stitch_spans',
  properties: {
    stitchId: id().primary(),
    /** Exclusive. */
    afterSeq: big().primary(),
    /** Inclusive; null while it is open. */
    uptoSeq: big().nullable(),
    projectId: id(),
    environmentId: id(),
    eventNames: words(),
    cancelledAt: instant().nullable(),
    /** Deliveries of a cancelled span whose requests were in flight then: they end as their answers say. */
    inFlight: words(),
  },
  indexes: [
    { name: 'stitch_spans_project', properties: ['projectId'] },
    { name: 'stitch_spans_cancelled', properties: ['cancelledAt'], where: 'cancelled_at is not null' },
    { name: 'stitch_spans_in_flight', properties: ['stitchId'], where: "in_flight <> '{}'" },
  ],
});

const triggers = ['scheduled', 'manual', 'replay', 'test'] as const;

/** One event on its way to one stitch. The body is the event's; partitioned by day of `created_at`. */
export const WebhookDelivery = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  partitionBy: {
    type: 'range',
    expression: 'created_at',
    partitions: [{ name: 'webhook_deliveries_default', values: 'default' }],
  },
  properties: {
    deliveryId: id().primary(),
    createdAt: instant().primary(),
    projectId: id(),
    environmentId: id(),
    stitchId: id(),
    eventId: id(),
    eventSeq: big(),
    eventName: id(),
    /** `occurred_at` of the event: names the partition where its body lies. */
    eventAt: instant(),
    threadId: id().nullable(),
    status: p.enum(['pending', 'delivering', 'delivered', 'retrying', 'failed', 'cancelled'] as const),
    attemptCount: p.integer().default(0),
    trigger: p.enum(triggers),
    responseStatus: p.integer().nullable(),
    lastError: p.text().nullable(),
    lastAttemptAt: instant().nullable(),
    nextAttemptAt: instant().nullable(),
    updatedAt: instant(),
  },
  indexes: [
    {
      name: 'webhook_deliveries_open',
      properties: ['stitchId', 'eventSeq'],
      where: "status in ('pending', 'delivering', 'retrying')",
    },
    { name: 'webhook_deliveries_pending', properties: ['stitchId', 'eventSeq'], where: "status = 'pending'" },
    {
      name: 'webhook_deliveries_retrying',
      properties: ['stitchId', 'nextAttemptAt'],
      where: "status = 'retrying'",
    },
    {
      name: 'webhook_deliveries_undelivered',
      properties: ['projectId', 'environmentId', 'status', 'createdAt', 'deliveryId'],
      where: "status in ('failed', 'cancelled')",
    },
    {
      name: 'webhook_deliveries_failed',
      properties: ['projectId', 'environmentId', 'stitchId', 'createdAt', 'eventSeq'],
      where: "status = 'failed'",
    },
    { name: 'webhook_deliveries_replayed', properties: ['eventId'], where: "trigger <> 'scheduled'" },
    {
      name: 'webhook_deliveries_listed',
      properties: ['projectId', 'environmentId', 'createdAt', 'deliveryId'],
    },
  ],
});

/** One HTTP request of a delivery; partitioned by day of `attempted_at`. */
export const WebhookAttempt = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempts',
  partitionBy: {
    type: 'range',
    expression: 'attempted_at',
    partitions: [{ name: 'webhook_attempts_default', values: 'default' }],
  },
  properties: {
    deliveryId: id().primary(),
    number: p.integer().primary(),
    attemptedAt: instant().primary(),
    projectId: id(),
    trigger: p.enum(triggers),
    durationMs: p.integer(),
    responseStatus: p.integer().nullable(),
    /** The first 16 KiB. */
    responseBody: p.text().nullable(),
    /** timeout, dns, connect, tls, blocked_address, unreadable_secret or http_status. */
    errorClass: id().nullable(),
    error: p.text().nullable(),
    nextAttemptAt: instant().nullable(),
  },
});

/** The attempts of a stitch in one hour that took about as long (storage/writes/attempt-counts.ts). */
export const StitchHour = defineEntity({
  name: 'StitchHour',
  tableName: 'stitch_hours',
  properties: {
    stitchId: id().primary(),
    /** Its beginning. */
    hour: instant().primary(),
    durationClass: p.integer().primary(),
    succeeded: big().defaultRaw('0'),
    failed: big().defaultRaw('0'),
    /** The longest that a delivery had waited when it was attempted. */
    longestWaitMs: big().defaultRaw('0'),
  },
  indexes: [{ name: 'stitch_hours_hour', properties: ['hour'] }],
});
