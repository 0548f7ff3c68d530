/** First migration: channels, their commands and early receipts. */
export const channels: readonly string[] = [
  `create table channels (
    channel_id text collate "C" primary key,
    project_id text collate "C" not null,
    environment_id text collate "C" not null,
    name text not null,
    kind text not null check (kind in ('sandbox', 'custom', 'chatapp')),
    status text not null check (status in ('disconnected', 'connecting', 'connected', 'error')),
    default_agent_id text collate "C",
    partner_app_credential_id text collate "C",
    metadata jsonb not null default '{}',
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    state jsonb not null,
    version bigint not null
  ) with (fillfactor = 80)`,
  `create index channels_listed on channels (project_id, environment_id, created_at, channel_id)`,
  `create index channels_partner_app on channels (partner_app_credential_id) where partner_app_credential_id is not null`,

  `create table channel_commands (
    event_id text collate "C" primary key,
    project_id text collate "C" not null,
    environment_id text collate "C" not null,
    channel_id text collate "C" not null,
    event_name text collate "C" not null,
    occurred_at timestamptz(3) not null,
    message_id text collate "C",
    data json not null,
    acknowledged_at timestamptz(3)
  )`,
  `create index channel_commands_open on channel_commands (channel_id, event_id) where acknowledged_at is null`,
  `create index channel_commands_occurred on channel_commands (occurred_at)`,

  `create table parked_receipts (
    channel_id text collate "C" not null,
    external_message_id text collate "C" not null,
    status text collate "C" not null,
    occurred_at timestamptz(3) not null,
    payload jsonb not null,
    expires_at timestamptz(3) not null,
    primary key (channel_id, external_message_id, status)
  )`,
  `create index parked_receipts_expires on parked_receipts (expires_at)`,
];
