/** The event log and the event catalogue (docs/contract-decisions.md, "Events"). */
import { invalid, notFound, type Issue } from '../../protocol/errors.ts';
import {
  eventTypes,
  isKnownPattern,
  matchesEventNames,
  type EventName,
  type EventType,
} from '../../protocol/events.ts';
import type { eventOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize, type EventTypeEntry } from '../../protocol/resources/index.ts';
import { type Cursors, type PageRows, cutPage, toPage } from '../../storage/paging/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { eventLog, findEventBody, findEventTenant, type PagedEvent } from '../../storage/events/index.ts';
import { findThread, findThreadTenant } from '../../storage/reads/index.ts';
import { type Answer, type Call, getEventView, type Handlers, type ProjectScope } from '../pipeline/index.ts';
import { requireScope, resolveScope } from './tenant-scope.ts';

export interface EventServices {
  readonly database: Pick<Database, 'query' | 'scan'>;
  readonly cursors: Cursors;
}

/** The catalogue by name, made once. */
const catalogue: readonly EventTypeEntry[] = Object.entries(eventTypes)
  .map(([eventName, type]) => toEntry(eventName as EventName, type))
  .sort((a, b) => (a.eventName < b.eventName ? -1 : 1));

/** The log, one event, and the catalogue, whose pages go by name. */
export function eventHandlers({ database, cursors }: EventServices): Handlers<typeof eventOperations> {
  return {
    listEvents: async call => {
      const project = requireScope(call);
      const { projectId, environmentId } = project;
      const { eventName, threadId, since, cursor, limit = defaultPageSize } = call.query;
      const filters = JSON.stringify([eventName, threadId, since]);
      const scope = `events ${projectId} ${environmentId} ${filters}`;
      const before = cursor === undefined ? undefined : Number(cursors.decode(scope, cursor)[0]);
      const eventNames = listVisibleEvents(call, project);
      const filter = { projectId, environmentId, eventNames, eventName, threadId, before, limit };
      const from = since === undefined ? undefined : new Date(since);
      return eventsAnswer(await eventLog(database, { ...filter, since: from }), {
        toText: ({ body }) => body,
        toCursor: ({ seq }) => cursors.encode(scope, [seq]),
      });
    },

    listThreadEvents: call => listThreadEvents({ database, cursors }, call),

    getEvent: async call => {
      const { eventId } = call.params;
      const scope = await resolveScope(call, database, findEventTenant, eventId);
      const { projectId = scope.projectId } = call.query;
      if (projectId !== scope.projectId) throw notFound();
      const eventNames = listVisibleEvents(call, scope);
      const body = await findEventBody(database, { ...scope, eventNames }, eventId);
      if (body === undefined) throw notFound();
      return { json: body };
    },

    listEventTypes: call => {
      const { cursor, limit = defaultPageSize } = call.query;
      const after = cursor === undefined ? '' : String(cursors.decode('event-types', cursor)[0]);
      const rows = catalogue.filter(({ eventName }) => eventName > after).slice(0, limit + 1);
      return { body: toPage(cutPage(rows, limit), last => cursors.encode('event-types', [last.eventName])) };
    },
  };
}

async function listThreadEvents(
  { database, cursors }: EventServices,
  call: Call<(typeof eventOperations)['listThreadEvents']>,
): Promise<Answer> {
  const { threadId } = call.params;
  const { eventName: wanted = [], cursor, limit = defaultPageSize } = call.query;
  const patterns = checkEventFilter(wanted, '/query/eventName');
  const project = await resolveScope(call, database, findThreadTenant, threadId);
  if ((await findThread(database, project, threadId)) === undefined) throw notFound();
  const { projectId, environmentId } = project;
  const scope = `thread events ${environmentId} ${threadId} ${JSON.stringify(patterns)}`;
  const before = cursor === undefined ? undefined : Number(cursors.decode(scope, cursor)[0]);
  const eventNames = listVisibleEvents(call, project).filter(name => matchesEventNames(patterns, name));
  const page = await eventLog(database, { projectId, environmentId, eventNames, threadId, before, limit });
  return eventsAnswer(page, {
    toText: ({ body }) => body,
    toCursor: ({ seq }) => cursors.encode(scope, [seq]),
  });
}

function listVisibleEvents({ caller }: Pick<Call, 'caller'>, project: ProjectScope): readonly string[] {
  return caller === undefined ? [] : [...getEventView(caller, project).names];
}

/** What two lists of events differ in. */
export interface EventListing {
  /** The item's JSON text. */
  readonly toText: (event: PagedEvent) => string;
  readonly toCursor: (end: PagedEvent) => string;
}

/** A list of events made of the texts as they are stored: parsing and writing them again would cost most of the request. */
export function eventsAnswer({ rows, end }: PageRows<PagedEvent>, listing: EventListing): Answer {
  const nextCursor = end === undefined ? 'null' : JSON.stringify(listing.toCursor(end));
  return {
    json: `{"data":[${rows.map(listing.toText).join(',')}],"nextCursor":${nextCursor},"hasMore":${end !== undefined}}`,
  };
}

/**
 * A filter of event names in a request: names and patterns that select something, each once. 422 for others; `path` is the JSON
 * pointer of the list.
 */
export function checkEventFilter(names: readonly string[], path: string): readonly string[] {
  const issues: Issue[] = names.flatMap((name, index) =>
    isKnownPattern(name)
      ? []
      : [{ path: `${path}/${index}`, message: 'must name an event, or a pattern of events', code: 'event' }],
  );
  if (issues.length > 0) throw invalid(issues);
  return [...new Set(names)];
}

function toEntry(eventName: EventName, type: EventType): EventTypeEntry {
  const { description, data, ephemeral = false } = type;
  return { eventName, description, ephemeral, data: data as unknown as Record<string, unknown> };
}
