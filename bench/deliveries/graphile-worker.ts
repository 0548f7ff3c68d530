/** graphile-worker as a sender of webhooks: its tables and its process. */
import { Logger, makeWorkerUtils, run, type WorkerUtils } from 'graphile-worker';
import { Pool } from 'undici';
import type { BenchDatabase } from '../support/bench-database.ts';
import { Child, endWithParent } from '../support/child.ts';
import type { Receiver } from '../support/receiver.ts';
import { count } from '../support/table.ts';
import { requireAll, type Sender } from './sender.ts';

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
      child = new Child(new URL(import.meta.url), { arguments: ['graphile-worker'], environment });
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

/**
 * The sender in its own process: jobs that post their payload with undici. No signature, no record of the attempt, no order within a thread. Its local queue
 * is on and completions are written in batches, which is its fastest mode (https://worker.graphile.org/docs/performance).
 */
async function deliver(): Promise<void> {
  const url = new URL(process.env['WEBHOOK_URL'] ?? '');
  const concurrentJobs = Number(process.env['CONCURRENCY']);
  const receiver = new Pool(url.origin, { connections: concurrentJobs });
  const headers = { 'content-type': 'application/json' };

  const runner = await run({
    preset: {
      worker: {
        connectionString: process.env['DATABASE_URL'] ?? '',
        concurrentJobs,
        localQueue: { size: Number(process.env['LOCAL_QUEUE']) },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
        logger: new Logger(() => () => undefined),
      },
    },
    taskList: {
      async deliver(payload) {
        const { statusCode, body } = await receiver.request({
          method: 'POST',
          path: url.pathname,
          headers,
          body: JSON.stringify(payload),
        });
        await body.dump();
        if (statusCode !== 200) throw new Error(`HTTP ${statusCode}`);
      },
    },
  });

  endWithParent(() => runner.stop().then(() => receiver.close()));
}

if (process.argv[2] === 'graphile-worker') await deliver();
