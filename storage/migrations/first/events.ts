/** First migration: the event log, stitches, deliveries and attempts. */
export const events: readonly string[] = [
  `create table project_streams (
    project_id text collate "C" primary key,
    last_seq bigint not null default 0,
    epoch text collate "C" not null
  ) with (fillfactor = 10)`,

  `create table events (
    project_id text collate "C" not null,
    seq bigint not null,
    occurred_at timestamptz(3) not null,
    event_id text collate "C" not null,
    event_name text collate "C" not null,
    environment_id text collate "C" not null,
    thread_id text collate "C",
    channel_id text collate "C",
    sequence bigint,
    body text not null,
    primary key (project_id, seq, occurred_at)
  ) partition by range (occurred_at)`,
  `create index events_event_id on events (event_id)`,
  `create index events_thread on events (thread_id, seq) where thread_id is not null`,
  `create table events_default partition of events default`,

  `create table stitches (
    stitch_id text collate "C" primary key,
    project_id text collate "C" not null,
    environment_id text collate "C" not null,
    name text not null,
    webhook_url text,
    status text not null check (status in ('active', 'disabled', 'error')),
    event_names text[] not null default '{}',
    metadata jsonb not null default '{}',
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    archived_at timestamptz(3),
    secrets jsonb not null default '[]',
    state jsonb not null,
    version bigint not null
  ) with (fillfactor = 80)`,
  `create index stitches_live on stitches (project_id, environment_id) where archived_at is null and status <> 'disabled'`,
  `create index stitches_listed on stitches (project_id, environment_id, created_at, stitch_id)`,

  `create table webhook_deliveries (
    delivery_id text collate "C" not null,
    created_at timestamptz(3) not null,
    project_id text collate "C" not null,
    environment_id text collate "C" not null,
    stitch_id text collate "C" not null,
    event_id text collate "C" not null,
    event_seq bigint not null,
    event_name text collate "C" not null,
    event_at timestamptz(3) not null,
    thread_id text collate "C",
    status text not null check (status in ('pending', 'delivering', 'delivered', 'retrying', 'failed', 'cancelled')),
    attempt_count int not null default 0,
    trigger text not null check (trigger in ('scheduled', 'manual', 'replay', 'test')),
    response_status int,
    last_error text,
    last_attempt_at timestamptz(3),
    next_attempt_at timestamptz(3),
    updated_at timestamptz(3) not null,
    primary key (delivery_id, created_at)
  ) partition by range (created_at)`,
  `create index webhook_deliveries_open on webhook_deliveries (stitch_id, event_seq) where status in ('pending', 'delivering', 'retrying')`,
  `create index webhook_deliveries_retrying on webhook_deliveries (stitch_id, next_attempt_at) where status = 'retrying'`,
  `create index webhook_deliveries_listed on webhook_deliveries (project_id, environment_id, created_at, delivery_id)`,
  `create table webhook_deliveries_default partition of webhook_deliveries default`,

  `create table webhook_attempts (
    delivery_id text collate "C" not null,
    number int not null,
    attempted_at timestamptz(3) not null,
    project_id text collate "C" not null,
    trigger text not null check (trigger in ('scheduled', 'manual', 'replay', 'test')),
    duration_ms int not null,
    response_status int,
    response_body text,
    error_class text collate "C",
    error text,
    next_attempt_at timestamptz(3),
    primary key (delivery_id, number, attempted_at)
  ) partition by range (attempted_at)`,
  `create table webhook_attempts_default partition of webhook_attempts default`,
];
