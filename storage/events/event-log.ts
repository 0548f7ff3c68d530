/**
 * Reads of the event log: pages by `seq` for those who follow a project (Console streams, filling gaps), and the filtered log that
 * Studio shows. Bodies come as their exact text, which is what was signed and what live frames carry.
 *
 * No bound on `occurred_at` narrows the pages by `seq`, although it would spare reading each day's partition: an event may carry an
 * older instant than its neighbours, and a page with a hole would be a stream with a hole.
 *
 * A scan reads the numbers of the project, which its environments share and every reader of the stream is told. A scan for a thread
 * reads only those of its own environment.
 */
import { createFindTenant, type Database, type Queries, type TenantScope } from '../database/index.ts';
import {
  type PageRows,
  ScanConditions,
  type ScanRow,
  buildScanStatement,
  maxPageBytes,
  toScanPage,
} from '../paging/index.ts';
import { newestStream } from '../statements/index.ts';

const dayMs = 86_400_000;
/** The newest position of a project's log. */
export interface StreamHead {
  readonly projectId: string;
  /** Changes when the numbers start over: after a restored backup, and after a failover. */
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

// Epochs of generation 0 are those of releases that knew no generations.
const selectHeads = `
  select p.project_id as "projectId", p.last_seq as seq,
    p.epoch || coalesce((select '-' || generation from log_generation where generation > 0), '') as epoch
  from (select distinct unnest($1::text[]) as id) wanted cross join lateral ${newestStream('wanted.id', 'p')}`;

/** The heads of the projects that exist, in no order. */
export function streamHeads(db: Queries, projectIds: readonly string[]): Promise<StreamHead[]> {
  return db.query<StreamHead>(selectHeads, [projectIds], 'events.heads');
}

/** The range of a page of the log. */
export interface EventRange {
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
  /** Events that the page has by its `limit`, of which `maxBytes` may exclude the last. */
  readonly found: number;
}

// The server keeps the running total, so that a page of huge bodies is neither sent nor held.
const limitBytes = (rows: string, order: 'asc' | 'desc', maxBytes: string, more = ''): string => `
  select seq, event_name as "eventName", environment_id as "environmentId", occurred_at as "occurredAt", body, found${more}
  from (
    select page.*, count(*) over () as found,
      sum(octet_length(body::text)) over (order by seq ${order} rows unbounded preceding) - octet_length(body::text) as ahead
    from (${rows}) as page
  ) as sized
  where ahead < ${maxBytes} order by seq ${order}`;

const selectPage = limitBytes(
  `select seq, event_name, environment_id, occurred_at, body from events
   where project_id = $1 and seq > $2 and seq <= $3 and ($4::text is null or environment_id = $4)
   order by seq limit $5`,
  'asc',
  '$6',
);

/**
 * The next events of a project in order. Empty where the range has none left. Without `environmentId` the numbers of a page are
 * dense, unless retention has removed some of them.
 */
export function eventPage(db: Queries, span: EventRange): Promise<PagedEvent[]> {
  const { projectId, after, through, environmentId, limit = 200, maxBytes = 524_288 } = span;
  const values = [projectId, after, through, environmentId ?? null, limit, maxBytes];
  return db.query<PagedEvent>(selectPage, values, 'events.page');
}

export interface LogFilter extends VisibleEvents {
  /** A name, or a pattern such as `thread.message.*`. */
  readonly eventName?: string | undefined;
  readonly threadId?: string | undefined;
  /** Inclusive. */
  readonly since?: Date | undefined;
  /** Exclusive: the keyset cursor, since `seq` is unique in its project. */
  readonly before?: number | undefined;
  readonly limit: number;
  /** As of {@link Span}. Default 1 MiB. */
  readonly maxBytes?: number;
}

const logScan = {
  table: 'events',
  as: 'e',
  by: ['seq'],
  key: ['project_id', 'seq', 'occurred_at'],
  // The row that only marks the end of a scan has no body to be counted.
  columns: `e.seq, e.event_name, e.environment_id, e.occurred_at, case when step.matches then e.body else '' end as body`,
} as const;

/** The page that the rows of a scan make, as far as the limit of bytes let them through. */
function toLimitedPage(rows: (PagedEvent & ScanRow)[], limit: number): PageRows<PagedEvent & ScanRow> {
  // Some rows had no room in the page: the next page begins with them.
  if (rows.length < (rows[0]?.found ?? 0)) {
    const shown = rows.slice(0, limit);
    return { rows: shown, end: shown.at(-1) };
  }
  return toScanPage(rows, limit);
}

/** Midnight of UTC before the instant: where its partition begins. */
function startOfDay(at: Date): Date {
  return new Date(Math.floor(at.getTime() / dayMs) * dayMs);
}

// All events of a thread have one tenant, so any of them tells whose it is: of a foreign thread only one is read.
const isOwnThread = (threadId: string): string => `
  (select f.project_id = $1 and f.environment_id = $3 from events f where f.thread_id = ${threadId} limit 1)`;

/** The statement of a page: a scan down the project's log, or the thread's, and not beyond the day of `since`. */
export function logStatement(filter: LogFilter): { readonly text: string; readonly values: unknown[] } {
  const { projectId, environmentId, eventNames, eventName, threadId, since, before, limit } = filter;
  const { maxBytes = maxPageBytes } = filter;
  const conditions = new ScanConditions(
    [projectId, maxBytes, environmentId],
    ['e.project_id = $1'],
    ['e.environment_id = $3'],
  );
  conditions.filter(names => `e.event_name = any (${names}::text[])`, eventNames);
  if (eventName?.endsWith('*'))
    conditions.filter(prefix => `starts_with(e.event_name, ${prefix})`, eventName.slice(0, -1));
  else conditions.filter(name => `e.event_name = ${name}`, eventName);
  conditions.filter(at => `e.occurred_at >= ${at}`, since);
  conditions.inRange(at => `e.occurred_at >= ${at}`, since && startOfDay(since));
  conditions.inRange(id => `e.environment_id = $3 and e.thread_id = ${id} and ${isOwnThread(id)}`, threadId);
  conditions.inRange(seq => `e.seq < ${seq}`, before);
  const { values, range, filters } = conditions;
  const rows = buildScanStatement({ ...logScan, range, filters, limit });
  return { text: limitBytes(rows, 'desc', '$2', ', scanned, matches'), values };
}

/** The log of one environment, newest first. */
export async function eventLog(
  db: Pick<Database, 'scan'>,
  filter: LogFilter,
): Promise<PageRows<PagedEvent & ScanRow>> {
  const { text, values } = logStatement(filter);
  const rows = await db.scan<PagedEvent & ScanRow>(filter.projectId, text, values);
  return toLimitedPage(rows, filter.limit);
}

/** The next page for a client that polls the stream. */
export interface EventPoll {
  readonly projectId: string;
  /** Exclusive. */
  readonly after: number;
  /** As of {@link EventRange}. */
  readonly environmentId?: string | undefined;
  /** Only these: what the reader may see. */
  readonly eventNames: readonly string[];
  readonly limit: number;
  /** As of {@link Span}. Default 1 MiB. */
  readonly maxBytes?: number;
}

/** The statement of a page of the events that the reader may see: a scan up the project's log. */
export function pollStatement(poll: EventPoll): { readonly text: string; readonly values: unknown[] } {
  const { projectId, after, environmentId, eventNames, limit, maxBytes = maxPageBytes } = poll;
  const conditions = new ScanConditions([projectId, after, maxBytes], ['e.project_id = $1', 'e.seq > $2']);
  conditions.filter(names => `e.event_name = any (${names}::text[])`, eventNames);
  conditions.filter(id => `e.environment_id = ${id}`, environmentId);
  const { values, range, filters } = conditions;
  const rows = buildScanStatement({ ...logScan, order: 'asc', range, filters, limit });
  return { text: limitBytes(rows, 'asc', '$3', ', scanned, matches'), values };
}

/** The log of a project, or of one environment, oldest first. */
export async function pollPage(db: Pick<Database, 'scan'>, poll: EventPoll): Promise<PageRows<PagedEvent>> {
  const { text, values } = pollStatement(poll);
  return toLimitedPage(await db.scan<PagedEvent & ScanRow>(poll.projectId, text, values), poll.limit);
}

export const findEventTenant = createFindTenant('events', 'event_id');

/** What a reader may see of an environment's events. */
export interface VisibleEvents extends TenantScope {
  readonly eventNames: readonly string[];
}

/** The envelope's exact text; undefined for an event that the environment does not have, that may not be seen, or that retention has removed. */
export async function findEventBody(
  db: Queries,
  { projectId, environmentId, eventNames }: VisibleEvents,
  eventId: string,
): Promise<string | undefined> {
  const [found] = await db.query<{ body: string }>(
    `select body from events
     where event_id = $1 and project_id = $2 and environment_id = $3 and event_name = any ($4::text[])`,
    [eventId, projectId, environmentId, eventNames],
    'events.find',
  );
  return found?.body;
}
