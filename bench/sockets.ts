/** Memory of idle websockets: what 10,000 of them add to the resident memory of a server. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { SocketsResult, SocketsTask } from './support/idle-sockets.ts';
import { count, median, table, times } from './support/table.ts';

const task: SocketsTask = { first: 1_000, more: 10_000 };
const rounds = 3;
/** Bytes per socket. */
const target = 4_096;

async function measure(): Promise<number> {
  const child = fork(new URL('./support/idle-sockets.ts', import.meta.url), { execArgv: ['--expose-gc'] });
  child.send(task);
  const ended = once(child, 'exit').then(([code]) =>
    Promise.reject(new Error(`the server under measurement ended with ${String(code)}`)),
  );
  ended.catch(() => undefined);
  const [result] = (await Promise.race([once(child, 'message'), ended])) as [SocketsResult];
  return (result.residentBytesAfter - result.residentBytesBefore) / task.more;
}

/** Runs the rounds and prints a table. */
export async function benchSockets(): Promise<void> {
  const perSocket: number[] = [];
  for (let round = 0; round < rounds; round++) perSocket.push(await measure());
  console.log(
    `\n${count(task.more)} idle websockets (median of ${rounds} processes, after forced collections)\n`,
  );
  console.log(
    table(
      ['', 'median', 'least', 'most', `of ${count(target)} (target: at most 1)`],
      [
        [
          'bytes per socket',
          count(median(perSocket)),
          count(Math.min(...perSocket)),
          count(Math.max(...perSocket)),
          times(median(perSocket) / target),
        ],
      ],
    ),
  );
}
