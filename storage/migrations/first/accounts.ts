/** First migration: accounts, sessions, e-mailed tokens and stream tickets. */
export const accounts: readonly string[] = [
  `create table users (
    user_id text collate "C" primary key,
    email text not null,
    email_key text collate "C" not null,
    password_hash text,
    email_verified_at timestamptz(3),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    constraint users_email_key unique (email_key)
  )`,

  `create table sessions (
    session_id text collate "C" primary key,
    user_id text collate "C" not null,
    family_id text collate "C" not null,
    token_hash bytea not null,
    previous_token_hash bytea,
    rotated_at timestamptz(3),
    idle_expires_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    revoked_at timestamptz(3),
    address text,
    user_agent text,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    constraint sessions_token_hash unique (token_hash)
  )`,
  `create index sessions_previous_token_hash on sessions (previous_token_hash) where previous_token_hash is not null`,
  `create index sessions_family on sessions (family_id)`,
  `create index sessions_user on sessions (user_id, expires_at)`,
  `create index sessions_expires on sessions (expires_at)`,

  `create table email_tokens (
    token_hash bytea primary key,
    purpose text not null check (purpose in ('verify', 'reset')),
    user_id text collate "C" not null,
    email text not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    used_at timestamptz(3)
  )`,
  `create index email_tokens_user on email_tokens (user_id, purpose)`,
  `create index email_tokens_expires on email_tokens (expires_at)`,

  `create table stream_tickets (
    ticket_hash bytea primary key,
    project_id text collate "C" not null,
    user_id text collate "C",
    session_id text collate "C",
    api_key_id text collate "C",
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    used_at timestamptz(3)
  )`,
  `create index stream_tickets_expires on stream_tickets (expires_at)`,
];
