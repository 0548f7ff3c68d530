/**
 * Loaded into a node by `--import`: Node's `--cpu-prof` writes nothing for a worker that is ended from outside, as those of a pool are. So each
 * worker is profiled by way of the inspector, and what it has to say is written when the node is told to stop, while it drains.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';

/** What a worker's inspector answers, of which the profile is of use. */
interface Answer {
  readonly result?: { readonly profile?: object };
}

const folder = process.env['WORKER_PROFILES'] ?? '.';
const workers = new Set<string>();
const session = new Session();

const order = (sessionId: string, id: number, method: string): void =>
  session.post('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method }) });

session.connect();
session.on('NodeWorker.attachedToWorker', ({ params: { sessionId } }) => {
  workers.add(sessionId);
  order(sessionId, 1, 'Profiler.enable');
  order(sessionId, 2, 'Profiler.start');
});
session.on('NodeWorker.receivedMessageFromWorker', ({ params: { sessionId, message } }) => {
  const { result } = JSON.parse(message) as Answer;
  if (result?.profile === undefined) return;
  // The name that Node would give it.
  const name = `CPU.0.0.${process.pid}.${sessionId}.0.cpuprofile`;
  writeFileSync(join(folder, name), JSON.stringify(result.profile));
});
session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
process.once('SIGTERM', () => {
  for (const sessionId of workers) order(sessionId, 3, 'Profiler.stop');
});
