/**
 * Bounded walks: pages of lists with filters that no index has. The list's own index is walked in its order until the page is full, or
 * until so many rows have been looked at; the next page goes on from there. So a page costs no more than that walk, whatever is asked
 * for; it may be short, or empty, though there is more; and nothing is missed, since it is one statement that says both what it
 * has found and how far it has come.
 */

/** Rows that a page looks at: some milliseconds, where they lie anywhere in a table. */
export const longestWalk = 2_000;

/** What each row of a walk says beside its columns. */
export interface Step {
  /** The number of rows up to here, this one included. */
  readonly walked: number;
  /** Whether it is what was asked for: the last row of the longest walk comes in any case, for its place. */
  readonly wanted: boolean;
}

export interface Walk {
  readonly table: string;
  /** The table's name in all the texts below. */
  readonly as: string;
  /** What is shown of a row. */
  readonly columns: string;
  /** Columns by which the walk goes. An index begins with what `within` fixes and goes on with them. */
  readonly by: readonly string[];
  /** Default: down from the highest. */
  readonly order?: 'asc' | 'desc';
  /** The primary key. */
  readonly key: readonly string[];
  /**
   * What the index finds: rows without it are not walked over. Whose they are belongs here, not to `wanted` alone: a walk may end
   * at any row that it walks over, and its cursor tells which.
   */
  readonly within: readonly string[];
  /** What is asked of each row on the way; without any the index gives the page as it is. */
  readonly wanted: readonly string[];
  /** Rows of a page. */
  readonly limit: number;
}

/** The statement. It gives one row more than the page has, if there is one, or the walk's last. */
export function walkStatement(walk: Walk): string {
  const { table, as, columns, by, order = 'desc', key, within, wanted, limit } = walk;
  const along = (name: string): string => by.map(column => `${name}.${column} ${order}`).join(', ');
  const carried = [...new Set([...key, ...by])].map(column => `${as}.${column}`);
  const from = `from ${table} ${as} where ${within.join(' and ')} order by ${along(as)}`;
  if (wanted.length === 0) return `select ${columns}, 0 as walked, true as wanted ${from} limit ${limit + 1}`;
  return `
    select ${columns}, step.walked, step.wanted
    from (
      select ${carried.join(', ')}, coalesce(${wanted.join(' and ')}, false) as wanted,
        row_number() over (order by ${along(as)}) as walked
      ${from} limit ${longestWalk}
    ) step
    join ${table} ${as} on ${key.map(column => `${as}.${column} = step.${column}`).join(' and ')}
    where step.wanted or step.walked = ${longestWalk}
    order by ${along('step')} limit ${limit + 1}`;
}

/** Rows of a page, and the row that the next page begins after; without `end` there is no next page. */
export interface Stretch<T> {
  readonly rows: T[];
  readonly end: T | undefined;
}

/** The page that the rows of a walk make. */
export function stretchOf<T extends Step>(steps: readonly T[], limit: number): Stretch<T> {
  const found = steps.filter(({ wanted }) => wanted);
  const rows = found.slice(0, limit);
  const last = steps.at(-1);
  if (found.length > limit) return { rows, end: rows.at(-1) };
  return { rows, end: last?.walked === longestWalk ? last : undefined };
}
