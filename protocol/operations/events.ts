/** The event log and the event catalogue. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { EventEnvelope, EventTypeEntry, ListEventsQuery } from '../resources/event.ts';
import { id } from '../resources/fields.ts';
import { listOf, ListQuery, MaybeProjectQuery } from '../resources/list.ts';
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
    success: { status: 200, body: listOf(EventEnvelope) },
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
    summary: 'List every event name with the JSON Schema of its data',
    auth: 'none',
    query: ListQuery,
    success: { status: 200, body: listOf(EventTypeEntry) },
    errors: [...always, ...paged],
    rate: 'read',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
