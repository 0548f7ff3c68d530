/** graphile-worker as a sender of webhooks: its tables and its process. */
import { Logger, makeWorkerUtils, type WorkerUtils } from 'graphile-worker';
import type { BenchDatabase } from '../support/bench-database.ts';
import { Child } from '../support/child.ts';
import type { Receiver } from '../support/receiver.ts';
import { count } from '../support/table.ts';
import type { Sender } from './deliveries.ts';
import { requireAll } from './skein.ts';

export interface Jobs {
  readonly url: string;
  readonly utils: WorkerUtils;
}

export async function openJobs(database: BenchDatabase): Promise<Jobs> {
  const url = await database.create('graphile_deliveries');
  const utils = await makeWorkerUtils({ connectionString: url, logger: new Logger(() => () => undefined) });
  await utils.migrate();
  return { url, utils };
}

/** Settings that are compared; lower and higher ones were slower. */
export const settings = [
  { concurrency: 24, localQueue: 500 },
  { concurrency: 24, localQueue: 2_000 },
  { concurrency: 64, localQueue: 1_000 },
] as const;

/** graphile-worker in one setting; all settings share a database. */
export function graphileSender(
  database: BenchDatabase,
  { url, utils }: Jobs,
  to: { readonly receiver: Receiver; readonly url: string },
  bodies: readonly string[],
  { concurrency, localQueue }: (typeof settings)[number],
): Sender {
  let child: Child | undefined;
  return {
    name: `graphile-worker, ${concurrency} jobs at once, local queue of ${count(localQueue)}`,
    pid: () => child?.pid ?? 0,
    async queue() {
      for (let i = 0; i < bodies.length; i += 1_000) {
        const some = bodies.slice(i, i + 1_000);
        await utils.addJobs(
          some.map(body => ({ identifier: 'deliver', payload: JSON.parse(body) as object })),
        );
      }
      await database.query(url, 'vacuum analyze');
    },
    start() {
      const environment = {
        DATABASE_URL: url,
        WEBHOOK_URL: to.url,
        CONCURRENCY: String(concurrency),
        LOCAL_QUEUE: String(localQueue),
      };
      child = new Child(new URL('./graphile-peer.ts', import.meta.url), { environment });
      return Promise.resolve();
    },
    async open() {
      const [row] = await database.query<{ n: number }>(
        url,
        'select count(*)::int as n from graphile_worker.jobs',
      );
      return row?.n ?? 0;
    },
    verify: async () => requireAll(await to.receiver.report()),
    stop: async () => child?.stop(),
  };
}
