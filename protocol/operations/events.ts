/** The event log and the event catalogue. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  EventEnvelope,
  EventTypeEntry,
  id,
  ListEventsQuery,
  ListThreadEventsQuery,
  createList,
  ListQuery,
  MaybeProjectQuery,
} from '../resources/index.ts';
import { access, always, listing, paged, reading, shortPages } from './rules.ts';

const tag = 'Events';

export const eventOperations = {
  listEvents: {
    method: 'GET',
    path: '/events',
    tag,
    summary: 'List events of the last 30 days, newest first',
    description: shortPages,
    auth: 'project',
    access: access.readWebhooks,
    query: ListEventsQuery,
    success: { status: 200, body: createList(EventEnvelope) },
    errors: [...listing],
    rate: 'read',
    idempotency: 'none',
  },
  listThreadEvents: {
    method: 'GET',
    path: '/threads/{threadId}/events',
    tag,
    summary: 'List events of a thread, of the last 30 days, newest first',
    description: `Those that the caller may see: of messages, say, only who may read messages. ${shortPages}`,
    auth: 'project',
    access: access.readThreads,
    params: Type.Object({ threadId: id('thread') }),
    query: ListThreadEventsQuery,
    success: { status: 200, body: createList(EventEnvelope) },
    errors: [...listing],
    rate: 'read',
    idempotency: 'none',
  },
  getEvent: {
    method: 'GET',
    path: '/events/{eventId}',
    tag,
    summary: 'Read an event',
    auth: 'project',
    access: access.readWebhooks,
    params: Type.Object({ eventId: id('event') }),
    query: MaybeProjectQuery,
    success: { status: 200, body: EventEnvelope },
    errors: [...reading],
    rate: 'read',
    idempotency: 'none',
  },
  listEventTypes: {
    method: 'GET',
    path: '/event-types',
    tag,
    summary: 'List all event names with the JSON Schema of their data',
    auth: 'none',
    query: ListQuery,
    success: { status: 200, body: createList(EventTypeEntry) },
    errors: [...always, ...paged],
    rate: 'read',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
