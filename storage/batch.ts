/**
 * A batch: the commits that go into one transaction, gathered by statement.
 *
 * Commits of one actor merge into one snapshot write: the base of its first, the version and state of its last.
 * Adding keeps the order of the calls, and the lane ends a batch at the first commit that it does not admit: none
 * overtakes another of its lane.
 */
import type { Commit, PlacedReminder } from '../runtime/store.ts';
import { roughLength } from './rough-length.ts';
import type { SnapshotTable } from './snapshot.ts';
import { parametersOf, type Announced, type Statement, type Value, type Write } from './statement.ts';
import { deleteReminders, upsertReminders } from './reminders.ts';
import { EventNumbers } from './writes/events.ts';

/** What the batch wants of one actor's row: that it stands at `base`, and, when it changes, its next version and state. */
interface Snapshot {
  readonly table: SnapshotTable;
  readonly id: string;
  readonly base: number;
  changed: { readonly version: number; readonly state: unknown } | undefined;
}

/** A statement with its parameters: all its rows, column by column. */
export interface Step {
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

/** UTF-16 units of row values, of states that may be large and of reminders' payloads, after which a batch is full: bounds what one transaction holds in memory, here and in the server. */
const largestSize = 8 * 1_048_576;

export class Batch {
  readonly events: Announced[] = [];
  readonly #tables: ReadonlyMap<string, SnapshotTable>;
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #rows = new Map<Statement, (readonly Value[])[]>();
  readonly #keyed = new Map<Statement, Map<string, readonly Value[]>>();
  readonly #reminders = new Map<string, ReminderChange>();
  readonly #numbers = new EventNumbers();
  #size = 0;

  constructor(tables: ReadonlyMap<string, SnapshotTable>) {
    this.#tables = tables;
  }

  /**
   * Whether the commit may join. What has to wait for the next batch: a key that must be new and is in this one already, and
   * anything once the batch is large.
   */
  admits(commit: Commit<Write>): boolean {
    if (this.#size > largestSize) return false;
    for (const write of commit.writes) {
      if (write.unique && this.#keyed.get(write.statement)?.has(write.key ?? '')) return false;
    }
    return true;
  }

  /** Only after `admits` said yes. */
  add(commit: Commit<Write>): void {
    this.#addSnapshot(commit);
    for (const write of commit.writes) this.#addWrite(write);
    for (const forgotten of commit.forget) this.#forget(commit, forgotten.key, forgotten.at);
    for (const reminder of commit.remind) {
      this.#size += roughLength(reminder.payload, largestSize);
      this.#reminders.set(`${reminder.to.kind}/${reminder.to.id}/${reminder.key}`, { set: reminder });
    }
  }

  /** Whether it has statements that can name keys that are taken. */
  get canBeWary(): boolean {
    return [...this.#keyed.keys()].some(({ wary }) => wary !== undefined);
  }

  /** The transaction's statements in their order; `wary` ones where a key is known to be taken. May be asked for again. */
  steps(wary = false): Step[] {
    const rows = new Map(Array.from(this.#rows, ([statement, list]) => [statement, [...list]]));
    for (const { table, id, base, changed } of this.#snapshots.values()) {
      if (changed === undefined) push(rows, table.check, [id, base]);
      else {
        const values = table.values(id, base, changed.version, changed.state as never);
        push(rows, base === 0 ? table.insert : table.update, values);
      }
    }
    for (const [statement, keyed] of this.#keyed) rows.set(statement, [...keyed.values()]);
    for (const change of this.#reminders.values()) this.#pushReminder(rows, change);
    return [...rows]
      .map(([statement, values]) => ({
        statement: (wary ? statement.wary : undefined) ?? statement,
        parameters: parametersOf(statement, values),
      }))
      .sort((a, b) => a.statement.order - b.statement.order);
  }

  #addSnapshot({ actor, base, snapshot }: Commit<Write>): void {
    const key = `${actor.kind}/${actor.id}`;
    const earlier = this.#snapshots.get(key);
    const table = this.#tables.get(actor.kind);
    if (table === undefined) throw new Error(`no snapshot table for actors of kind ${actor.kind}`);
    if (table.mayBeLarge && snapshot !== undefined) this.#size += roughLength(snapshot.state, largestSize);
    if (earlier !== undefined) {
      // What came earlier in the batch has verified the base that this one stands on.
      if (snapshot !== undefined) earlier.changed = snapshot;
      return;
    }
    this.#snapshots.set(key, { table, id: actor.id, base, changed: snapshot });
  }

  #addWrite(write: Write): void {
    const values = this.#valuesOf(write);
    for (const value of write.values) if (typeof value === 'string') this.#size += value.length;
    if (write.key === undefined) {
      push(this.#rows, write.statement, values);
      return;
    }
    let rows = this.#keyed.get(write.statement);
    if (rows === undefined) this.#keyed.set(write.statement, (rows = new Map<string, readonly Value[]>()));
    rows.set(write.key, values);
  }

  #valuesOf({ event, values }: Write): readonly Value[] {
    if (event === undefined) return values;
    this.events.push(event);
    return this.#numbers.complete(event, values);
  }

  #forget({ actor }: Commit<Write>, key: string, at: number | undefined): void {
    const name = `${actor.kind}/${actor.id}/${key}`;
    const earlier = this.#reminders.get(name);
    // Set anew in this batch for another instant: that newer reminder is not the one that was handled.
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

function push(
  rows: Map<Statement, (readonly Value[])[]>,
  statement: Statement,
  values: readonly Value[],
): void {
  const list = rows.get(statement);
  if (list === undefined) rows.set(statement, [values]);
  else list.push(values);
}
