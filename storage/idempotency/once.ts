/**
 * Work of a request that is no command of one actor. Its key is a row of the transaction that does the work: while the transaction lives,
 * the key is in progress; when it has committed, the work is done and a repetition is told what it resolved to; when it was rolled back,
 * by whatever cause, there was neither. So nothing has to be released, and no claim outlives its owner.
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { type Database, executeBound } from '../database/index.ts';
import { doneStatus, idempotencyKept, type RequestKey } from '../writes/index.ts';

/** The key of a request whose work is a transaction. */
export interface WorkKey extends RequestKey {
  /** Seals what is kept, where it contains a secret. */
  readonly seal?: ((text: string) => Promise<string>) | undefined;
}

/** A request that may be repeated; without a key it is new each time. */
export interface Keyed {
  readonly key?: WorkKey | undefined;
}

/** The key was used before, or its work is in progress. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken';
  constructor() {
    super('the idempotency key is taken');
  }
}

// The lock is the transaction's, and ends with it. Nobody waits: a repetition during the work finds the lock taken, and one after it the
// row. `on conflict` looks at rows that were committed after the statement began.
const claim = `
  insert into idempotency_keys as held (key_hash, fingerprint, created_at, expires_at)
  select decode($1, 'base64'), decode($2, 'base64'), now(), now() + ${idempotencyKept}
  where pg_try_advisory_xact_lock(hashtextextended($1, 0))
  on conflict (key_hash) do update
    set fingerprint = excluded.fingerprint, status = null, body = null, event_id = null, created_at = excluded.created_at,
      expires_at = excluded.expires_at
    where held.expires_at <= now()
  returning 1`;

const keep = `update idempotency_keys set status = ${doneStatus}, body = $2 where key_hash = decode($1, 'base64')`;

const selectTaken = `select 1 from idempotency_keys where key_hash = decode($1, 'base64') and expires_at > now()`;

/**
 * Runs `work` in a transaction, and keeps what it resolves to (JSON) under the key. Rejects with {@link KeyTaken} before `work` where the
 * key is taken.
 */
export function transactOnce<T>(
  db: Pick<Database, 'em'>,
  key: WorkKey | undefined,
  work: (em: EntityManager) => T | Promise<T>,
): Promise<T> {
  return db.em().transactional(async em => {
    if (key === undefined) return work(em);
    const claimed = await executeBound(em, claim, [key.keyHash, key.fingerprint]);
    if (claimed.length === 0) throw new KeyTaken();
    const result = await work(em);
    const text = result === undefined ? null : JSON.stringify(result);
    const body = text === null || key.seal === undefined ? text : JSON.stringify(await key.seal(text));
    await executeBound(em, keep, [key.keyHash, body]);
    return result;
  });
}

/** Rejects with {@link KeyTaken} where the key is taken: for work that has effects before the commit that carries its key. */
export async function requireFree(db: Pick<Database, 'query'>, key: RequestKey | undefined): Promise<void> {
  if (key === undefined) return;
  if ((await db.query(selectTaken, [key.keyHash], 'idempotency.taken')).length > 0) throw new KeyTaken();
}

/**
 * The same for work that the database does not see: it cannot be one commit with its key. The key is looked for before, and kept after.
 * In between, and where the node is lost there, a repetition does the work once more: it must do no harm, or have an id that its receiver
 * knows again.
 */
export async function performOnce<T>(
  db: Pick<Database, 'em' | 'query'>,
  key: WorkKey | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (key === undefined) return work();
  await requireFree(db, key);
  const result = await work();
  return transactOnce(db, key, () => result);
}
