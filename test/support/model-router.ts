/**
 * Leads the model requests of a node to the model server of a test. All tests of a node share one provider URL; each test registers its model
 * under the secret of its credential, which the node sends as a bearer token.
 */
import { createServer, request, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { randomBytes } from 'node:crypto';

export class ModelRouter {
  readonly url: string;
  readonly #server: Server;
  readonly #targets = new Map<string, string>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    server.on('request', (incoming, outgoing) => {
      const secret = incoming.headers.authorization?.replace(/^Bearer /, '') ?? '';
      const target = this.#targets.get(secret);
      if (target === undefined) {
        outgoing.writeHead(401).end();
        return;
      }
      const { method, headers, url = '' } = incoming;
      const forwarded = request(`${target}${url.replace(/^\/v1/, '')}`, { method, headers }, answer => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      forwarded.on('error', () => outgoing.destroy());
      outgoing.on('close', () => forwarded.destroy());
      incoming.pipe(forwarded);
    });
  }

  static async start(): Promise<ModelRouter> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ModelRouter(server);
  }

  /** Registers the base URL of a model server, such as `http://127.0.0.1:4000/v1`. Returns the secret for the credential. */
  register(baseUrl: string): string {
    const secret = `sk-${randomBytes(16).toString('hex')}`;
    this.#targets.set(secret, baseUrl);
    return secret;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
