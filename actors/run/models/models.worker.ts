/** The worker thread that asks models: it gets questions, and posts their text piece by piece and their outcome. */
import { parentPort, workerData } from 'node:worker_threads';
import { silentLog } from '../../../runtime/observability/log.ts';
import { systemClock, systemRandom, TurnBatch } from '../../../runtime/time/index.ts';
import type { FromModelWorker, ModelWorkerData, ToModelWorker } from './model-worker.ts';
import { createModels } from './models.ts';

const port = parentPort;
if (port === null) throw new Error('models.worker.ts runs in a worker thread');

/** Everything of one turn of the event loop goes in one message. */
const outbox = new TurnBatch<FromModelWorker>(messages => port.postMessage(messages));

const models = createModels({
  urls: (workerData as ModelWorkerData).urls,
  clock: systemClock,
  random: systemRandom,
  log: { ...silentLog, error: (fields, message) => outbox.add({ is: 'defect', fields, message }) },
  used(credential) {
    outbox.add({ is: 'used', credential });
    return Promise.resolve();
  },
  attempted: (provider, outcome) => outbox.add({ is: 'attempted', provider, outcome }),
});

const controllers = new Map<number, AbortController>();

port.on('message', (message: ToModelWorker) => {
  if (message.do === 'cancel') {
    controllers.get(message.id)?.abort();
    return;
  }
  const { id, plan, request, leftMs } = message;
  const controller = new AbortController();
  controllers.set(id, controller);
  const onDelta = (text: string): void => outbox.add({ is: 'delta', id, text });
  models
    .answer(plan, { ...request, deadline: systemClock.now() + leftMs }, controller.signal, onDelta)
    .then(
      outcome => outbox.add({ is: 'outcome', id, outcome }),
      // Cancelled: nobody waits for it.
      () => undefined,
    )
    .finally(() => controllers.delete(id));
});
