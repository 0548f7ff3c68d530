/**
 * A batch: the commits that go into one transaction, gathered by statement.
 *
 * Commits of one actor merge into one snapshot write: the base of its first, the version and state of its last.
 * Adding keeps the order of the calls, so a batch is always a prefix of its lane's queue.
 */
import type { Commit, DueReminder } from '../runtime/store.ts';
import type { SnapshotTable } from './snapshot.ts';
import type { Announced, Statement, Write } from './statement.ts';
import { deleteReminders, upsertReminders } from './reminders.ts';

interface Snapshot {
  readonly table: SnapshotTable;
  readonly id: string;
  readonly base: number;
  version: number;
  state: unknown;
}

/** A statement with all its rows as the text of one JSON array. */
export interface Step {
  readonly statement: Statement;
  readonly rows: string;
}

type ReminderChange =
  | { readonly set: DueReminder }
  | {
      readonly deleted: {
        readonly kind: string;
        readonly actor_id: string;
        readonly key: string;
        readonly at?: number;
      };
    };

export class Batch {
  readonly commits: Commit<Write>[] = [];
  readonly events: Announced[] = [];
  readonly #tables: ReadonlyMap<string, SnapshotTable>;
  readonly #shardOf: (id: string, kind: string) => number;
  readonly #snapshots = new Map<string, Snapshot>();
  readonly #rows = new Map<Statement, string[]>();
  readonly #keyed = new Map<Statement, Map<string, string>>();
  readonly #reminders = new Map<string, ReminderChange>();

  constructor(tables: ReadonlyMap<string, SnapshotTable>, shardOf: (id: string, kind: string) => number) {
    this.#tables = tables;
    this.#shardOf = shardOf;
  }

  /** Whether the commit may join: a key that must be new and is in the batch already has to wait for the next one. */
  admits(commit: Commit<Write>): boolean {
    for (const write of commit.writes) {
      if (write.unique && this.#keyed.get(write.statement)?.has(write.key ?? '')) return false;
    }
    return true;
  }

  add(commit: Commit<Write>): void {
    this.commits.push(commit);
    this.#addSnapshot(commit);
    for (const write of commit.writes) this.#addWrite(write);
    for (const forgotten of commit.forget) this.#forget(commit, forgotten.key, forgotten.at);
    for (const reminder of commit.remind) {
      this.#reminders.set(`${reminder.to.kind}/${reminder.to.id}/${reminder.key}`, { set: reminder });
    }
  }

  /** The transaction's statements in their order. */
  steps(): Step[] {
    const steps: Step[] = [];
    const inserts = new Map<SnapshotTable, string[]>();
    const updates = new Map<SnapshotTable, string[]>();
    for (const { table, id, base, version, state } of this.#snapshots.values()) {
      const rows = base === 0 ? inserts : updates;
      const row = JSON.stringify({ [table.key]: id, base, version, ...table.encode(state as never) });
      const list = rows.get(table);
      if (list === undefined) rows.set(table, [row]);
      else list.push(row);
    }
    for (const [table, rows] of inserts) steps.push({ statement: table.insert, rows: `[${rows.join(',')}]` });
    for (const [table, rows] of updates) steps.push({ statement: table.update, rows: `[${rows.join(',')}]` });
    for (const [statement, rows] of this.#rows) steps.push({ statement, rows: `[${rows.join(',')}]` });
    for (const [statement, rows] of this.#keyed) {
      steps.push({ statement, rows: `[${[...rows.values()].join(',')}]` });
    }
    this.#reminderSteps(steps);
    return steps.sort((a, b) => a.statement.order - b.statement.order);
  }

  #addSnapshot({ actor, base, snapshot }: Commit<Write>): void {
    if (snapshot === undefined) return;
    const key = `${actor.kind}/${actor.id}`;
    const merged = this.#snapshots.get(key);
    if (merged !== undefined) {
      merged.version = snapshot.version;
      merged.state = snapshot.state;
      return;
    }
    const table = this.#tables.get(actor.kind);
    if (table === undefined) throw new Error(`no snapshot table for actors of kind ${actor.kind}`);
    this.#snapshots.set(key, {
      table,
      id: actor.id,
      base,
      version: snapshot.version,
      state: snapshot.state,
    });
  }

  #addWrite(write: Write): void {
    if (write.event !== undefined) this.events.push(write.event);
    if (write.key === undefined) {
      const rows = this.#rows.get(write.statement);
      if (rows === undefined) this.#rows.set(write.statement, [write.row]);
      else rows.push(write.row);
      return;
    }
    let rows = this.#keyed.get(write.statement);
    if (rows === undefined) this.#keyed.set(write.statement, (rows = new Map<string, string>()));
    rows.set(write.key, write.row);
  }

  #forget({ actor }: Commit<Write>, key: string, at: number | undefined): void {
    const name = `${actor.kind}/${actor.id}/${key}`;
    const earlier = this.#reminders.get(name);
    // Set anew in this batch for another instant: that newer reminder is not the one that was handled.
    if (earlier !== undefined && 'set' in earlier && at !== undefined && earlier.set.at !== at) return;
    const exact = earlier === undefined && at !== undefined ? { at } : {};
    this.#reminders.set(name, { deleted: { kind: actor.kind, actor_id: actor.id, key, ...exact } });
  }

  #reminderSteps(steps: Step[]): void {
    const sets: object[] = [];
    const deletes: object[] = [];
    for (const change of this.#reminders.values()) {
      if ('deleted' in change) deletes.push(change.deleted);
      else {
        const { to, key, at, command, payload, attempts } = change.set;
        const shard = this.#shardOf(to.id, to.kind);
        sets.push({ kind: to.kind, actor_id: to.id, key, shard, due_at: at, command, payload, attempts });
      }
    }
    if (deletes.length > 0) steps.push({ statement: deleteReminders, rows: JSON.stringify(deletes) });
    if (sets.length > 0) steps.push({ statement: upsertReminders, rows: JSON.stringify(sets) });
  }
}
