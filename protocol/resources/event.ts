/** The event envelope and the event log (docs/contract-decisions.md, "Events"). */
import Type from 'typebox';
import type { Static } from 'typebox';
import { freeForm, id, instant, optional, resource, text } from './fields.ts';
import { maybeProject, page, scope } from './list.ts';

/** Three lowercase dotted segments. */
export const eventNamePattern = '^[a-z][a-z0-9_]*\\.[a-z][a-z0-9_]*\\.[a-z][a-z0-9_]*$';

const envelope = {
  eventId: id('event'),
  eventName: Type.String({ pattern: eventNamePattern }),
  occurredAt: instant(),
  /** The version of the contract when the event was created. */
  apiVersion: Type.String(),
  projectId: id('project'),
  data: freeForm(),
};

/** The OpenAPI document has a union of all events under this title (protocol/openapi/events.ts). */
export const EventEnvelope = resource('Event', envelope);
export type EventEnvelope = Static<typeof EventEnvelope>;

/** The answer of the example endpoint, with status 501: the fields of an error and of an envelope in one object. */
export const EnvelopeExample = resource('EnvelopeExample', {
  error: Type.Literal('svc/runtime/not_implemented'),
  message: Type.String(),
  requestId: Type.String(),
  ...envelope,
});
export type EnvelopeExample = Static<typeof EnvelopeExample>;

/** `eventName` takes a name or a pattern such as `thread.message.*`. Newest first. */
export const ListEventsQuery = Type.Object({
  ...scope,
  eventName: optional(text(1, 128)),
  threadId: optional(id('thread')),
  since: optional(instant()),
  ...page,
});

/** `eventName` takes names and patterns, repeated for several. Newest first. */
export const ListThreadEventsQuery = Type.Object({
  ...maybeProject,
  eventName: optional(Type.Array(text(1, 128), { maxItems: 20 })),
  ...page,
});

/** One row of the event catalogue; `data` is a JSON Schema. */
export const EventTypeEntry = resource('EventType', {
  eventName: Type.String({ pattern: eventNamePattern }),
  description: Type.String(),
  /** Only on the Console stream: not stored, and not delivered to stitches. */
  ephemeral: Type.Boolean(),
  data: freeForm(),
});
export type EventTypeEntry = Static<typeof EventTypeEntry>;
