/** The thread that asks models: takes questions, gives their text piece by piece, and their outcome. */
import { parentPort, workerData } from 'node:worker_threads';
import { silentLog } from '../../../runtime/log.ts';
import { systemClock } from '../../../runtime/system-clock.ts';
import { systemRandom } from '../../../runtime/system-random.ts';
import type { FromModelThread, ModelThreadData, ToModelThread } from './model-messages.ts';
import { modelsOf } from './models.ts';

const port = parentPort;
if (port === null) throw new Error('models.worker.ts is the code of a thread');

// Everything of one turn of the event loop goes in one message.
let said: FromModelThread[] = [];
function say(message: FromModelThread): void {
  if (said.length === 0) {
    setImmediate(() => {
      const messages = said;
      said = [];
      port?.postMessage(messages);
    });
  }
  said.push(message);
}

const models = modelsOf({
  urls: (workerData as ModelThreadData).urls,
  clock: systemClock,
  random: systemRandom,
  log: { ...silentLog, error: (fields, message) => say({ is: 'defect', fields, message }) },
  used(credential, at) {
    say({ is: 'used', credential, at: at.getTime() });
    return Promise.resolve();
  },
});

const asked = new Map<number, AbortController>();

port.on('message', (message: ToModelThread) => {
  if (message.do === 'cancel') {
    asked.get(message.id)?.abort();
    return;
  }
  const { id, plan, order, leftMs } = message;
  const control = new AbortController();
  asked.set(id, control);
  const onDelta = (text: string): void => say({ is: 'delta', id, text });
  models
    .answer(plan, { ...order, deadline: systemClock.now() + leftMs }, control.signal, onDelta)
    .then(
      outcome => say({ is: 'outcome', id, outcome }),
      // Cancelled: nobody waits.
      () => undefined,
    )
    .finally(() => asked.delete(id));
});
