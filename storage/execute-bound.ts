/** Statements with `$n` parameters inside the ORM's transactions. */
import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';

/**
 * Runs one in the manager's transaction: the ORM's own `execute` writes parameters into the text, and has no binary ones. Gives the
 * rows; rejects with the driver's own error.
 */
export async function executeBound<Row>(
  em: EntityManager,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await em.getKysely().executeQuery(CompiledQuery.raw(text, [...values]));
  return rows as Row[];
}
