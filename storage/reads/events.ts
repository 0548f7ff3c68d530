/**
 * Reads of the event log: pages by `seq` for whoever follows a project (Console streams, gap healing), and the filtered
 * log that Studio shows. Bodies come as their exact text, which is what was signed and what live frames carry.
 *
 * No bound on `occurred_at` narrows the pages by `seq`, though it would spare looking into each day's partition: an event may
 * carry an older instant than its neighbours, and a page with a hole would be a stream with a hole.
 *
 * A walk goes over the numbers of the project, which its environments share and any reader of the stream is told; a thread's goes
 * over those of its own environment only.
 */
import type { Database } from '../database.ts';
import { stretchOf, walkStatement, type Step, type Stretch } from './walk.ts';

type Queries = Pick<Database, 'query'>;

const dayMs = 86_400_000;
/** Bytes of the bodies in a page that REST shows. */
const largestPage = 4_194_304;

/** Where a project's log stands. */
export interface StreamHead {
  readonly projectId: string;
  /** Changes when the numbers start over (a restored backup). */
  readonly epoch: string;
  /** The number of the newest event; 0 before the first. */
  readonly seq: number;
}

/** An event of the log. */
export interface LoggedEvent {
  readonly seq: number;
  readonly eventName: string;
  readonly environmentId: string;
  readonly occurredAt: Date;
  /** The envelope's exact text. */
  readonly body: string;
}

const selectHeads = `
  select project_id as "projectId", epoch, last_seq as seq from project_streams where project_id = any ($1::text[])`;

/** The heads of the projects that exist, in no order. */
export function streamHeads(db: Queries, projectIds: readonly string[]): Promise<StreamHead[]> {
  return db.query<StreamHead>(selectHeads, [projectIds], 'events.heads');
}

/** Where a page of the log begins and ends. */
export interface Span {
  readonly projectId: string;
  /** Exclusive. */
  readonly after: number;
  /** Inclusive. */
  readonly through: number;
  /** Only this environment's events: what an API key may see. */
  readonly environmentId?: string | undefined;
  /** Most events in the page. Default 200. */
  readonly limit?: number;
  /** The page ends early once its bodies pass this many bytes; its first event comes in any case. Default 512 KiB. */
  readonly maxBytes?: number;
}

/** An event of a page. */
export interface PagedEvent extends LoggedEvent {
  /** Events that the page has by its `limit`, of which `maxBytes` may have kept the last ones back. */
  readonly found: number;
}

// The running total is the server's, so that a page of huge bodies is neither sent nor held.
const sized = (rows: string, order: 'asc' | 'desc', maxBytes: string, more = ''): string => `
  select seq, event_name as "eventName", environment_id as "environmentId", occurred_at as "occurredAt", body, found${more}
  from (
    select page.*, count(*) over () as found,
      sum(octet_length(body::text)) over (order by seq ${order} rows unbounded preceding) - octet_length(body::text) as ahead
    from (${rows}) as page
  ) as sized
  where ahead < ${maxBytes} order by seq ${order}`;

const selectPage = sized(
  `select seq, event_name, environment_id, occurred_at, body from events
   where project_id = $1 and seq > $2 and seq <= $3 and ($4::text is null or environment_id = $4)
   order by seq limit $5`,
  'asc',
  '$6',
);

/**
 * The next events of a project in order. Empty: there is nothing (more) in the span. Without `environmentId` the numbers
 * of a page are dense, unless retention has taken what is asked for.
 */
export function eventPage(db: Queries, span: Span): Promise<PagedEvent[]> {
  const { projectId, after, through, environmentId, limit = 200, maxBytes = 524_288 } = span;
  const values = [projectId, after, through, environmentId ?? null, limit, maxBytes];
  return db.query<PagedEvent>(selectPage, values, 'events.page');
}

export interface LogFilter {
  readonly projectId: string;
  readonly environmentId: string;
  /** A name, or a pattern such as `thread.message.*`. */
  readonly eventName?: string | undefined;
  readonly threadId?: string | undefined;
  /** Inclusive. */
  readonly since?: Date | undefined;
  /** Exclusive: the keyset cursor, since `seq` is unique in its project. */
  readonly before?: number | undefined;
  readonly limit: number;
  /** As of {@link Span}. Default 4 MiB. */
  readonly maxBytes?: number;
}

const logWalk = {
  ...{ table: 'events', as: 'e', by: ['seq'], key: ['project_id', 'seq', 'occurred_at'] },
  // A row that only says how far the walk has come has no body to be counted.
  columns: `e.seq, e.event_name, e.environment_id, e.occurred_at, case when step.wanted then e.body else '' end as body`,
} as const;

