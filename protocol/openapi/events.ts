/**
 * Events in the document: a component for each, and the unions that webhooks, the event log and the Console stream share. A client that
 * switches over `eventName` knows what `data` holds.
 */
import Type from 'typebox';
import { eventTypes, type EventName, type EventType } from '../events.ts';
import { EventEnvelope } from '../resources/index.ts';
import { referSchema, type Components } from './components.ts';
import { createEventData } from './event-examples.ts';
import { createExample, type JsonObject } from './examples.ts';
import { deliveryParameters } from './headers.ts';

const events = Object.entries<EventType>(eventTypes) as [EventName, EventType][];

/** `ThreadMessageReceived` for `thread.message.received`. */
function toWords(name: EventName): string {
  const words = name.split(/[._]/);
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

const toTitle = (name: EventName): string => `${toWords(name)}Event`;

function createUnion(names: readonly EventName[], description: string): JsonObject {
  const members = names.map(name => [name, referSchema(toTitle(name))] as const);
  const mapping = members.map(([name, { $ref }]) => [name, $ref]);
  return {
    description,
    oneOf: members.map(([, reference]) => reference),
    discriminator: { propertyName: 'eventName', mapping: Object.fromEntries(mapping) as JsonObject },
  };
}

/** Puts every event into the document, and what is made of them. Before the operations, which refer to that. */
export function defineEvents(components: Components): void {
  const envelope = components.refer(Type.Object(EventEnvelope.properties), 'Event') as JsonObject;
  const { eventName: _, data: __, ...fields } = envelope['properties'] as JsonObject;
  for (const [name, type] of events) {
    components.define(toTitle(name), {
      description: type.description,
      ...envelope,
      properties: {
        ...fields,
        eventName: { type: 'string', const: name },
        data: components.refer(type.data, 'Event.data'),
      },
    });
  }
  const isEphemeral = ([, type]: [EventName, EventType]): boolean => type.ephemeral === true;
  const logged = events.filter(each => !isEphemeral(each)).map(([name]) => name);
  const ephemeral = events.filter(isEphemeral).map(([name]) => name);
  components.define(
    'Event',
    createUnion(
      logged,
      'Anything that happened, told apart by `eventName`. New names may be added within /v1. After an erasure of personal data `data` has `erased: true`, the ids, and empty shapes.',
    ),
  );
  components.define(
    'EphemeralEvent',
    createUnion(
      ephemeral,
      'An event of the Console stream alone: it has no number, and is neither kept nor delivered to stitches.',
    ),
  );
  components.define('ConsoleStreamEvent', {
    description: 'An event with its number in the stream of its project.',
    allOf: [referSchema('Event'), { type: 'object', required: ['seq'], properties: { seq } }],
  });
}

const seq = {
  type: 'integer',
  minimum: 1,
  description: "Its number in the project's stream, for `afterSeq` and for `resume`.",
};

const frame = (type: string, properties: JsonObject, optional: readonly string[] = []): JsonObject => ({
  type: 'object',
  required: ['type', ...Object.keys(properties).filter(name => !optional.includes(name))],
  properties: { type: { type: 'string', const: type }, ...properties },
});

const cursor = { epoch: { type: 'string' }, seq: { type: 'integer', minimum: 0 } };

/** What the server sends on the websocket. */
export function defineFrames(components: Components): JsonObject {
  const reason = { type: 'string', enum: ['epoch', 'expired', 'ahead'] };
  return components.define('StreamFrame', {
    description: 'What the server sends on the Console stream, as JSON text.',
    anyOf: [
      frame('resumed', {
        ...cursor,
        head: { ...cursor.seq, description: 'The newest number: what was missed ends there.' },
      }),
      frame('reset', { ...cursor, reason }),
      frame('event', { seq, event: referSchema('Event') }),
      frame('event', { event: referSchema('EphemeralEvent') }),
      frame('ping', { seq: cursor.seq }, ['seq']),
      frame('pong', {}),
    ],
  });
}

/** The events that stitches get, as OpenAPI describes webhooks. */
export function describeWebhooks(): JsonObject {
  const delivered = events.filter(([, type]) => type.ephemeral !== true);
  return Object.fromEntries(delivered.map(([name, type]) => [name, { post: describeWebhook(name, type) }]));
}

function describeWebhook(name: EventName, type: EventType): JsonObject {
  const envelope = createExample(EventEnvelope) as JsonObject;
  return {
    operationId: `on${toWords(name)}`,
    tags: ['Events'],
    summary: type.description,
    description:
      'Sent to the stitches that select it, in at most twelve attempts, until one is answered with 2xx. The signature covers the raw body.',
    parameters: deliveryParameters,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: referSchema(toTitle(name)),
          example: { ...envelope, eventName: name, data: createEventData(name) },
        },
      },
    },
    responses: { '2XX': { description: 'Received. Any other answer is retried.' } },
    security: [],
  };
}
