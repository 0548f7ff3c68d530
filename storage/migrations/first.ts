import { Migration } from '@mikro-orm/migrations';
import { accounts } from './first/accounts.ts';
import { agents } from './first/agents.ts';
import { channels } from './first/channels.ts';
import { credentials } from './first/credentials.ts';
import { events } from './first/events.ts';
import { functions } from './first/functions.ts';
import { machinery } from './first/machinery.ts';
import { tenancy } from './first/tenancy.ts';
import { threads } from './first/threads.ts';

/**
 * Every table of the first release, for PostgreSQL 15 to 18. There are no foreign keys: nothing that has children is
 * ever deleted (it is archived), events and deliveries are dropped by whole partitions, and a project can be moved to another
 * cluster without its neighbours.
 */
export class First extends Migration {
  override up(): void {
    const areas = [accounts, tenancy, credentials, threads, channels, events, agents, machinery, functions];
    for (const statements of areas) for (const statement of statements) this.addSql(statement);
  }
}
