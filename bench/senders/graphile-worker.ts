/** graphile-worker as a sender of webhooks: its tables and its process. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Logger, makeWorkerUtils, type WorkerUtils } from 'graphile-worker';
import type { BenchDatabase } from '../support/bench-database.ts';
import type { Receiver } from '../support/start-receiver.ts';
import { count } from '../support/table.ts';
import { requireAll, type Sender } from './sender.ts';

/** Its database, and what fills it. */
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

export interface Setting {
  readonly concurrency: number;
  readonly localQueue: number;
}

/** Tried side by side; what is below or above them was slower. */
export const settings: readonly Setting[] = [
  { concurrency: 24, localQueue: 500 },
  { concurrency: 24, localQueue: 2_000 },
  { concurrency: 64, localQueue: 1_000 },
];

/** graphile-worker in one setting; all settings share a database. */
export function graphileSender(
  database: BenchDatabase,
  { url, utils }: Jobs,
  receiver: Receiver,
  bodies: readonly string[],
  { concurrency, localQueue }: Setting,
): Sender {
  let child: ReturnType<typeof fork> | undefined;
  return {
    name: `graphile-worker, ${concurrency} jobs at once, local queue of ${count(localQueue)}`,
    isOurs: false,
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
      child = fork(new URL('../peers/graphile-worker.ts', import.meta.url), {
        env: {
          ...process.env,
          DATABASE_URL: url,
          WEBHOOK_URL: receiver.url,
          CONCURRENCY: String(concurrency),
          LOCAL_QUEUE: String(localQueue),
        },
        execPath: process.execPath,
      });
      return Promise.resolve();
    },
    async open() {
      const [row] = await database.query<{ n: number }>(
        url,
        'select count(*)::int as n from graphile_worker.jobs',
      );
      return row?.n ?? 0;
    },
    async verify() {
      requireAll(await receiver.report([], 1));
    },
    async stop() {
      if (child === undefined || child.exitCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
