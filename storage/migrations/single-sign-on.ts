import { Migration } from '@mikro-orm/migrations';

/** Workspaces have an identity provider, by which addresses of their domains sign in. */
export class SingleSignOn extends Migration {
  override up(): void {
    this.addSql(`create table sso_connections (
      workspace_id text collate "C" primary key,
      issuer text not null,
      client_id text not null,
      client_secret text not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`);
    this.addSql(`create table sso_domains (
      workspace_id text collate "C" not null,
      domain text collate "C" not null,
      proof text not null,
      proven_at timestamptz(3),
      required boolean not null default false,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (workspace_id, domain)
    )`);
    this.addSql(`create unique index sso_domains_proven on sso_domains (domain) where proven_at is not null`);
    this.addSql(`create table sso_flows (
      flow_hash bytea primary key,
      workspace_id text collate "C" not null,
      issuer text not null,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null
    )`);
    this.addSql(`create index sso_flows_expires on sso_flows (expires_at)`);
  }
}
