/** Rows of `idempotency_keys` written in the very transaction whose answer they keep (decisions, section 1). */
import { statement, type Write } from '../statement.ts';

/** Kept this long, in milliseconds. */
export const idempotencyKeptMs = 24 * 3_600_000;

// An expired key is removed by the sweeper; until then it conflicts, which the REST engine resolves when it reads the row.
const remember = statement(
  'idempotency.remember',
  50,
  {
    key_hash: 'plain',
    fingerprint: 'plain',
    status: 'int',
    body: 'jsontext',
    event_id: 'plain',
    created_at: 'timestamptz',
  },
  input => `
    with rows as materialized (
      select decode(key_hash, 'base64') as hash, * from ${input}
    ), written as (
      insert into idempotency_keys (key_hash, fingerprint, status, body, event_id, created_at, expires_at)
      select hash, decode(fingerprint, 'base64'), status, body, event_id, created_at, created_at + interval '24 hours' from rows
      order by hash on conflict (key_hash) do nothing returning key_hash
    )
    select skein_fence('idempotency', array(select key_hash from rows where hash not in (select key_hash from written)))`,
);

export interface IdempotencyRow {
  /** Base64 of the 32-byte hash of (project, environment, operation, key). */
  readonly keyHash: string;
  /** Base64 of the 32-byte hash of path and canonical body. */
  readonly fingerprint: string;
  readonly status: number;
  /**
   * What is answered again: a JSON text, or the message that an event of the same commit carries, which is not written twice
   * (700 bytes less in the log and the table for each message).
   */
  readonly answer: { readonly body: string } | { readonly messageOf: string };
  /** ISO 8601. */
  readonly createdAt: string;
}

/** A key that is taken fails the commit with `Duplicate('idempotency', keyHash)`. */
export function rememberKey(row: IdempotencyRow): Write {
  const { answer } = row;
  const body = 'body' in answer ? answer.body : null;
  const eventId = 'messageOf' in answer ? answer.messageOf : null;
  return {
    statement: remember,
    key: row.keyHash,
    unique: true,
    values: [row.keyHash, row.fingerprint, row.status, body, eventId, row.createdAt],
  };
}
