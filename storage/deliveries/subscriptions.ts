/**
 * What stitches follow: spans of their project's log, each with the names that it wants. A change of a stitch ends its open span and begins
 * another at that place of the log (`followLog` in storage/writes), so that an event is judged by what the stitch wanted when the event
 * was committed, whenever it is delivered.
 *
 * A node keeps the spans of the projects whose events it commits or delivers. Every change counts `project_streams.subscriptions` up, and
 * whoever learns of events learns that number with them: spans of a lower number are read again.
 */
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { matchesEventNames } from '../../protocol/events.ts';
import { type Queries, TimelineChanged } from '../database/index.ts';
import { newestStream } from '../statements/index.ts';

/** Tests are delivered by a row that comes with the event. */
const testName = 'stitch.test.ping';

export interface Span {
  /** Exclusive. */
  readonly after: number;
  /** Inclusive; null while it is open. */
  readonly upto: number | null;
  /** Names and patterns; empty: all. */
  readonly eventNames: readonly string[];
}

/** What one stitch has to deliver. */
export interface Subscription {
  readonly stitchId: string;
  readonly environmentId: string;
  /** In the order of the log. */
  readonly spans: readonly Span[];
}

export interface Subscriptions {
  readonly version: number;
  /** The number of the log's newest event then. */
  readonly head: number;
  readonly byStitch: ReadonlyMap<string, Subscription>;
  /** The ids of the stitches that want the event. */
  findWanting(event: FollowedEvent): readonly string[];
  /** The ids of the stitches that may want some of these events: at least those that do. */
  findPossible(events: EventRange): readonly string[];
}

/** Events of one name. */
export interface EventRange {
  readonly environmentId: string;
  readonly eventName: string;
  /** Exclusive. */
  readonly after: number;
  /** The last of them. */
  readonly newest: number;
}

/** What decides whether a stitch wants an event. */
export interface FollowedEvent {
  readonly seq: number;
  readonly eventName: string;
  readonly environmentId: string;
  readonly exceptStitchId?: string | null | undefined;
}

/** Whether the stitch is to deliver the event. */
export function isWanted(subscription: Subscription, event: FollowedEvent): boolean {
  const { stitchId, environmentId, spans } = subscription;
  if (event.environmentId !== environmentId || event.eventName === testName) return false;
  if (event.exceptStitchId === stitchId) return false;
  const span = spans.find(({ after, upto }) => event.seq > after && (upto === null || event.seq <= upto));
  return span !== undefined && matchesEventNames(span.eventNames, event.eventName);
}

/** `matchesEventNames` in SQL. */
export function matchesNames(names: string, name: string): string {
  return `(cardinality(${names}) = 0 or ${name} = any (${names})
    or exists (select from unnest(${names}) pattern where pattern like '%*' and starts_with(${name}, left(pattern, -1))))`;
}

/** Whether the stitch of the span `p` is to deliver the event `e` of its project: `isWanted` in SQL. */
export const isWantedEvent = `(
  e.seq > p.after_seq and (p.upto_seq is null or e.seq <= p.upto_seq) and e.environment_id = p.environment_id
  and e.event_name <> '${testName}' and e.except_stitch_id is distinct from p.stitch_id and ${matchesNames('p.event_names', 'e.event_name')})`;

/**
 * The id of the delivery of an event to a stitch, whoever derives it and however often: the SQL function `skein_delivery_id` of the first
 * migration, in TypeScript.
 */
export function deriveDeliveryId(eventId: string, stitchId: string): string {
  const hash = createHash('md5').update(`${eventId}/${stitchId}`).digest('hex');
  return `whd_${eventId.slice(4, 14)}e${hash.slice(0, 2)}a${hash.slice(2, 14)}`;
}

const selectSpans = `
  select p.project_id as "projectId", p.subscriptions as version, p.last_seq as head, s.stitch_id as "stitchId", s.environment_id as "environmentId", s.after_seq as after,
    s.upto_seq as upto, s.event_names as "eventNames"
  from (select distinct unnest($1::text[]) as id) wanted cross join lateral ${newestStream('wanted.id', 'p')}
  left join stitch_spans s on s.project_id = p.project_id and s.cancelled_at is null
  order by s.stitch_id, s.after_seq`;

interface SpanRow extends Span {
  readonly projectId: string;
  readonly version: number;
  readonly head: number;
  readonly stitchId: string | null;
  readonly environmentId: string;
}

/** What the stitches of each project are to deliver; a stitch that accepts nothing and has nothing left is not among them. */
async function readSubscriptions(db: Queries, projectIds: readonly string[]): Promise<Subscriptions[]> {
  const rows = await db.query<SpanRow>(selectSpans, [projectIds], 'deliveries.subscriptions');
  const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
  return projectIds.map(projectId => toSubscriptions(byProject.get(projectId) ?? []));
}

function toSubscriptions(rows: readonly SpanRow[]): Subscriptions {
  const byStitch = new Map<string, Subscription & { readonly spans: Span[] }>();
  for (const { stitchId, environmentId, after, upto, eventNames } of rows) {
    if (stitchId === null) continue;
    const found = byStitch.get(stitchId) ?? { stitchId, environmentId, spans: [] };
    byStitch.set(stitchId, found);
    found.spans.push({ after, upto, eventNames });
  }
  const { version = 0, head = 0 } = rows[0] ?? {};
  return { version, head, byStitch, ...createFinders([...byStitch.values()]) };
}

