/** What PostgreSQL spends on each statement, by its extension pg_stat_statements. */
import { readAccess, toSuperuserUrl } from '../../storage/embedded/cluster.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { count, fixed, table } from '../support/table.ts';

/** Settings of a server that counts. */
export const countStatements = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_utility': 'on',
};

interface Statement {
  readonly text: string;
  readonly calls: number;
  readonly rows: number;
  readonly micros: number;
  readonly walBytes: number;
}

const shown = 10;
const shownCharacters = 80;
const readStatements = `
  select regexp_replace(s.query, '\\s+', ' ', 'g') as text, s.calls::float8, s.rows::float8,
    s.total_exec_time * 1000 as micros, s.wal_bytes::float8 as "walBytes"
  from pg_stat_statements s join pg_database d on d.oid = s.dbid
  where d.datname = $1 and s.query not ilike '%pg_stat_statements%'
  order by s.total_exec_time desc`;

export class StatementCounter {
  readonly #server: BenchDatabase;
  /** As the superuser, who may see and reset all of them. */
  readonly #url: string;
  /** The name of the database whose statements count. */
  readonly #counted: string;

  private constructor(server: BenchDatabase, url: string, counted: string) {
    this.#server = server;
    this.#url = url;
    this.#counted = counted;
  }

  /** @param databaseUrl the database whose statements count */
  static async open(server: BenchDatabase, databaseUrl: string): Promise<StatementCounter> {
    const url = toSuperuserUrl(await readAccess(server.home));
    await server.query(url, 'create extension if not exists pg_stat_statements');
    return new StatementCounter(server, url, new URL(databaseUrl).pathname.slice(1));
  }

  /** Begins anew. */
  async reset(): Promise<void> {
    await this.#server.query(this.#url, 'select pg_stat_statements_reset()');
  }

  /** The dearest statements since then: their time within the server, waits for locks and for the disk included, for each of so many units. */
  async table(units: number, unit: string): Promise<string> {
    const all = await this.#server.query<Statement>(this.#url, readStatements, [this.#counted]);
    const toRow = (label: string, of: readonly Statement[]): string[] => {
      const sum = (field: 'calls' | 'rows' | 'micros' | 'walBytes'): number =>
        of.reduce((total, each) => total + each[field], 0);
      return [
        label,
        count(sum('calls')),
        fixed(sum('rows') / sum('calls')),
        fixed(sum('micros') / units),
        fixed(sum('walBytes') / units, 0),
      ];
    };
    const rows = all
      .slice(0, shown)
      .map(each => toRow(`\`${each.text.slice(0, shownCharacters).trim()}\``, [each]));
    return table(
      ['statement', 'calls', 'rows a call', `µs ${unit}`, `WAL bytes ${unit}`],
      [...rows, toRow('all', all)],
    );
  }
}
