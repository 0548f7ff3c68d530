/** First migration: workspaces, projects, environments and their members. */
export const tenancy: readonly string[] = [
  `create table workspaces (
    workspace_id text collate "C" primary key,
    name text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    archived_at timestamptz(3)
  )`,

  `create table workspace_members (
    workspace_id text collate "C" not null,
    user_id text collate "C" not null,
    role text not null check (role in ('owner', 'admin', 'viewer')),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (workspace_id, user_id)
  )`,
  `create index workspace_members_user on workspace_members (user_id, workspace_id)`,

  `create table projects (
    project_id text collate "C" primary key,
    workspace_id text collate "C" not null,
    name text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    archived_at timestamptz(3)
  )`,
  `create index projects_workspace on projects (workspace_id, project_id)`,

  `create table project_members (
    project_id text collate "C" not null,
    user_id text collate "C" not null,
    role text not null check (role in ('developer', 'viewer')),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (project_id, user_id)
  )`,
  `create index project_members_user on project_members (user_id, project_id)`,

  `create table console_members (
    project_id text collate "C" not null,
    user_id text collate "C" not null,
    role text not null check (role in ('project_owner', 'agent', 'viewer')),
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    primary key (project_id, user_id)
  )`,
  `create index console_members_user on console_members (user_id, project_id)`,

  `create table environments (
    environment_id text collate "C" primary key,
    project_id text collate "C" not null,
    kind text not null check (kind in ('sandbox', 'production')),
    name text not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    constraint environments_project_kind unique (project_id, kind)
  )`,

  `create table invitations (
    invitation_id text collate "C" primary key,
    workspace_id text collate "C" not null,
    email text not null,
    email_key text collate "C" not null,
    studio_role text not null check (studio_role in ('owner', 'admin', 'viewer')),
    console_role text not null check (console_role in ('project_owner', 'agent', 'viewer')),
    invited_by_user_id text collate "C" not null,
    token_hash bytea not null,
    created_at timestamptz(3) not null,
    expires_at timestamptz(3) not null,
    accepted_at timestamptz(3),
    accepted_by_user_id text collate "C",
    revoked_at timestamptz(3),
    constraint invitations_token_hash unique (token_hash)
  )`,
  `create index invitations_listed on invitations (workspace_id, created_at, invitation_id)`,
  `create unique index invitations_open on invitations (workspace_id, email_key) where accepted_at is null and revoked_at is null`,
];
