/** Rows of `idempotency_keys` written in the very transaction whose answer they keep (decisions, section 1). */
import { statement, type Statement, type Write } from '../statement.ts';

/** Kept this long, in milliseconds. */
export const idempotencyKeptMs = 24 * 3_600_000;

const columns = {
  key_hash: 'text',
  fingerprint: 'text',
  status: 'int',
  body: 'text',
  event_id: 'text',
  created_at: 'timestamptz',
} as const;

// Sorted, so that two transactions that bring the same keys never wait for each other in a circle. An expired key is removed by the
// sweeper; until then it conflicts, which the REST engine resolves when it reads the row.
const insert = (input: string): string => `
  insert into idempotency_keys (key_hash, fingerprint, status, body, event_id, created_at, expires_at)
  select decode(key_hash, 'base64') as hash, decode(fingerprint, 'base64'), status, body, event_id, created_at,
    created_at + interval '24 hours'
  from ${input} order by hash`;

// Keys are nearly always new: only who repeats a request brings one that is taken. `on conflict` looks for each of them first, and
// logs each row twice: 2.5 microseconds of 9.
const remember: Statement = {
  ...statement('idempotency.remember', 50, columns, insert),
  wary: statement(
    'idempotency.remember_warily',
    50,
    columns,
    (input, column) => `
      with written as (${insert(input)} on conflict (key_hash) do nothing returning key_hash)
      select skein_fence('idempotency', array(
        select unnest(${column('key_hash')}) except select encode(key_hash, 'base64') from written))`,
  ),
};

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
