/** Rows of `idempotency_keys` written in the very transaction whose answer they keep (decisions, section 1). */
import type { Statement, Write } from '../statement.ts';

/** Kept this long, in milliseconds. */
export const idempotencyKeptMs = 24 * 3_600_000;

// An expired key is removed by the sweeper; until then it conflicts, which the REST engine resolves when it reads the row.
const remember: Statement = {
  name: 'idempotency.remember',
  order: 50,
  text: `
    with input as (
      select * from json_to_recordset($1::json) as r("keyHash" text, fingerprint text, status int, body json, "createdAt" timestamptz)
    ), written as (
      insert into idempotency_keys (key_hash, fingerprint, status, body, created_at, expires_at)
      select decode("keyHash", 'base64'), decode(fingerprint, 'base64'), status, body, "createdAt", "createdAt" + interval '24 hours'
      from input
      on conflict (key_hash) do nothing returning key_hash
    )
    select skein_fence('idempotency', array(select "keyHash" from input where decode("keyHash", 'base64') not in (select key_hash from written)))`,
};

export interface IdempotencyRow {
  /** Base64 of the 32-byte hash of (project, environment, operation, key). */
  readonly keyHash: string;
  /** Base64 of the 32-byte hash of path and canonical body. */
  readonly fingerprint: string;
  readonly status: number;
  /** The answer's JSON text, as it stands. */
  readonly body: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** A key that is taken fails the commit with `Duplicate('idempotency', keyHash)`. */
export function rememberKey(row: IdempotencyRow): Write {
  return {
    statement: remember,
    key: row.keyHash,
    unique: true,
    row:
      `{"keyHash":"${row.keyHash}","fingerprint":"${row.fingerprint}","status":${row.status},` +
      `"createdAt":"${row.createdAt}","body":${row.body}}`,
  };
}
