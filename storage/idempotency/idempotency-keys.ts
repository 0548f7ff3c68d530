/**
 * Idempotency keys (docs/contract-decisions.md, "Idempotency-Key"), as the request pipeline reads them. The row of a key is
 *
 * - absent: no commit has carried it; an expired row counts as absent;
 * - done: written in the very commit that did the work, by an actor (storage/writes/events-and-answers.ts) or a transaction (once.ts),
 *   with what that commit replied;
 * - refused: the work was refused, which changed nothing, and the refusal is given again.
 *
 * It holds for 24 hours of the database's clock.
 */
import type { Queries } from '../database/index.ts';
import { idempotencyKept, type RequestKey } from '../writes/index.ts';

/** The row of a key that is not absent. */
export interface KeptRow {
  /** Of the first request with the key. */
  readonly fingerprint: Buffer;
  /** 400 or more: of the refusal. Else the work is done. */
  readonly status: number;
  /** A JSON text: what the commit replied, or the refusal. Null: it replied nothing. */
  readonly body: string | null;
}

const selectKept = `
  select k.fingerprint, k.status, coalesce(k.body, (e.body::json #> '{data,message}')::text) as body
  from idempotency_keys k left join events e on e.event_id = k.event_id and array[e.project_id, e.environment_id] = $2::text[]
  where k.key_hash = decode($1, 'base64') and k.status is not null and k.expires_at > now()`;

// Returns no row when a commit or another refusal has the key.
const keepRefusal = `
  insert into idempotency_keys as held (key_hash, fingerprint, status, body, created_at, expires_at)
  values (decode($1, 'base64'), decode($2, 'base64'), $3, $4, now(), now() + ${idempotencyKept})
  on conflict (key_hash) do update
    set fingerprint = excluded.fingerprint, status = excluded.status, body = excluded.body, event_id = null,
      created_at = excluded.created_at, expires_at = excluded.expires_at
    where held.expires_at <= now()
  returning 1`;

const dropExpired = `delete from idempotency_keys where key_hash = decode($1, 'base64') and expires_at <= now()`;

/** The table `idempotency_keys` by its keys; each method is one statement, and rejects when the database does. */
export class IdempotencyKeys {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  /**
   * The row of a key, unless it is absent or expired.
   *
   * @param place project and environment, of which a reply is that an event has; empty: there are none. A database may log it
   */
  async find({ keyHash }: RequestKey, place: readonly string[]): Promise<KeptRow | undefined> {
    const [row] = await this.#db.query<KeptRow>(selectKept, [keyHash, place], 'idempotency.find');
    return row;
  }

  /** Keeps a refusal. False, and no effect, when the key is taken. */
  async keepRefusal({ keyHash, fingerprint }: RequestKey, status: number, body: string): Promise<boolean> {
    const kept = await this.#db.query(
      keepRefusal,
      [keyHash, fingerprint, status, body],
      'idempotency.refusal',
    );
    return kept.length > 0;
  }

  /** Removes the row of a key if it is expired, before the retention sweep does: it would still make an actor's commit fail. */
  async dropExpired({ keyHash }: RequestKey): Promise<void> {
    await this.#db.query(dropExpired, [keyHash], 'idempotency.drop');
  }
}
