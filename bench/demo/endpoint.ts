/** A customer's HTTP servers on this machine. */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyService } from '../../protocol/signature.ts';

export type Answer = (request: IncomingMessage, body: Buffer, response: ServerResponse) => void;

export class Endpoint {
  readonly #server: Server;

  constructor(answer: Answer) {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => answer(request, Buffer.concat(chunks), response));
    });
  }

  /** Starts to listen on a free port; gives the address, which ends in the path. */
  async listen(path: string): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

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
  readonly #endpoint: Endpoint;
  readonly #taken = new EventEmitter();

  constructor() {
    this.#endpoint = new Endpoint((request, body, response) => {
      const header = request.headers['service-signature'];
      response.writeHead(this.#take(body, String(header)) ? 200 : 400).end();
    });
  }

  /** Starts to listen; gives its address. */
  listen(): Promise<string> {
    return this.#endpoint.listen('/webhooks');
  }

  /** Resolves when the test passes, which is tried after each verified event. Rejects after `withinMs`. */
  async until(test: (events: ReadonlyMap<string, Received>) => boolean, withinMs: number): Promise<void> {
    const signal = AbortSignal.timeout(withinMs);
    while (!test(this.events)) await once(this.#taken, 'event', { signal });
  }

  close(): Promise<void> {
    return this.#endpoint.close();
  }

  #take(body: Buffer, header: string): boolean {
    if (!verifyService(this.secret, header, body).ok) {
      this.refused++;
      return false;
    }
    const event = { ...(JSON.parse(body.toString()) as Omit<Received, 'at'>), at: performance.now() };
    if (this.events.has(event.eventId)) this.repeats++;
    else this.events.set(event.eventId, event);
    this.#taken.emit('event');
    return true;
  }
}
