/** One row of the event catalogue as OpenAPI describes it: what a stitch posts to its address. */
import type { EventType } from '../events.ts';
import { EventEnvelope } from '../resources/event.ts';
import type { Components } from './components.ts';
import { exampleOf } from './examples.ts';
import { deliveryParameters } from './headers.ts';
import type { JsonObject } from './json.ts';

export function describeWebhook(name: string, type: EventType, components: Components): JsonObject {
  const envelope = exampleOf(EventEnvelope) as JsonObject;
  return {
    operationId: `on${name.split(/[._]/).map(capitalised).join('')}`,
    tags: ['Events'],
    summary: type.description,
    description:
      'Sent to the stitches that ask for it, until one attempt of at most twelve is answered 2xx. The signature is over the raw body.',
    parameters: deliveryParameters,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            allOf: [
              components.show(EventEnvelope),
              {
                type: 'object',
                properties: { eventName: { const: name }, data: components.show(type.data) },
              },
            ],
          },
          example: { ...envelope, eventName: name, data: exampleOf(type.data) },
        },
      },
    },
    responses: { '2XX': { description: 'Received. Anything else is tried again.' } },
    security: [],
  };
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