/**
 * Looks at each of many stitches once for a name and an environment, and not once for each event: behind all changes the spans that are
 * open then say it. With a thousand stitches that want everything this took a tenth of a node's time.
 */
function createFinders(
  subscriptions: readonly Subscription[],
): Pick<Subscriptions, 'findWanting' | 'findPossible'> {
  const find = (event: FollowedEvent): readonly string[] =>
    subscriptions.filter(each => isWanted(each, event)).map(({ stitchId }) => stitchId);
  const spans = subscriptions.flatMap(each => each.spans);
  const lastChange = spans.reduce((last, { after, upto }) => Math.max(last, after, upto ?? 0), 0);
  const known = new Map<string, readonly string[]>();
  const findWanting = (event: FollowedEvent): readonly string[] => {
    if (event.seq <= lastChange || (event.exceptStitchId ?? null) !== null) return find(event);
    const key = `${event.environmentId} ${event.eventName}`;
    let found = known.get(key);
    if (found === undefined) known.set(key, (found = find(event)));
    return found;
  };
  const findPossible = ({ environmentId, eventName, after, newest }: EventRange): readonly string[] => {
    if (after >= lastChange) return findWanting({ environmentId, eventName, seq: newest });
    const mayWant = (span: Span): boolean =>
      span.after < newest &&
      (span.upto === null || span.upto > after) &&
      matchesEventNames(span.eventNames, eventName);
    return subscriptions
      .filter(each => each.environmentId === environmentId && each.spans.some(mayWant))
      .map(({ stitchId }) => stitchId);
  };
  return { findWanting, findPossible };
}

/** Projects whose spans are kept. */
const maxProjects = 10_000;

export class SubscriptionCache {
  readonly #db: Queries;
  readonly #kept = new LRUCache<string, Subscriptions>({ max: maxProjects });
  readonly #reading = new Map<string, Promise<Subscriptions>>();
  readonly #next = new Map<string, Promise<Subscriptions>>();
  /** Counts the resets: what was read before the last one is not kept. */
  #resets = 0;

  constructor(db: Queries) {
    this.#db = db;
  }

  /** What is kept, if it has that version or a later one. */
  peek(projectId: string, version: number): Subscriptions | undefined {
    const kept = this.#kept.get(projectId);
    return kept !== undefined && kept.version >= version ? kept : undefined;
  }

  /** Drops everything: what stitches follow may have gone back with the log, and its versions are given again. */
  reset(): void {
    this.#resets++;
    this.#kept.clear();
    this.#reading.clear();
    this.#next.clear();
  }

  /** Of that version or a later one. Rejects as the database does, and with `TimelineChanged` when there is no such version any more. */
  async get(projectId: string, version: number): Promise<Subscriptions> {
    // The first read may have begun before the version was committed.
    for (let reads = 0; ; reads++) {
      const kept = this.peek(projectId, version);
      if (kept !== undefined) return kept;
      if (reads === 2) throw new TimelineChanged();
      await (this.#reading.get(projectId) ?? this.#read(projectId));
    }
  }

  /**
   * As they are now, read after this call. Who asks meanwhile shares the next read: when a node starts, all stitches of a project ask at
   * once, and each read has the spans of all of them. Rejects as the database does.
   */
  getLatest(projectId: string): Promise<Subscriptions> {
    const next = this.#next.get(projectId) ?? this.#readNext(projectId);
    this.#next.set(projectId, next);
    return next;
  }

  async #readNext(projectId: string): Promise<Subscriptions> {
    const resets = this.#resets;
    await this.#reading.get(projectId)?.catch(() => undefined);
    if (resets !== this.#resets) throw new TimelineChanged();
    this.#next.delete(projectId);
    return this.#read(projectId);
  }

  /** Reads those that are not kept in that version or a later one, at once. Rejects as the database does. */
  async prepare(
    projects: readonly { readonly projectId: string; readonly version: number }[],
  ): Promise<void> {
    const missing = projects
      .filter(({ projectId, version }) => this.peek(projectId, version) === undefined)
      .map(({ projectId }) => projectId);
    if (missing.length === 0) return;
    const resets = this.#resets;
    const found = await readSubscriptions(this.#db, missing);
    if (resets !== this.#resets) throw new TimelineChanged();
    missing.forEach((projectId, index) => {
      const read = found[index];
      // Meanwhile a later version may have been read.
      if (read !== undefined && this.peek(projectId, read.version) === undefined) {
        this.#kept.set(projectId, read);
      }
    });
  }

  #read(projectId: string): Promise<Subscriptions> {
    const resets = this.#resets;
    const reading = readSubscriptions(this.#db, [projectId])
      .then(([found = toSubscriptions([])]) => {
        if (resets !== this.#resets) throw new TimelineChanged();
        // A later read may have overtaken this one: what is kept never goes back, or an event that a stitch wants would be passed over.
        const kept = this.peek(projectId, found.version + 1);
        if (kept === undefined) this.#kept.set(projectId, found);
        return kept ?? found;
      })
      .finally(() => {
        if (this.#reading.get(projectId) === reading) this.#reading.delete(projectId);
      });
    this.#reading.set(projectId, reading);
    return reading;
  }
}
