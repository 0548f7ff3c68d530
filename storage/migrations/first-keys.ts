import { Migration } from '@mikro-orm/migrations';

/** The key that a key goes back to by rotations: what was done with one of them was done with all. Null: it has replaced none. */
export class FirstKeys extends Migration {
  override up(): void {
    this.addSql(`alter table api_keys add column first_key_id text collate "C"`);
    this.addSql(`with recursive chain as (
        select api_key_id as first_key_id, api_key_id from api_keys where previous_key_id is null
        union all
        select c.first_key_id, k.api_key_id from chain c join api_keys k on k.previous_key_id = c.api_key_id
      )
      update api_keys k set first_key_id = c.first_key_id from chain c
      where k.api_key_id = c.api_key_id and k.previous_key_id is not null`);
  }
}
