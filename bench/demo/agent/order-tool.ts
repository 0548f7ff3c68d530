/** The customer's tool: looks orders up, verifies who calls, and answers a repeated call as the first one. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyService } from '../../../protocol/signature.ts';

export class OrderTool {
  /** The Idempotency-Key of each request, in order. */
  readonly calls: string[] = [];
  /** Requests whose signature did not verify. */
  refused = 0;
  secret = '';
  /** While set, requests are taken and not answered. */
  holds = false;
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.#take(request, Buffer.concat(chunks), response));
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/orders`;
  }

  /** Resolves when that many requests have come. */
  async called(times: number): Promise<void> {
    while (this.calls.length < times) await new Promise<void>(resolve => this.#waiting.add(resolve));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #take(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    if (!verifyService(this.secret, String(request.headers['service-signature']), body).ok) {
      this.refused++;
      response.writeHead(401).end();
      return;
    }
    this.calls.push(String(request.headers['idempotency-key']));
    for (const resolve of [...this.#waiting]) {
      this.#waiting.delete(resolve);
      resolve();
    }
    if (this.holds) return;
    const { orderId } = JSON.parse(body.toString()) as { orderId: string };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ orderId, status: 'on its way', arrives: 'tomorrow' }));
  }
}
