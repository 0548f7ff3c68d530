/** The customer's end of a stitch: receives webhooks, verifies their signatures over the raw body, notes what came. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyService } from '../../protocol/signature.ts';

export interface Received {
  readonly eventId: string;
  readonly eventName: string;
  readonly data: { readonly message?: { readonly messageId: string } };
  /** Milliseconds of `performance.now`. */
  readonly at: number;
}

export class Receiver {
  /** Verified events by id: a repeated delivery is recognised by it. */
  readonly events = new Map<string, Received>();
  /** Deliveries of events that had come before. */
  repeats = 0;
  refused = 0;
  secret = '';
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const header = request.headers['service-signature'];
        response.writeHead(this.#take(Buffer.concat(chunks), String(header)) ? 200 : 400).end();
      });
    });
  }

  /** Starts to listen; gives the address for the stitch. */
  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/webhooks`;
  }

  /** Waits for a verified event; rejects after `withinMs`. */
  async until(test: (events: ReadonlyMap<string, Received>) => boolean, withinMs: number): Promise<void> {
    const deadline = performance.now() + withinMs;
    while (!test(this.events)) {
      const left = deadline - performance.now();
      if (left <= 0) throw new Error('the webhooks did not arrive in time');
      await new Promise<void>(resolve => {
        const timer = setTimeout(done, left);
        const waiting = this.#waiting;
        function done(): void {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        }
        waiting.add(done);
      });
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #take(body: Buffer, header: string): boolean {
    if (!verifyService(this.secret, header, body).ok) {
      this.refused++;
      return false;
    }
    const event = { ...(JSON.parse(body.toString()) as Omit<Received, 'at'>), at: performance.now() };
    if (this.events.has(event.eventId)) this.repeats++;
    else this.events.set(event.eventId, event);
    for (const done of [...this.#waiting]) done();
    return true;
  }
}
