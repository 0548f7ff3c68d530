/** Rows for the system's own use: idempotency keys, timers, dead letters, commit markers. */
import { defineEntity, p } from '@mikro-orm/core';
import { big, id, instant, jsonText } from './columns.ts';

/** What was done under an Idempotency-Key (storage/idempotency). */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    /** Keyed hash of project, environment, operation and key. */
    keyHash: p.blob().primary(),
    /** Keyed hash of path and canonical body. */
    fingerprint: p.blob(),
    /** 400 or more: of a refusal. Else the work is done. Null is seen only by the transaction that does it. */
    status: p.integer().nullable(),
    body: p.text().nullable(),
    /** Instead of a body: the reply is the message that this event carries. */
    eventId: id().nullable(),
    /** Nodes of the release before this one write and read it. */
    grounds: p.json<unknown>().nullable(),
    createdAt: instant(),
    expiresAt: instant(),
  },
  indexes: [
    { name: 'idempotency_keys_expiring', properties: ['expiresAt'] },
    {
      name: 'idempotency_keys_thread',
      expression:
        'create index idempotency_keys_thread on idempotency_keys (skein_thread_of(body)) where body is not null',
    },
  ],
});

/** A durable timer (runtime/actor/actor.ts, `Reminder`). */
export const Reminder = defineEntity({
  name: 'Reminder',
  tableName: 'reminders',
  properties: {
    kind: id().primary(),
    actorId: id().primary(),
    key: id().primary(),
    shard: p.integer(),
    /** Epoch milliseconds. */
    dueAt: big(),
    command: id(),
    payload: jsonText(),
    attempts: p.integer().default(0),
    lastError: p.text().nullable(),
  },
  indexes: [
    { name: 'reminders_shard', properties: ['shard', 'dueAt'] },
    { name: 'reminders_due', properties: ['dueAt'] },
  ],
});

/** Work that failed for good, kept for a person to look at (`DeadLetter` in runtime/actor/store.ts). */
export const DeadLetter = defineEntity({
  name: 'DeadLetter',
  tableName: 'dead_letters',
  properties: {
    deadLetterId: big().primary().autoincrement().generated('identity'),
    kind: id(),
    actorId: id(),
    name: id(),
    payload: jsonText(),
    error: p.text(),
    attempts: p.integer(),
    createdAt: instant(),
  },
  indexes: [{ name: 'dead_letters_created', properties: ['createdAt'] }],
});

/** The last batch that a commit lane has committed: it reveals the outcome of a batch in doubt (storage/commit/lane-connection.ts). */
export const CommitMarker = defineEntity({
  name: 'CommitMarker',
  tableName: 'lane_marks',
  properties: {
    laneId: id().primary(),
    /** Raised to exclude whatever an older connection of the lane may still be running. */
    epoch: big(),
    batch: big(),
    updatedAt: instant(),
  },
});

/** Where a periodic job continues (storage/paging/sweep-position.ts). */
export const SweepPosition = defineEntity({
  name: 'SweepPosition',
  tableName: 'sweep_positions',
  properties: { job: id().primary(), position: id() },
});

/** One row: the root of the keyed hashes (storage/secrets/hash-root.ts). */
export const HashRoot = defineEntity({
  name: 'HashRoot',
  tableName: 'hash_root',
  properties: {
    /** Always 1. */
    id: p.integer().primary().autoincrement(false),
    /** JWE, context `hash_root/1/sealed`. */
    sealed: p.text(),
    createdAt: instant(),
  },
});

/** One row: the server that the log is on, and how often that has changed (storage/database/timeline.ts). */
export const LogGeneration = defineEntity({
  name: 'LogGeneration',
  tableName: 'log_generation',
  properties: {
    /** Always 1. */
    id: p.integer().primary().autoincrement(false),
    /** Grows whenever the log may have gone back. Part of the epoch of every stream. */
    generation: p.integer(),
    /** The system identifier of the server. */
    system: id(),
    timeline: big(),
    changedAt: instant(),
  },
});

/** One row: what is fixed when a cluster is created. */
export const Installation = defineEntity({
  name: 'Installation',
  tableName: 'installation',
  properties: {
    /** Always 1. */
    id: p.integer().primary().autoincrement(false),
    epoch: id(),
    shards: p.integer(),
    createdAt: instant(),
  },
});
