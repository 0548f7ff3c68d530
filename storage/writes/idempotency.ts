/** Rows of `idempotency_keys`, written in the transaction whose answer they keep (docs/contract-decisions.md, "General rules"). */
import { statement, type Statement, type Write } from '../statements/index.ts';

/** Milliseconds that an answer is kept. */
export const idempotencyKeptMs = 24 * 3_600_000;

const columns = {
  key_hash: 'text',
  fingerprint: 'text',
  status: 'int',
  body: 'text',
  event_id: 'text',
  created_at: 'timestamptz',
} as const;

// Sorted, so that two transactions with the same keys do not deadlock. The retention sweep removes expired keys; until then they conflict,
// which the request pipeline resolves when it reads the row.
const insert = (input: string): string => `
  insert into idempotency_keys (key_hash, fingerprint, status, body, event_id, created_at, expires_at)
  select decode(key_hash, 'base64') as hash, decode(fingerprint, 'base64'), status, body, event_id, created_at,
    created_at + interval '24 hours'
  from ${input} order by hash`;

// Keys are nearly always new: only a repeated request brings a taken one. `on conflict` looks for each key first and logs each row twice,
// which takes 2.5 of 9 microseconds.
const remember: Statement = {
  ...statement('idempotency.remember', 50, columns, insert),
  conflictAware: statement(
    'idempotency.remember_conflict_aware',
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
   * The kept answer: a JSON text, or the message that an event of the same commit carries, which is not written twice (700 bytes less
   * in the log and the table for each message).
   */
  readonly answer: { readonly body: string } | { readonly messageOf: string };
  /** ISO 8601. */
  readonly createdAt: string;
}

/** A taken key makes the commit fail with `Duplicate('idempotency', keyHash)`. */
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