/** The page that the rows of a walk make which were not held back. */
function sizedStretch(rows: (PagedEvent & Step)[], limit: number): Stretch<PagedEvent & Step> {
  // The page's bytes had no room for those that are missing; what they are, the next page says.
  if (rows.length < (rows[0]?.found ?? 0)) {
    const shown = rows.slice(0, limit);
    return { rows: shown, end: shown.at(-1) };
  }
  return stretchOf(rows, limit);
}

/** Midnight of UTC before the instant: where its partition begins. */
function dayOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / dayMs) * dayMs);
}

// All events of a thread are of one place, so any of them says whose it is: of another's no more than one is looked at.
const isOwn = (threadId: string): string => `
  (select f.project_id = $1 and f.environment_id = $3 from events f where f.thread_id = ${threadId} limit 1)`;

/** The statement of a page: a walk down the project's log, or the thread's, and not beyond the day of `since`. */
export function logStatement(filter: LogFilter): { readonly text: string; readonly values: unknown[] } {
  const { projectId, environmentId, eventName, threadId, since, before, maxBytes = largestPage } = filter;
  const values: unknown[] = [projectId, maxBytes, environmentId];
  const within = ['e.project_id = $1'];
  const wanted = ['e.environment_id = $3'];
  const narrow = (into: string[], condition: (parameter: string) => string, value: unknown): void => {
    if (value !== undefined) into.push(condition(`$${values.push(value)}`));
  };
  if (eventName?.endsWith('*'))
    narrow(wanted, prefix => `starts_with(e.event_name, ${prefix})`, eventName.slice(0, -1));
  else narrow(wanted, name => `e.event_name = ${name}`, eventName);
  narrow(wanted, at => `e.occurred_at >= ${at}`, since);
  narrow(within, at => `e.occurred_at >= ${at}`, since && dayOf(since));
  narrow(within, id => `e.environment_id = $3 and e.thread_id = ${id} and ${isOwn(id)}`, threadId);
  narrow(within, seq => `e.seq < ${seq}`, before);
  const rows = walkStatement({ ...logWalk, within, wanted, limit: filter.limit });
  return { text: sized(rows, 'desc', '$2', ', walked, wanted'), values };
}

/** The log of one environment, newest first. */
export async function eventLog(
  db: Pick<Database, 'walk'>,
  filter: LogFilter,
): Promise<Stretch<PagedEvent & Step>> {
  const { text, values } = logStatement(filter);
  const rows = await db.walk<PagedEvent & Step>(filter.projectId, text, values);
  return sizedStretch(rows, filter.limit);
}

/** What somebody who polls the stream is given next. */
export interface Poll {
  readonly projectId: string;
  /** Exclusive. */
  readonly after: number;
  /** As of {@link Span}. */
  readonly environmentId?: string | undefined;
  readonly limit: number;
  /** As of {@link Span}. Default 4 MiB. */
  readonly maxBytes?: number;
}

/** The statement of a page of one environment's events: a walk up the project's log. */
export function pollStatement(poll: Poll): { readonly text: string; readonly values: unknown[] } {
  const { projectId, after, environmentId, limit, maxBytes = largestPage } = poll;
  const within = ['e.project_id = $1', 'e.seq > $2'];
  const rows = walkStatement({ ...logWalk, order: 'asc', within, wanted: ['e.environment_id = $3'], limit });
  return {
    text: sized(rows, 'asc', '$4', ', walked, wanted'),
    values: [projectId, after, environmentId, maxBytes],
  };
}

/** The log of a project, or of one environment, oldest first. */
export async function pollPage(
  db: Pick<Database, 'query' | 'walk'>,
  poll: Poll,
): Promise<Stretch<PagedEvent>> {
  const { projectId, after, environmentId, limit, maxBytes = largestPage } = poll;
  if (environmentId !== undefined) {
    const { text, values } = pollStatement(poll);
    return sizedStretch(await db.walk<PagedEvent & Step>(projectId, text, values), limit);
  }
  const span = { projectId, after, through: Number.MAX_SAFE_INTEGER, limit: limit + 1, maxBytes };
  const found = await eventPage(db, span);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, end: last !== undefined && last.found > rows.length ? last : undefined };
}

/** One event, wherever it is: the caller's right to its project and environment is still to be checked. */
export interface FoundEvent {
  readonly projectId: string;
  readonly environmentId: string;
  readonly body: string;
}

/** Undefined for an id that is unknown, or of an event that retention has taken. */
export async function findEvent(db: Queries, eventId: string): Promise<FoundEvent | undefined> {
  const [found] = await db.query<FoundEvent>(
    `select project_id as "projectId", environment_id as "environmentId", body from events where event_id = $1`,
    [eventId],
    'events.find',
  );
  return found;
}
