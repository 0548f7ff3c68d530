/** A shop's own system, which the agent's tools call: looks orders up and pays them back. It verifies the signature of every call. */
import { EventEmitter, once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { verifyRequest } from '../../protocol/signature.ts';
import { Endpoint } from './endpoint.ts';

const orderId = { type: 'string', description: 'The number of the order, such as A17' } as const;
const reason = { type: 'string' } as const;

/** The tools as the agent knows them. The path of a tool at this system is its name. */
export const orderTools = [
  {
    name: 'lookup_order',
    description: 'Says where an order is.',
    requiresApproval: false,
    inputSchema: { type: 'object', properties: { orderId }, required: ['orderId'] },
  },
  {
    name: 'refund_order',
    description: 'Pays an order back.',
    requiresApproval: true,
    inputSchema: { type: 'object', properties: { orderId, reason }, required: ['orderId'] },
  },
] as const;

const answers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  lookup_order: { status: 'on its way', carrier: 'Northern Parcel', arrives: 'tomorrow before noon' },
  refund_order: { refunded: '89.00 EUR', to: 'card ending in 4321' },
};

export class OrderSystem {
  /** The Idempotency-Key of each verified call, in order. */
  readonly calls: string[] = [];
  /** Calls with a wrong signature. */
  refused = 0;
  /** While true, calls get no answer. */
  holds = false;
  readonly #endpoint = new Endpoint((request, body, response) => this.#answer(request, body, response));
  /** The secret that signs the calls of each tool, by its name. */
  readonly #secrets = new Map<string, string>();
  readonly #called = new EventEmitter();

  /** Starts to listen. Gives the address; the tools are below it. */
  listen(): Promise<string> {
    return this.#endpoint.listen('');
  }

  trust(name: string, secret: string): void {
    this.#secrets.set(name, secret);
  }

  /** Resolves after that many calls. */
  async called(times: number): Promise<void> {
    while (this.calls.length < times) await once(this.#called, 'call');
  }

  close(): Promise<void> {
    return this.#endpoint.close();
  }

  #answer(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const { method = '', url: target = '', headers } = request;
    const name = target.slice(1);
    const signature = String(headers['service-signature']);
    const secret = this.#secrets.get(name);
    if (secret === undefined || !verifyRequest(secret, signature, { method, target, headers }, body).ok) {
      this.refused++;
      response.writeHead(401).end();
      return;
    }
    this.calls.push(String(headers['idempotency-key']));
    this.#called.emit('call');
    if (this.holds) return;
    const { orderId: order } = JSON.parse(body.toString()) as { readonly orderId: string };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ orderId: order, ...answers[name] }));
  }
}
