/**
 * graphile-worker as a sender of webhooks: jobs that post their payload with undici. No signature, no record of the attempt, no
 * order within a thread. Its local queue is on and completions are written in batches, which is its fastest mode.
 * See https://worker.graphile.org/docs/performance.
 */
import { Logger, run } from 'graphile-worker';
import { Pool } from 'undici';
import { endWithParent } from '../support/child.ts';

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
