/** The event log and the event catalogue (decisions sections 2 and 7). */
import { notFound } from '../../../protocol/errors.ts';
import { eventTypes, type EventName, type EventType } from '../../../protocol/events.ts';
import type { eventOperations } from '../../../protocol/operations/events.ts';
import type { EventTypeEntry } from '../../../protocol/resources/event.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import { page, type Cursors } from '../../../storage/cursor.ts';
import type { Database } from '../../../storage/database.ts';
import { eventLog, findEvent } from '../../../storage/reads/events.ts';
import type { Handlers } from '../handler.ts';
import { eventsAnswer } from './event-list.ts';

export interface EventServices {
  readonly database: Pick<Database, 'query' | 'walk'>;
  readonly cursors: Cursors;
}

/** The catalogue by name, made once. */
const catalogue: readonly EventTypeEntry[] = Object.entries(eventTypes)
  .map(([eventName, type]) => entryOf(eventName as EventName, type))
  .sort((a, b) => (a.eventName < b.eventName ? -1 : 1));

/** The log, one event, and the catalogue, whose pages go by name. */
export function eventHandlers({ database, cursors }: EventServices): Handlers<typeof eventOperations> {
  return {
    listEvents: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { eventName, threadId, since, cursor, limit = defaultPageSize } = call.query;
      const filters = JSON.stringify([eventName, threadId, since]);
      const scope = `events ${projectId} ${environmentId} ${filters}`;
      const before = cursor === undefined ? undefined : Number(cursors.decode(scope, cursor)[0]);
      const filter = { projectId, environmentId, eventName, threadId, before, limit };
      const from = since === undefined ? undefined : new Date(since);
      return eventsAnswer(await eventLog(database, { ...filter, since: from }), {
        textOf: ({ body }) => body,
        cursorOf: ({ seq }) => cursors.encode(scope, [seq]),
      });
    },

    getEvent: async call => {
      const found = await findEvent(database, call.params.eventId);
      if (found === undefined) throw notFound();
      const { projectId, environmentId, body } = found;
      const { projectId: said } = call.query;
      if (said !== undefined && said !== projectId) throw notFound();
      await call.scopeOf(projectId, environmentId);
      return { json: body };
    },

    listEventTypes: call => {
      const { cursor, limit = defaultPageSize } = call.query;
      const after = cursor === undefined ? '' : String(cursors.decode('event-types', cursor)[0]);
      const rows = catalogue.filter(({ eventName }) => eventName > after).slice(0, limit + 1);
      return { body: page(rows, limit, last => cursors.encode('event-types', [last.eventName])) };
    },
  };
}

function entryOf(eventName: EventName, type: EventType): EventTypeEntry {
  const { description, data, ephemeral = false } = type;
  return { eventName, description, ephemeral, data: data as unknown as Record<string, unknown> };
}
