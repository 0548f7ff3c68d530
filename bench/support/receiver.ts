/**
 * Receivers of webhooks in a process of their own: raw HTTP/1.1 over kept-alive sockets, 200 at once. The process counts requests and, where
 * their text says when they were due (`sinceStamp`), notes their age. After `expect` it also keeps every request, and looks at them only when the run is
 * over. Silent ports accept a connection and never answer.
 */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { verifyService } from '../../protocol/signature.ts';
import { Child, serveParent } from './child.ts';
import type { Endings } from './endings.ts';
import { sinceStamp } from './load.ts';

interface Report {
  readonly requests: number;
  readonly distinct: number;
  /** Requests that came after a later one of their thread. */
  readonly outOfOrder: number;
  readonly refused: number;
}

type Order =
  | { readonly do: 'listen'; readonly ports: number; readonly silent: boolean }
  | { readonly do: 'count' | 'ages' }
  /** Forgets what came, and waits for so many requests. */
  | { readonly do: 'expect'; readonly requests: number }
  | { readonly do: 'report'; readonly secrets: readonly string[]; readonly sample: number };

export class Receiver {
  readonly #child = new Child(new URL(import.meta.url), { arguments: ['receiver'] });

  /** The endings stop it. */
  static async start(endings: Endings): Promise<Receiver> {
    const receiver = new Receiver();
    endings.teardown(() => receiver.#child.stop());
    await receiver.#child.hear();
    return receiver;
  }

  /** Opens ports; gives their addresses. */
  async listen({ ports = 1, silent = false } = {}): Promise<readonly string[]> {
    const opened = await this.#ask<number[]>({ do: 'listen', ports, silent });
    return opened.map(port => `http://127.0.0.1:${port}/webhooks`);
  }

  /** Requests so far. */
  count(): Promise<number> {
    return this.#ask({ do: 'count' });
  }

  /** Resolves when so many requests have come in all. */
  async waitFor(expected: number, withinMs: number): Promise<void> {
    const from = performance.now();
    for (let came = 0; (came = await this.count()) < expected; await pause(50)) {
      if (performance.now() - from > withinMs) throw new Error(`${came} of ${expected} webhooks came`);
    }
  }

  /** The ages of the stamped messages that came since the last call: milliseconds, in order of size. */
  ages(): Promise<readonly number[]> {
    return this.#ask({ do: 'ages' });
  }

  /** Waits for so many requests; gives the seconds from the first to the last. */
  async expect(requests: number, onBegun: () => void): Promise<number> {
    await this.#ask({ do: 'expect', requests });
    onBegun();
    return this.#child.hear();
  }

  /** Says what came since `expect`. Verifies the signature of every `sample`th request: to `<url>/<n>` by the nth secret. */
  report(secrets: readonly string[] = [], sample = 1): Promise<Report> {
    return this.#ask({ do: 'report', secrets, sample });
  }

  #ask<T>(order: Order): Promise<T> {
    return this.#child.ask(order);
  }
}

let count = 0;
let ages: number[] = [];
let kept: { readonly head: string; readonly body: Buffer }[] = [];
let expected = 0;
let firstAt = 0;
let onFirst: () => void = () => undefined;

function take(head: string, body: Buffer): void {
  count++;
  if (expected === 0) {
    const age = sinceStamp(body.toString('latin1'));
    if (age !== undefined) ages.push(age);
  }
  if (kept.length >= expected) return;
  if (kept.length === 0) {
    firstAt = performance.now();
    onFirst();
  }
  kept.push({ head, body });
  if (kept.length === expected) process.send?.((performance.now() - firstAt) / 1_000);
}

function answerAll(socket: Socket): void {
  let rest: Buffer | undefined;
  socket.on('data', (chunk: Buffer) => {
    let bytes = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const end = bytes.indexOf('\r\n\r\n');
      if (end < 0) break;
      const head = bytes.toString('latin1', 0, end);
      const total = end + 4 + Number(/content-length: *(\d+)/i.exec(head)?.[1]);
      if (Number.isNaN(total)) throw new Error(`a request without a length: ${head}`);
      if (bytes.length < total) break;
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      take(head, bytes.subarray(end + 4, total));
      bytes = bytes.subarray(total);
    }
    rest = bytes.length === 0 ? undefined : bytes;
  });
}

function listen(silent: boolean): Promise<number> {
  const server = createServer(socket => {
    socket.setNoDelay(true);
    // A sender that was stopped resets its connections.
    socket.on('error', () => socket.destroy());
    if (silent) socket.on('data', () => count++);
    else answerAll(socket);
  });
  return new Promise(resolve => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function report(secrets: readonly string[], sample: number): Report {
  const ids = new Set<string>();
  const sequences = new Map<string, number>();
  let outOfOrder = 0;
  let refused = 0;
  kept.forEach(({ head, body }, index) => {
    const { eventId, data } = JSON.parse(body.toString()) as {
      readonly eventId: string;
      readonly data: { readonly threadId: string; readonly sequence: number };
    };
    ids.add(eventId);
    if ((sequences.get(data.threadId) ?? 0) > data.sequence) outOfOrder++;
    sequences.set(data.threadId, data.sequence);
    if (secrets.length === 0 || index % sample !== 0) return;
    const secret = secrets[Number(/^POST \S*\/(\d+) /.exec(head)?.[1])] ?? '';
    const signature = /^service-signature: *(.*)$/im.exec(head)?.[1] ?? '';
    if (!verifyService(secret, signature, body).ok) refused++;
  });
  return { requests: kept.length, distinct: ids.size, outOfOrder, refused };
}

async function obey(order: Order): Promise<unknown> {
  switch (order.do) {
    case 'listen':
      return Promise.all(Array.from({ length: order.ports }, () => listen(order.silent)));
    case 'count':
      return count;
    case 'ages': {
      const taken = ages.sort((a, b) => a - b);
      ages = [];
      return taken;
    }
    case 'expect':
      kept = [];
      expected = order.requests;
      return new Promise<void>(resolve => (onFirst = resolve));
    case 'report':
      return report(order.secrets, order.sample);
  }
}

if (process.argv[2] === 'receiver' && process.send !== undefined) {
  serveParent(obey);
  process.send('ready');
}
