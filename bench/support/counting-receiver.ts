/**
 * A receiver in a process of its own that answers 204 at once and keeps nothing but numbers: how many requests came, and how old what
 * they brought was where its text says so (stamp.ts). And black holes: ports that accept a connection and what comes over it,
 * and never answer.
 *
 * Started by `startCountingReceiver`; takes `CountingOrder`s as messages, answers each with a `CountingAnswer`.
 */
import { createServer, type AddressInfo } from 'node:net';
import { serveRaw } from './raw-server.ts';
import { sinceStamp } from './stamp.ts';

export type CountingOrder =
  | { readonly do: 'listen' }
  | { readonly do: 'listenSilently'; readonly ports: number }
  | { readonly do: 'count' }
  /** Gives the ages of what came since the last time. */
  | { readonly do: 'ages' };

export interface CountingAnswer {
  readonly ports: readonly number[];
  /** Requests so far. */
  readonly requests: number;
  /** Milliseconds. */
  readonly ages: readonly number[];
}

let requests = 0;
let ages: number[] = [];

function take(body: Buffer): void {
  requests++;
  const age = sinceStamp(body.toString('latin1'));
  if (age !== undefined) ages.push(age);
}

const listen = (): Promise<number> =>
  new Promise(resolve => void serveRaw('HTTP/1.1 204 No Content\r\n\r\n', ({ body }) => take(body), resolve));

function listenSilently(): Promise<number> {
  const server = createServer(socket => {
    socket.on('error', () => socket.destroy());
    socket.on('data', () => requests++);
  });
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

async function obey(order: CountingOrder): Promise<CountingAnswer> {
  let ports: readonly number[] = [];
  if (order.do === 'listen') ports = [await listen()];
  if (order.do === 'listenSilently') {
    ports = await Promise.all(Array.from({ length: order.ports }, listenSilently));
  }
  const answer = { ports, requests, ages: order.do === 'ages' ? ages : [] };
  if (order.do === 'ages') ages = [];
  return answer;
}

process.on('message', (order: CountingOrder) => {
  void obey(order).then(answer => process.send?.(answer));
});
process.once('disconnect', () => process.exit());
