import { Migration } from '@mikro-orm/migrations';

/** Limits the stitches of an environment at one public host. Nodes of earlier releases leave the column null. */
export class StitchHosts extends Migration {
  override up(): void {
    this.addSql('alter table stitches add column webhook_host text');
    // As skein_limit (limits.ts), for an owner of two parts. An environment has few stitches: stitches_environment finds them.
    this.addSql(`create function skein_limit_hosts(most bigint, environment text, host text) returns void language plpgsql volatile as $$
      begin
        perform pg_advisory_xact_lock(hashtextextended('limit/stitchesPerHost/' || environment || '/' || host, 0));
        if (select count(*) from stitches
            where environment_id = environment and webhook_host = host and archived_at is null) > most then
          perform skein_fence('limit', array['stitchesPerHost/' || most || '/' || environment || '/' || host]);
        end if;
      end
      $$`);
  }
}
