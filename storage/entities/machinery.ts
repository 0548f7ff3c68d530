/** Rows for the system's own use: kept answers, timers, dead letters, commit markers. */
import { defineEntity, p } from '@mikro-orm/core';
import { big, id, instant, jsonText } from './columns.ts';

/** The scope that the caller had to have access to for a kept answer. */
export type Grounds =
  { readonly projectId: string; readonly environmentId?: string } | { readonly workspaceId: string };

/** The answer kept under an Idempotency-Key. */
export const IdempotencyKey = defineEntity({
  name: 'IdempotencyKey',
  tableName: 'idempotency_keys',
  properties: {
    /** sha256 of project, environment, operation and key. */
    keyHash: p.blob().primary(),
    /** sha256 of path and canonical body. */
    fingerprint: p.blob(),
    /** HTTP status of the answer; null while the first request is still in progress. */
    status: p.integer().nullable(),
    body: p.text().nullable(),
    /** Instead of a body: the answer is the message that this event carries. */
    eventId: id().nullable(),
    /** The scope that the caller had to have access to, where the request did not name it. */
    grounds: p.json<Grounds>().nullable(),
    createdAt: instant(),
    expiresAt: instant(),
  },
  indexes: [
    { name: 'idempotency_keys_expires', properties: ['expiresAt'], type: 'brin' },
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
