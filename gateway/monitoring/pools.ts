/** How far this node's pools are used: requests to other systems, and connections to the database. */
import { Gauge } from 'prom-client';
import type { Metrics } from '../../runtime/observability/index.ts';
import type { OutboundQueue } from '../../runtime/pool/index.ts';
import type { Database } from '../../storage/database/index.ts';

export interface Pools {
  readonly outbound: Readonly<Record<string, Pick<OutboundQueue, 'stats'>>>;
  readonly database: Pick<Database, 'pools'>;
}

export function showPools({ registry }: Pick<Metrics, 'registry'>, { outbound, database }: Pools): void {
  for (const field of ['inFlight', 'waiting'] as const) {
    const isInFlight = field === 'inFlight';
    new Gauge({
      name: isInFlight ? 'skein_outbound_in_flight' : 'skein_outbound_waiting',
      help: isInFlight
        ? 'Requests to other systems that are in flight'
        : 'Requests to other systems that wait for their turn',
      labelNames: ['queue'],
      registers: [registry],
      collect(): void {
        for (const [queue, { stats }] of Object.entries(outbound)) this.set({ queue }, stats[field]);
      },
    });
  }
  new Gauge({
    name: 'skein_database_connections',
    help: 'Connections to the database by pool, and statements that wait for one',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect(): void {
      for (const [pool, { open, busy, waiting }] of Object.entries(database.pools())) {
        this.set({ pool, state: 'idle' }, open - busy);
        this.set({ pool, state: 'busy' }, busy);
        this.set({ pool, state: 'waiting' }, waiting);
      }
    },
  });
}
