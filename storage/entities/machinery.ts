/** Rows that the machine keeps for itself: remembered answers, timers, letters nobody could deliver, marks. */
import { defineEntity, p } from '@mikro-orm/core';
import { big, id, instant, jsonText } from './columns.ts';

/** Where somebody had to be somebody for an answer. */
export type Grounds =
  { readonly projectId: string; readonly environmentId?: string } | { readonly workspaceId: string };

/** The answer that was given to a key (decisions section 1). */
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
    /** Where the caller had to be somebody for it, if the request did not name that. */
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

/** A durable timer (runtime/actor.ts, `Reminder`). */
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

/** Work that failed for good, kept for a human (runtime/store.ts, `DeadLetter`). */
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

/** The last batch that a commit lane has committed: what tells the outcome of a batch in doubt (lane-connection.ts). */
export const LaneMark = defineEntity({
  name: 'LaneMark',
  tableName: 'lane_marks',
  properties: {
    laneId: id().primary(),
    /** Raised to keep out whatever an older connection of the lane may still have running. */
    epoch: big(),
    batch: big(),
    updatedAt: instant(),
  },
});

/** One row: what is fixed at a cluster's birth. */
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
