import { Migration } from '@mikro-orm/migrations';

/** Users have passkeys. A user with passkeys alone has a row of second_factors without a secret, which counts wrong recovery codes. */
export class Passkeys extends Migration {
  override up(): void {
    this.addSql(`alter table second_factors alter column secret drop not null`);
    this.addSql(`create table passkeys (
      passkey_id text collate "C" primary key,
      user_id text collate "C" not null,
      credential_id bytea not null constraint passkeys_credential unique,
      public_key bytea not null,
      counter bigint not null,
      transports text[] not null default '{}',
      name text not null,
      backed_up boolean not null,
      created_at timestamptz(3) not null,
      last_used_at timestamptz(3)
    )`);
    this.addSql(`create index passkeys_user on passkeys (user_id, passkey_id)`);
    this.addSql(`create table passkey_challenges (
      challenge_hash bytea primary key,
      ceremony text check (ceremony in ('register', 'login', 'second_factor')) not null,
      user_id text collate "C",
      created_at timestamptz(3) not null,
      expires_at timestamptz(3) not null
    )`);
    this.addSql(`create index passkey_challenges_user on passkey_challenges (user_id)`);
    this.addSql(`create index passkey_challenges_expires on passkey_challenges (expires_at)`);
  }
}
