/**
 * Seals everything that is stored again, under the newest key of the ring, beside nodes that read and write it. Each value is replaced by a
 * statement of its own, which has no effect where the value was changed meanwhile: then it is read again. So the work can be ended at any
 * point and begun anew, and a second run finds what the first has left.
 */
import type { Queries } from '../database/index.ts';
import type { KeyRing } from './key-ring.ts';
import { type SealedColumn, sealedColumns } from './sealed-columns.ts';
import { findSeals, readKid, SealBroken, Vault } from './vault.ts';

/** Rows that are read, and worked on, at once. */
const batchSize = 100;
/** A value that changes as often as this while it is being re-sealed stays as it is. */
const maxTries = 5;

/** A sealed value that is stored. */
export interface Seal {
  /** `<table>.<column>` */
  readonly column: string;
  /** The primary key of its row, in hex where it is binary. */
  readonly id: string;
  readonly kid: string;
}

/** A value that stays as it is. */
export interface BrokenSeal extends Seal {
  readonly why: string;
}

export interface Progress {
  readonly column: string;
  readonly done: number;
  readonly total: number;
  /** Values that were replaced, of those done. */
  readonly resealed: number;
}

interface Row {
  readonly id: unknown;
  readonly value: string;
}

/** Every sealed value of the database. */
export async function* readSeals(db: Queries): AsyncGenerator<Seal> {
  for (const column of sealedColumns) {
    for (const ids of toBatches(await findIds(db, column))) {
      for (const row of await readRows(db, column, ids)) {
        for (const jwe of findSeals(row.value)) yield toSeal(column, row, jwe);
      }
    }
  }
}

/**
 * Re-seals what is not sealed with the newest key. Resolves to what could not be: it does not open, and is left. Aborted, it ends after
 * the batch at hand.
 */
export async function reseal(
  db: Queries,
  ring: KeyRing,
  onProgress: (progress: Progress) => void,
  stop: AbortSignal,
): Promise<readonly BrokenSeal[]> {
  const broken: BrokenSeal[] = [];
  const work: Work = { db, vault: new Vault(ring), newest: ring.newest.kid, broken };
  for (const column of sealedColumns) {
    const ids = await findIds(db, column);
    let done = 0;
    let resealed = 0;
    for (const batch of toBatches(ids)) {
      if (stop.aborted) return broken;
      const rows = await readRows(db, column, batch);
      const counts = await Promise.all(rows.map(row => resealRow(work, column, row)));
      done += batch.length;
      resealed += counts.reduce((sum, count) => sum + count, 0);
      onProgress({ column: toName(column), done, total: ids.length, resealed });
    }
  }
  return broken;
}

interface Work {
  readonly db: Queries;
  readonly vault: Vault;
  readonly newest: string;
  readonly broken: BrokenSeal[];
}

/** Resolves to how many values were replaced. */
async function resealRow(work: Work, column: SealedColumn, first: Row): Promise<number> {
  let row: Row | undefined = first;
  for (let tries = 1; row !== undefined && tries <= maxTries; tries++) {
    const { value, count, broken } = await resealValue(work, column, row);
    if (count === 0 || (await replace(work.db, column, row, value))) {
      work.broken.push(...broken);
      return count;
    }
    [row] = await readRows(work.db, column, [row.id]);
  }
  return 0;
}

async function resealValue(
  { vault, newest }: Work,
  column: SealedColumn,
  row: Row,
): Promise<{ readonly value: string; readonly count: number; readonly broken: readonly BrokenSeal[] }> {
  let { value } = row;
  let count = 0;
  const broken: BrokenSeal[] = [];
  for (const jwe of findSeals(row.value)) {
    if (readKid(jwe) === newest) continue;
    try {
      value = value.replace(jwe, await vault.reseal(jwe));
      count++;
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      broken.push({ ...toSeal(column, row, jwe), why: error.why });
    }
  }
  return { value, count, broken };
}

async function findIds(db: Queries, { table, key, where }: SealedColumn): Promise<readonly unknown[]> {
  const rows = await db.query<Pick<Row, 'id'>>(`select ${key} as id from ${table} where ${where} order by 1`);
  return rows.map(({ id }) => id);
}

function readRows(db: Queries, column: SealedColumn, ids: readonly unknown[]): Promise<Row[]> {
  const { table, column: name, key, keyType, where } = column;
  return db.query<Row>(
    `select ${key} as id, ${name}::text as value from ${table} where ${key} = any ($1::${keyType}[]) and ${where}`,
    [ids],
  );
}

/** False, and no effect, where the row holds another value by now. */
async function replace(db: Queries, column: SealedColumn, row: Row, value: string): Promise<boolean> {
  const { table, column: name, type, key, isActor } = column;
  const moveOn = isActor === true ? ', version = version + 1' : '';
  const replaced = await db.query(
    `update ${table} set ${name} = $3::${type}${moveOn} where ${key} = $1 and ${name} = $2::${type} returning 1`,
    [row.id, row.value, value],
  );
  return replaced.length > 0;
}

function toName({ table, column }: SealedColumn): string {
  return `${table}.${column}`;
}

function toSeal(column: SealedColumn, { id }: Row, jwe: string): Seal {
  const name = Buffer.isBuffer(id) ? id.toString('hex') : String(id);
  return { column: toName(column), id: name, kid: readKid(jwe) ?? '' };
}

function* toBatches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += batchSize) yield all.slice(at, at + batchSize);
}
