import { Migration } from '@mikro-orm/migrations';

/** An event names the trace that it was made in, so that its webhooks belong to it, on whichever node they are sent. */
export class EventTraces extends Migration {
  override up(): void {
    this.addSql(`alter table events add column traceparent text collate "C"`);
  }
}
