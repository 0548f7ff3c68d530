/** How far this node's pools are used: requests to other systems, connections to the database, and the turns of tasks. */
import { Gauge } from 'prom-client';
import type { FairSemaphore } from '../../runtime/admission/index.ts';
import type { Metrics } from '../../runtime/observability/index.ts';
import type { OutboundQueue } from '../../runtime/pool/index.ts';
import type { Database } from '../../storage/database/index.ts';

export interface Pools {
  readonly outbound: Readonly<Record<string, Pick<OutboundQueue, 'stats'>>>;
  readonly database: Pick<Database, 'pools'>;
  /** What gives the work of tasks its turns. */
  readonly turns: Readonly<Record<string, Pick<FairSemaphore, 'waiting'>>>;
}

export function showPools(
  { registry }: Pick<Metrics, 'registry'>,
  { outbound, database, turns }: Pools,
): void {
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
  new Gauge({
    name: 'skein_turns_waiting',
    help: 'Work of tasks that have begun which waits for its turn',
    labelNames: ['queue'],
    registers: [registry],
    collect(): void {
      for (const [queue, { waiting }] of Object.entries(turns)) this.set({ queue }, waiting);
    },
  });
}
