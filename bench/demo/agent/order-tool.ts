/** The customer's tool: looks orders up, verifies who calls, and answers a repeated call as the first one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { verifyRequest } from '../../../protocol/signature.ts';
import { Endpoint } from '../endpoint.ts';

export class OrderTool {
  /** The Idempotency-Key of each request, in order. */
  readonly calls: string[] = [];
  /** Requests whose signature did not verify. */
  refused = 0;
  secret = '';
  /** While set, requests are taken and not answered. */
  holds = false;
  readonly #endpoint: Endpoint;
  readonly #waiting = new Set<() => void>();

  constructor() {
    this.#endpoint = new Endpoint((request, body, response) => this.#take(request, body, response));
  }

  /** Starts to listen; gives its address. */
  listen(): Promise<string> {
    return this.#endpoint.listen('/orders');
  }

  /** Resolves when that many requests have come. */
  async called(times: number): Promise<void> {
    while (this.calls.length < times) await new Promise<void>(resolve => this.#waiting.add(resolve));
  }

  close(): Promise<void> {
    return this.#endpoint.close();
  }

  #take(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const { method = '', url: target = '', headers } = request;
    const signature = String(headers['service-signature']);
    if (!verifyRequest(this.secret, signature, { method, target, headers }, body).ok) {
      this.refused++;
      response.writeHead(401).end();
      return;
    }
    this.calls.push(String(headers['idempotency-key']));
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
