import { Migration } from '@mikro-orm/migrations';

/** Users have a second factor, and workspaces may demand one of their members. */
export class SecondFactors extends Migration {
  override up(): void {
    this.addSql(`create table second_factors (
      user_id text collate "C" primary key,
      secret text not null,
      confirmed_at timestamptz(3),
      last_step bigint not null,
      failures integer not null default 0,
      failing_since timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null
    )`);
    this.addSql(`create table recovery_codes (
      code_hash bytea primary key,
      user_id text collate "C" not null,
      created_at timestamptz(3) not null,
      used_at timestamptz(3)
    )`);
    this.addSql(`create index recovery_codes_user on recovery_codes (user_id)`);
    this.addSql(`create table login_challenges (
      challenge_hash bytea primary key,
      user_id text collate "C" not null,
      attempts integer not null default 0,
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null
    )`);
    this.addSql(`create index login_challenges_user on login_challenges (user_id)`);
    this.addSql(`create index login_challenges_expires on login_challenges (expires_at)`);
    this.addSql(`alter table workspaces add column requires_second_factor boolean not null default false`);
  }
}
