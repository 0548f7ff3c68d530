/** First migration: what the machine keeps for itself. */
export const machinery: readonly string[] = [
  `create table idempotency_keys (
    key_hash bytea primary key,
    fingerprint bytea not null,
    status int,
    body text,
    event_id text collate "C",
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null
  )`,
  `create index idempotency_keys_expires on idempotency_keys using brin (expires_at)`,

  `create table reminders (
    kind text collate "C" not null,
    actor_id text collate "C" not null,
    key text collate "C" not null,
    shard int not null,
    due_at bigint not null,
    command text collate "C" not null,
    payload json not null,
    attempts int not null default 0,
    last_error text,
    primary key (kind, actor_id, key)
  )`,
  `create index reminders_shard on reminders (shard, due_at)`,
  `create index reminders_due on reminders (due_at)`,

  `create table dead_letters (
    dead_letter_id bigint generated always as identity primary key,
    kind text collate "C" not null,
    actor_id text collate "C" not null,
    name text collate "C" not null,
    payload json not null,
    error text not null,
    attempts int not null,
    created_at timestamptz(3) not null
  )`,
  `create index dead_letters_created on dead_letters (created_at)`,

  `create table lane_marks (
    lane_id text collate "C" primary key,
    epoch bigint not null,
    batch bigint not null,
    updated_at timestamptz(3) not null
  ) with (fillfactor = 10)`,

  `create table installation (
    id int primary key,
    epoch text collate "C" not null,
    shards int not null,
    created_at timestamptz(3) not null
  )`,
];
