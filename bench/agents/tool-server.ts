/** Tools that count how often each call reaches them, by its Idempotency-Key, and answer after a while which time it was. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export class ToolServer {
  /** Requests by key. */
  readonly arrivals = new Map<string, number>();
  readonly #answerMs: number;
  readonly #server: Server;

  /** @param answerMs how long each answer takes */
  constructor(answerMs: number) {
    this.#answerMs = answerMs;
    this.#server = createServer((request, response) => {
      const key = String(request.headers['idempotency-key']);
      const arrival = (this.arrivals.get(key) ?? 0) + 1;
      this.arrivals.set(key, arrival);
      request.resume();
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ arrival }));
      }, this.#answerMs);
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
