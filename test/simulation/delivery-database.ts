/**
 * The part of the database that stitches use: the log, what they follow of it, and their deliveries. A node reads it by production's
 * statements, over a way on which each may get lost.
 */
import { stitchSnapshot } from '../../actors/stitch/snapshot.ts';
import type { Loaded } from '../../runtime/actor/store.ts';
import { StoreUnavailable } from '../../runtime/actor/store.ts';
import { refill } from '../support/memory-store.ts';
import type { Queries } from '../../storage/database/index.ts';
import type { AppendedEvent, Write } from '../../storage/statements/statement.ts';
import { deriveDeliveryId } from '../../storage/deliveries/subscriptions.ts';
import { answer } from './delivery-queries.ts';
import {
  type DeliverySources,
  hasUndelivered,
  type LogEntry,
  type StitchSummary,
} from './delivery-sources.ts';
import { DeliveryTables, type StoredStitch } from './delivery-tables.ts';
import type { Deliveries } from './deliveries.ts';
import type { Faults } from './faults.ts';
import type { Machine } from './machine.ts';
import type { Verdict } from './invariants.ts';

export interface DeliveryDatabaseOptions {
  readonly projects: readonly string[];
  readonly verdict: Verdict;
  readonly faults: Faults;
  readonly deliveries: Deliveries;
  /** Virtual milliseconds. */
  readonly now: () => number;
  /** What the database's clock shows, in epoch milliseconds. */
  readonly wallClock: () => number;
  /** Asks over a way of that node, which may break. */
  readonly ask: <T>(machine: Machine, question: () => T) => Promise<T>;
  /** The stored rows of stitches, by id. */
  readonly stitches: () => ReadonlyMap<string, StoredStitch>;
}

/** What a commit has appended, as `event.append` tells it. */
export interface Appended {
  readonly events: AppendedEvent[];
  /** The number that each project had before. */
  readonly heads: Record<string, number>;
  readonly subscriptions: Record<string, number>;
  readonly tested: string[];
}

export class DeliveryDatabase {
  readonly tables: DeliveryTables;
  /** By project: the event with `seq` is at `seq - 1`. */
  readonly logs: ReadonlyMap<string, LogEntry[]>;
  /** By project: the events up to that number are too old, and stitches find them no more. */
  readonly #dropped = new Map<string, number>();
  readonly #options: DeliveryDatabaseOptions;

  constructor(options: DeliveryDatabaseOptions) {
    this.#options = options;
    this.tables = new DeliveryTables(options.projects, options);
    this.logs = new Map(options.projects.map(id => [id, []]));
  }

