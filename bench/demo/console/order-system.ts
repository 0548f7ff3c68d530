/** The shop's own system, which the agent's tools call: looks orders up and pays them back. It verifies who calls. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { verifyRequest } from '../../../protocol/signature.ts';
import { Endpoint } from '../endpoint.ts';

/** A tool as the agent knows it; its path at this system is its name. */
interface OrderTool {
  readonly name: string;
  readonly description: string;
  readonly requiresApproval: boolean;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

const orderId = { type: 'string', description: 'The number of the order, such as A17' } as const;

export const orderTools: readonly OrderTool[] = [
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
    inputSchema: {
      type: 'object',
      properties: { orderId, reason: { type: 'string' } },
      required: ['orderId'],
    },
  },
];

const answers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  lookup_order: { status: 'on its way', carrier: 'Northern Parcel', arrives: 'tomorrow before noon' },
  refund_order: { refunded: '89.00 EUR', to: 'card ending in 4321' },
};

export class OrderSystem {
  readonly #endpoint = new Endpoint((request, body, response) => this.#answer(request, body, response));
  /** By the name of the tool: what its calls are signed with. */
  readonly #secrets = new Map<string, string>();

  /** Starts to listen; gives the address below which the tools are. */
  listen(): Promise<string> {
    return this.#endpoint.listen('');
  }

  trust(name: string, secret: string): void {
    this.#secrets.set(name, secret);
  }

  close(): Promise<void> {
    return this.#endpoint.close();
  }

  #answer(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const { method = '', url: target = '', headers } = request;
    const name = target.slice(1);
    const secret = this.#secrets.get(name);
    const signature = String(headers['service-signature']);
    if (secret === undefined || !verifyRequest(secret, signature, { method, target, headers }, body).ok) {
      response.writeHead(401).end();
      return;
    }
    const { orderId: order } = JSON.parse(body.toString()) as { readonly orderId: string };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ orderId: order, ...answers[name] }));
  }
}
