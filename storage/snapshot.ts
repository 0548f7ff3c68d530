/**
 * How a kind's snapshot is a row of a table (design section 4): its public columns, a private `state`, and the `version` that
 * makes one writer per actor true. From a list of columns come the three statements: load, insert, update.
 */
import type { Statement } from './statement.ts';

export interface SnapshotTable<State = never> {
  readonly kind: string;
  /** `$1`: an array of ids. Gives the columns, `version` among them. */
  readonly load: string;
  readonly key: string;
  readonly insert: Statement;
  readonly update: Statement;
  readonly encode: (state: State) => Readonly<Record<string, unknown>>;
  readonly decode: (row: Readonly<Record<string, unknown>>) => State;
}

export interface SnapshotColumns<State> {
  readonly kind: string;
  readonly table: string;
  /** The column of the actor's id. */
  readonly key: string;
  /** Every other column but `version`, with its PostgreSQL type. */
  readonly columns: Readonly<Record<string, string>>;
  /** The columns' values as JSON; times are ISO 8601. */
  readonly encode: (state: State) => Readonly<Record<string, unknown>>;
  /** A row as `row_to_json` gives it: times are ISO 8601 texts, jsonb is parsed. */
  readonly decode: (row: Readonly<Record<string, unknown>>) => State;
}

/**
 * Declares a snapshot table.
 *
 * Insert and update each say how many of their rows found what they were decided from; whoever did not is named by
 * `skein_fence`, and nothing of the batch is applied.
 */
export function snapshotTable<State>(table: SnapshotColumns<State>): SnapshotTable<State> {
  const { kind, key, columns } = table;
  const names = Object.keys(columns);
  const types = names.map(name => `${name} ${columns[name] ?? 'text'}`).join(', ');
  const input = `select * from json_to_recordset($1::json) as r(${key} text, base bigint, version bigint, ${types})`;
  const fence = `select skein_fence('${kind}', array(select ${key} from input except select ${key} from written))`;
  return {
    kind,
    key,
    load: `select row_to_json(t) as row, version from ${table.table} t where ${key} = any ($1::text[])`,
    insert: {
      name: `${kind}.insert`,
      order: 10,
      text: `with input as materialized (${input}), written as (
        insert into ${table.table} (${key}, version, ${names.join(', ')})
        select ${key}, version, ${names.join(', ')} from input on conflict (${key}) do nothing returning ${key}
      ) ${fence}`,
    },
    update: {
      name: `${kind}.update`,
      order: 11,
      text: `with input as materialized (${input}), written as (
        update ${table.table} t set version = i.version, ${names.map(name => `${name} = i.${name}`).join(', ')}
        from input i where t.${key} = i.${key} and t.version = i.base returning t.${key}
      ) ${fence}`,
    },
    encode: table.encode,
    decode: table.decode,
  };
}