  /** Keeps everything as it is now. Call the returned function to go back to it. */
  snapshot(): () => void {
    const tables = this.tables.snapshot();
    const lengths = [...this.logs.values()].map(log => [log, log.length] as const);
    const dropped = new Map(this.#dropped);
    return () => {
      tables();
      for (const [log, length] of lengths) log.length = length;
      refill(this.#dropped, dropped);
    };
  }

  /** Numbers the event, and appends it. */
  append(event: AppendedEvent, onlyStitchId: string | null, appended: Appended): void {
    const { projectId, eventId, eventName, occurredAt, threadId = null, exceptStitchId = null, body } = event;
    const { environmentId } = event;
    const stream = this.tables.getStream(projectId);
    appended.heads[projectId] ??= stream.lastSeq;
    appended.subscriptions[projectId] = stream.subscriptions;
    appended.events.push(event);
    const seq = ++stream.lastSeq;
    const at = new Date(occurredAt);
    const entry = { seq, eventId, eventName, environmentId, occurredAt: at, threadId, exceptStitchId, body };
    this.logs.get(projectId)?.push(entry);
    if (onlyStitchId === null) return this.#options.deliveries.appended(projectId, entry);
    appended.tested.push(onlyStitchId);
    this.tables.addTest({
      deliveryId: deriveDeliveryId(eventId, onlyStitchId),
      projectId,
      environmentId,
      stitchId: onlyStitchId,
      eventId,
      eventSeq: seq,
      eventName,
      eventAt: occurredAt,
      threadId,
      createdAt: occurredAt,
    });
  }

  /**
   * Drops some of the oldest events of the project, as retention does: none of those that a stitch has yet to deliver, unless it is forced.
   *
   * @param share of the events that there are
   * @returns how many were dropped
   */
  drop(projectId: string, share: number, isForced: boolean): number {
    const after = this.#dropped.get(projectId) ?? 0;
    const head = this.tables.getStream(projectId).lastSeq;
    const upto = after + Math.floor(share * (head - after));
    const isHeld = hasUndelivered(this.#sources, projectId, after, upto);
    if (upto === after || isHeld !== isForced) return 0;
    this.#dropped.set(projectId, upto);
    this.#options.deliveries.dropped(projectId, upto);
    return upto - after;
  }

  /** Empties the texts of a conversation, as an erasure does, as far as stitches read them. Returns of how many events. */
  erase(threadId: string): number {
    const { erasures } = this.#options.deliveries;
    const events = [...this.logs.values()].flat().filter(event => event.threadId === threadId);
    return events.filter(({ eventId }) => erasures.erase(eventId)).length;
  }

  /** Does what the rows of a commit say, in the order of their statements. */
  apply(writes: readonly Write[], appended: Appended): void {
    for (const write of [...writes].sort((a, b) => a.statement.order - b.statement.order)) {
      const { event, values } = write;
      if (event === undefined) this.tables.apply(write);
      else this.append(event, (values[9] as string | undefined) ?? null, appended);
    }
  }

  /** The database as a node's parts read it. */
  queriesFor(machine: Machine): Queries {
    const { faults, ask } = this.#options;
    const query = async (_: string, values: readonly unknown[], name = ''): Promise<unknown[]> => {
      const rows = await ask(machine, () => answer(this.#sources, name, values));
      if (faults.strikes('unknown error', 0.02)) {
        faults.fired('unknown error');
        throw Object.assign(new Error('unexpected data beyond the end of a file'), { code: 'XX001' });
      }
      if (faults.strikes('read failed', 0.02)) {
        faults.fired('read failed');
        throw new StoreUnavailable('the answer was lost');
      }
      return [...rows];
    };
    return { query } as Queries;
  }

  get #sources(): DeliverySources {
    return {
      tables: this.tables,
      log: projectId => this.logs.get(projectId)?.slice(this.#dropped.get(projectId) ?? 0) ?? [],
      stitches: () => [...this.#options.stitches()].map(([id, row]) => summarise(id, row)),
      read: event => this.#options.deliveries.erasures.read(event),
      now: this.#options.wallClock,
    };
  }
}

function summarise(id: string, row: StoredStitch): StitchSummary {
  const { cancelUntil, replays, ownerNews } = row['state'] as {
    readonly cancelUntil: string | null;
    readonly replays: readonly unknown[];
    readonly ownerNews: readonly unknown[];
  };
  return {
    id,
    projectId: String(row['project_id']),
    isLive: row['archived_at'] === null && row['status'] !== 'disabled',
    settledSeq: Number(row['settled_seq']),
    cancelUntil,
    hasUnfinishedWork: cancelUntil !== null || replays.length + ownerNews.length > 0,
  };
}

const jsonColumns: ReadonlySet<string> = new Set(['metadata', 'secrets', 'state']);

/** The row that production stores of a stitch. */
export function encodeStitch(state: unknown): StoredStitch {
  const values = stitchSnapshot.values('', 0, 1, state as never).slice(2);
  return Object.fromEntries(
    stitchSnapshot.columns.map((name, index) => {
      const value = values[index] ?? null;
      return [name, jsonColumns.has(name) ? (JSON.parse(String(value)) as unknown) : value];
    }),
  );
}

/** What production makes of the row. */
export function decodeStitch({ version, state }: Loaded): Loaded {
  return { version, state: stitchSnapshot.decode(state as StoredStitch) };
}
