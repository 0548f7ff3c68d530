/**
 * Every column that holds something sealed or hashed with a key. Tests hold both lists against what a database contains after every operation
 * of the API (test/contract/success.test.ts) and against the entities (test/storage/secrets/sealed-columns.test.ts).
 */

/** A column whose values are sealed texts, or hold some. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  readonly type: 'text' | 'jsonb';
  /** The primary key, and its type. */
  readonly key: string;
  readonly keyType: 'text' | 'bytea' | 'int';
  /** The rows that hold anything sealed. */
  readonly where: string;
  /** The row is an actor's: its version has to move on, so that an activation that knows the old value loses (rule 2). */
  readonly isActor?: true;
}

function text(table: string, key: string, column: string): SealedColumn {
  return { table, column, type: 'text', key, keyType: 'text', where: `${column} is not null` };
}

export const sealedColumns: readonly SealedColumn[] = [
  // First, since a ring without its key is of no use to any node.
  { ...text('hash_root', 'id', 'sealed'), keyType: 'int' },
  {
    ...text('stitches', 'stitch_id', 'secrets'),
    type: 'jsonb',
    where: `secrets <> '[]'`,
    isActor: true,
  },
  text('tools', 'tool_id', 'signing_secret'),
  { ...text('tools', 'tool_id', 'former_secrets'), type: 'jsonb', where: `former_secrets <> '[]'` },
  text('tools', 'tool_id', 'sealed_headers'),
  text('byok_credentials', 'byok_credential_id', 'secret'),
  text('byok_credentials', 'byok_credential_id', 'previous_secret'),
  text('partner_apps', 'partner_app_credential_id', 'app_secret'),
  text('partner_apps', 'partner_app_credential_id', 'previous_app_secret'),
  { ...text('channels', 'channel_id', 'chatapp'), type: 'jsonb', isActor: true },
  text('second_factors', 'user_id', 'secret'),
  text('sso_connections', 'workspace_id', 'client_secret'),
  text('mails', 'mail_id', 'secret'),
  {
    ...text('idempotency_keys', 'key_hash', 'body'),
    keyType: 'bytea',
    // What is kept sealed is a JSON text, or begins with the secret of a stitch. It names no thread, so that the index of those that do finds
    // the few there are.
    where: `body is not null and skein_thread_of(body) is null and (body like '"%' or body like '{"jwe":%')`,
  },
];

/**
 * Columns that hold a hash with a key of the root (hash-root.ts), and how long it lives. What was hashed is kept nowhere, so that none of
 * them can be made again with another key: the root is re-sealed instead.
 */
export const hashedColumns: Readonly<Record<string, string>> = {
  'api_keys.key_hash': 'as long as the API key',
  'idempotency_keys.key_hash': '24 hours',
  'idempotency_keys.fingerprint': '24 hours',
  'erased_messages.id_hash': '30 days',
  'sessions.token_hash': 'as long as the session, 30 days at most',
  'sessions.previous_token_hash': 'as long as the session, 30 days at most',
  'email_tokens.token_hash': '24 hours at most',
  'recovery_codes.code_hash': 'until the second factor is removed, or other codes take their place',
  'login_challenges.challenge_hash': '5 minutes',
  'passkey_challenges.challenge_hash': '5 minutes',
  'sso_flows.flow_hash': '10 minutes',
  'stream_tickets.ticket_hash': '30 seconds',
  'invitations.token_hash': 'until the invitation ends, 7 days at most',
  'partner_apps.verify_token_hash': 'as long as the partner app',
  'partner_apps.key_fingerprint': 'as long as the partner app; only shown',
  'byok_credentials.key_fingerprint': 'as long as the credential; only shown',
};
