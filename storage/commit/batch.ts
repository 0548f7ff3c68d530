/**
 * A batch: the commits that go into one transaction, gathered by statement.
 *
 * Commits of one actor merge into one write of its snapshot: the base of the first, the version and state of the last. Commits are
 * added in the order of the calls, and the lane ends a batch at the first commit that the batch does not admit, so none overtakes
 * another in its lane.
 */
import type { Commit, PlacedReminder } from '../../runtime/actor/index.ts';
import {
  type AppendedEvent,
  type SnapshotTable,
  type Statement,
  toParameters,
  type Value,
  type Write,
} from '../statements/index.ts';
import { deleteReminders, upsertReminders } from './reminders.ts';
import { EventNumbers, lockProjects } from '../writes/index.ts';

/** What the batch requires of an actor's row: that it has version `base`, and, when it changes, the next version and state. */
interface SnapshotWrite {
  readonly table: SnapshotTable;
  readonly id: string;
  readonly base: number;
  changed: { readonly version: number; readonly state: unknown } | undefined;
}

/** A statement with its parameters: the columns of all its rows. */
export interface BatchStatement {
  readonly statement: Statement;
  readonly parameters: readonly Buffer[];
}

interface Forgotten {
  readonly kind: string;
  readonly id: string;
  readonly key: string;
  readonly at: number | undefined;
}

type ReminderChange = { readonly set: PlacedReminder } | { readonly deleted: Forgotten };

/**
 * UTF-16 units of row values, of states that may be large and of the payloads of reminders, after which a batch is full. It bounds the
 * memory of one transaction, here and in the server.
 */
const maxBatchSize = 8 * 1_048_576;
/** Bytes of a row beside its texts: its header, its numbers, and its places in indexes. */
const rowOverhead = 256;

export class Batch {
  readonly events: AppendedEvent[] = [];
  /** What the batch stores, by project, in UTF-16 units. */
  readonly stored = new Map<string, number>();
  readonly #tables: ReadonlyMap<string, SnapshotTable>;
  readonly #snapshots = new Map<string, SnapshotWrite>();
  readonly #rows = new Map<Statement, (readonly Value[])[]>();
  readonly #keyed = new Map<Statement, Map<string, readonly Value[]>>();
  readonly #reminders = new Map<string, ReminderChange>();
  readonly #numbers = new EventNumbers();
  /** Projects whose rows are locked before the events are appended. */
  readonly #locked = new Set<string>();
  #size = 0;

  constructor(tables: ReadonlyMap<string, SnapshotTable>) {
    this.#tables = tables;
  }

