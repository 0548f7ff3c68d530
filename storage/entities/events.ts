/** The event log and its numbering. */
import { defineEntity, p } from '@mikro-orm/core';
import { big, id, instant } from './columns.ts';

/**
 * The number of a project's newest event. The transaction that appends events takes its numbers here, last of all. A project has one row,
 * which is updated by each of its transactions: to find the newest version of it, see `newestStream` in storage/statements.
 */
export const ProjectStream = defineEntity({
  name: 'ProjectStream',
  tableName: 'project_streams',
  properties: {
    projectId: id().primary(),
    /** Grows with some of the updates. */
    era: big().primary().defaultRaw('0'),
    lastSeq: big().defaultRaw('0'),
    /** Changes when the numbers start over (a restored backup): a Console that resumes in another epoch is reset. */
    epoch: id(),
    /** There are events that usage may not have counted yet (storage/usage/count-usage.ts). */
    uncounted: p.boolean().default(false),
    /** Counts the changes of what the project's stitches follow. */
    subscriptions: big().defaultRaw('0'),
  },
  indexes: [{ name: 'project_streams_uncounted', properties: ['projectId'], where: 'uncounted' }],
});

/** Append-only, one dense commit-ordered `seq` per project; partitioned by day of `occurred_at`, dropped by partition. */
export const Event = defineEntity({
  name: 'Event',
  tableName: 'events',
  partitionBy: {
    type: 'range',
    expression: 'occurred_at',
    partitions: [{ name: 'events_default', values: 'default' }],
  },
  properties: {
    projectId: id().primary(),
    seq: big().primary(),
    occurredAt: instant().primary(),
    eventId: id(),
    eventName: id(),
    environmentId: id(),
    threadId: id().nullable(),
    channelId: id().nullable(),
    /** The thread's own number of the event. */
    sequence: big().nullable(),
    /** The envelope: the exact text that is signed and delivered. */
    body: p.text(),
    /** The stitch that it is about, which does not get it. */
    exceptStitchId: id().nullable(),
    /** W3C Trace Context of the turn that made it, so that its webhooks belong to the same trace; null where that is not kept. */
    traceparent: id().nullable(),
  },
  indexes: [
    { name: 'events_event_id', properties: ['eventId'] },
    { name: 'events_thread', properties: ['threadId', 'seq'], where: 'thread_id is not null' },
  ],
});
