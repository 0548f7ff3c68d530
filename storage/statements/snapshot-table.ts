/**
 * How the snapshot of an actor is a row of a table: its public columns, a private `state`, and the `version` that makes sure of one
 * writer per actor (docs/decisions/0003-one-writer-by-version.md). Two lists of columns give the statements: load, insert, update, check.
 */
import type { Value } from './parameters.ts';
import { statement, type Columns, type Statement } from './statement.ts';

/** What the store needs of a kind: its statements, and the conversion between rows and states. */
export interface SnapshotTable<State = never> {
  readonly kind: string;
  /** `$1`: an array of ids. Gives each row as JSON `text`, and its `version`. */
  readonly load: string;
  readonly key: string;
  readonly insert: Statement;
  readonly update: Statement;
  /** Whether states may be megabytes: then they count for the size of a batch. */
  readonly mayBeLarge: boolean;
  /** Rows of (id, base): refuses those that do not have that version, and locks the others until the commit. */
  readonly check: Statement;
  /** Columns of an inserted row in their order, without the key and `version`. */
  readonly columns: readonly string[];
  /** The values of a row of `insert`, or of `update` where `base` is not 0. */
  readonly values: (id: string, base: number, version: number, state: State) => readonly Value[];
  /** Gives a `State`, which the store passes on without looking inside. */
  readonly decode: (row: Readonly<Record<string, unknown>>) => unknown;
}

/** What a kind declares of its table. */
export interface SnapshotColumns<State> {
  readonly kind: string;
  readonly table: string;
  /** The column of the actor's id. */
  readonly key: string;
  /** Whether states may be megabytes. Default false. */
  readonly mayBeLarge?: boolean;
  /** Columns that never change: only the insert writes them. */
  readonly fixed: Columns;
  /** Every other column but the key and `version`. */
  readonly columns: Columns;
  /** SQL constants for columns that nearly always have the same value: `encode` gives null for it, which is neither sent nor parsed. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** The values of all columns, fixed ones too: jsonb as JSON text, times as ISO 8601; null for a default value. */
  readonly encode: (state: State) => Readonly<Record<string, Value>>;
  /** From a row as `row_to_json` gives it: jsonb is parsed, times are ISO 8601 with an offset (see {@link instant}). */
  readonly decode: (row: Readonly<Record<string, unknown>>) => State;
}

/**
 * Declares a snapshot table.
 *
 * Insert and update check how many of their rows had the version that they were decided from. `skein_fence` names the others, and nothing
 * of the batch is applied.
 */
export function snapshotTable<State>(table: SnapshotColumns<State>): SnapshotTable<State> {
  const { kind, key, fixed, columns, defaults = {} } = table;
  const all = [...Object.keys(fixed), ...Object.keys(columns)];
  const changing = Object.keys(columns);
  const unknown = Object.keys(defaults).find(name => !all.includes(name));
  if (unknown !== undefined) throw new Error(`${kind} has no column ${unknown}`);
  const given = (name: string): string =>
    defaults[name] === undefined ? `input.${name}` : `coalesce(input.${name}, ${defaults[name]})`;
  // Counted first, since nearly always none is missing.
  const fence = (ids: string): string => `
    select case when (select count(*) from written) < cardinality(${ids})
      then skein_fence('${kind}', array(select unnest(${ids}) except select ${key} from written)) end`;
  const identity: Columns = { [key]: 'text', version: 'bigint' };
  return {
    kind,
    key,
    mayBeLarge: table.mayBeLarge ?? false,
    columns: all,
    load: `select row_to_json(t)::text as text, version from ${table.table} t where ${key} = any ($1::text[])`,
    insert: statement(
      `${kind}.insert`,
      10,
      { ...identity, ...fixed, ...columns },
      (input, column) => `with written as (
        insert into ${table.table} (${key}, version, ${all.join(', ')})
        select ${key}, version, ${all.map(given).join(', ')} from ${input}
        on conflict (${key}) do nothing returning ${key}
      ) ${fence(column(key))}`,
    ),
    update: statement(
      `${kind}.update`,
      11,
      { ...identity, base: 'bigint', ...columns },
      (input, column) => `with written as (
        update ${table.table} t set version = input.version, ${changing.map(name => `${name} = ${given(name)}`).join(', ')}
        from ${input} where t.${key} = input.${key} and t.version = input.base returning t.${key}
      ) ${fence(column(key))}`,
    ),
    check: statement(
      `${kind}.check`,
      9,
      { [key]: 'text', base: 'bigint' },
      input => `with rows as materialized (select * from ${input}), held as materialized (
        select t.${key}, t.version from ${table.table} t join rows using (${key}) for share of t
      ) select skein_fence('${kind}', array(
        select ${key} from rows left join held using (${key}) where coalesce(held.version, 0) <> base))`,
    ),
    values(id, base, version, state) {
      const row = table.encode(state);
      const values: Value[] = base === 0 ? [id, version] : [id, version, base];
      for (const name of base === 0 ? all : changing) values.push(row[name]);
      return values;
    },
    decode: table.decode,
  };
}

/** A time of a loaded row as the API writes it: ISO 8601 in UTC with milliseconds. */
export function instant(text: unknown): string {
  return new Date(String(text)).toISOString();
}