  /**
   * Whether the commit may join. Two kinds have to wait for the next batch: a commit with a key that must be new and is in this batch
   * already, and any commit once the batch is full.
   */
  admits(commit: Commit<Write>): boolean {
    if (this.#size > maxBatchSize) return false;
    for (const write of commit.writes) {
      if (write.unique && this.#keyed.get(write.statement)?.has(write.key ?? '')) return false;
    }
    return true;
  }

  /** Only after `admits` has returned true. */
  add(commit: Commit<Write>): void {
    const before = this.#size;
    this.#addSnapshot(commit);
    for (const write of commit.writes) this.#addWrite(write, commit.traceparent);
    for (const forgotten of commit.forget) this.#forget(commit, forgotten.key, forgotten.at);
    for (const reminder of commit.remind) {
      this.#size += estimateJsonLength(reminder.payload, maxBatchSize);
      this.#reminders.set(`${reminder.to.kind}/${reminder.to.id}/${reminder.key}`, { set: reminder });
    }
    const projectId = findProject(commit);
    if (projectId === undefined) return;
    const stored = this.#size - before + commit.writes.length * rowOverhead;
    this.stored.set(projectId, (this.stored.get(projectId) ?? 0) + stored);
  }

  /** Whether a conflict-aware form exists of one of its statements. */
  get hasConflictAware(): boolean {
    return [...this.#keyed.keys()].some(({ conflictAware }) => conflictAware !== undefined);
  }

  /**
   * The statements of the transaction, in their order; in their conflict-aware form where a key is known to be taken. May be called
   * again. Every batch locks the rows of actors in one order, so that those of two nodes do not deadlock while both take an actor for
   * their own.
   */
  statements(conflictAware = false): BatchStatement[] {
    const rows = new Map(Array.from(this.#rows, ([statement, list]) => [statement, [...list]]));
    for (const { table, id, base, changed } of [...this.#snapshots.values()].sort(byId)) {
      if (changed === undefined) push(rows, table.check, [id, base]);
      else {
        const values = table.values(id, base, changed.version, changed.state as never);
        push(rows, base === 0 ? table.insert : table.update, values);
      }
    }
    for (const [statement, keyed] of this.#keyed) rows.set(statement, [...keyed.values()]);
    for (const change of this.#reminders.values()) this.#pushReminder(rows, change);
    if (this.#locked.size > 0) {
      const projectIds = new Set([...this.#locked, ...this.events.map(({ projectId }) => projectId)]);
      rows.set(
        lockProjects,
        Array.from(projectIds, id => [id]),
      );
    }
    return [...rows]
      .map(([statement, values]) => ({
        statement: (conflictAware ? statement.conflictAware : undefined) ?? statement,
        parameters: toParameters(statement, values),
      }))
      .sort((a, b) => a.statement.order - b.statement.order || compare(a.statement.name, b.statement.name));
  }

  #addSnapshot({ actor, base, snapshot }: Commit<Write>): void {
    const key = `${actor.kind}/${actor.id}`;
    const earlier = this.#snapshots.get(key);
    const table = this.#tables.get(actor.kind);
    if (table === undefined) throw new Error(`no snapshot table for actors of kind ${actor.kind}`);
    if (table.mayBeLarge && snapshot !== undefined)
      this.#size += estimateJsonLength(snapshot.state, maxBatchSize);
    if (earlier !== undefined) {
      // The earlier commit of the batch has verified the base that this one was decided from.
      if (snapshot !== undefined) earlier.changed = snapshot;
      return;
    }
    this.#snapshots.set(key, { table, id: actor.id, base, changed: snapshot });
  }

  #addWrite(write: Write, traceparent: string | undefined): void {
    const values = this.#completeValues(write, traceparent);
    if (write.locks !== undefined) this.#locked.add(write.locks);
    for (const value of write.values) if (typeof value === 'string') this.#size += value.length;
    if (write.key === undefined) {
      push(this.#rows, write.statement, values);
      return;
    }
    let rows = this.#keyed.get(write.statement);
    if (rows === undefined) this.#keyed.set(write.statement, (rows = new Map<string, readonly Value[]>()));
    rows.set(write.key, values);
  }

  #completeValues({ event, values }: Write, traceparent: string | undefined): readonly Value[] {
    if (event === undefined) return values;
    const traced = traceparent === undefined ? event : { ...event, traceparent };
    this.events.push(traced);
    return this.#numbers.complete(traced, values);
  }

  #forget({ actor }: Commit<Write>, key: string, at: number | undefined): void {
    const name = `${actor.kind}/${actor.id}/${key}`;
    const earlier = this.#reminders.get(name);
    // Set again in this batch for another instant: the newer reminder is not the one that was handled.
    if (earlier !== undefined && 'set' in earlier && at !== undefined && earlier.set.at !== at) return;
    this.#reminders.set(name, {
      deleted: { kind: actor.kind, id: actor.id, key, at: earlier === undefined ? at : undefined },
    });
  }

  #pushReminder(rows: Map<Statement, (readonly Value[])[]>, change: ReminderChange): void {
    if ('deleted' in change) {
      const { kind, id, key, at } = change.deleted;
      push(rows, deleteReminders, [kind, id, key, at]);
      return;
    }
    const { to, key, shard, at, command, payload, attempts } = change.set;
    const text = JSON.stringify(payload ?? null);
    push(rows, upsertReminders, [to.kind, to.id, key, shard, at, command, text, attempts]);
  }
}

/** The project that a commit belongs to; undefined: of none, as far as the commit says. */
function findProject({ snapshot, writes }: Commit<Write>): string | undefined {
  const state = snapshot?.state as { readonly projectId?: string } | null | undefined;
  if (typeof state?.projectId === 'string' && state.projectId !== '') return state.projectId;
  for (const { event } of writes) if (event !== undefined) return event.projectId;
  return undefined;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function byId(a: SnapshotWrite, b: SnapshotWrite): number {
  return compare(a.id, b.id);
}

function push(
  rows: Map<Statement, (readonly Value[])[]>,
  statement: Statement,
  values: readonly Value[],
): void {
  const list = rows.get(statement);
  if (list === undefined) rows.set(statement, [values]);
  else list.push(values);
}

/**
 * The approximate length of a value's JSON in UTF-16 units, without making the JSON: names, texts, and a few units for everything else.
 * Counting stops once it reaches `most`. Never throws.
 */
export function estimateJsonLength(value: unknown, most: number): number {
  let length = 0;
  const left: unknown[] = [value];
  while (left.length > 0 && length < most) {
    const next = left.pop();
    length += 4;
    if (typeof next === 'string') length += next.length;
    else if (Array.isArray(next)) for (const item of next) left.push(item);
    else if (typeof next === 'object' && next !== null) {
      for (const [name, member] of Object.entries(next)) {
        length += name.length;
        left.push(member);
      }
    }
  }
  return length;
}
