/**
 * A server with websockets and nothing else, in a process of its own that may collect its garbage when told (--expose-gc): measures
 * itself before and after a number of sockets have been opened. Their other ends are in a further process.
 *
 * Started by `bench/sockets.ts`; takes its task as a message, answers with a `SocketsResult`.
 */
import { fork } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpServer } from '../../gateway/http/server.ts';
import { silentLog } from '../../runtime/observability/log.ts';
import type { OpenSocketsTask } from './open-sockets.ts';
import { residentBytes } from './process-usage.ts';

export interface SocketsTask {
  /** Opened before the first measurement: what the server allocates once is no socket's cost. */
  readonly first: number;
  /** Opened between the measurements. */
  readonly more: number;
}

export interface SocketsResult {
  readonly residentBytesBefore: number;
  readonly residentBytesAfter: number;
}

async function measure({ first, more }: SocketsTask): Promise<SocketsResult> {
  let open = 0;
  const server = new HttpServer({ log: silentLog, docsUrl: 'https://docs.example.com' });
  server.websocket('/rooms/{room}/ws', {
    upgrade: request => ({ room: request.params[0] }),
    open: socket => {
      open++;
      socket.subscribe('news');
    },
    message: () => undefined,
    close: () => undefined,
  });
  const port = await server.listen('127.0.0.1', 0);
  const clients = fork(new URL('./open-sockets.ts', import.meta.url));
  const openSockets = async (count: number): Promise<number> => {
    clients.send({ port, count } satisfies OpenSocketsTask);
    for (const goal = open + count; open < goal;) await pause(10);
    gc?.();
    await pause(500);
    return residentBytes(process.pid);
  };
  const residentBytesBefore = await openSockets(first);
  const residentBytesAfter = await openSockets(more);
  clients.kill();
  await server.close(0);
  return { residentBytesBefore, residentBytesAfter };
}

process.once('message', (task: SocketsTask) => {
  void measure(task).then(result => {
    process.send?.(result);
    process.disconnect();
  });
});
