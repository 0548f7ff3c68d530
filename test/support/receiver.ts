/**
 * A customer's endpoint: a real HTTP server that records what it gets, checks signatures with code of its own (and not with
 * protocol/signature.ts), and can fail as real ones do.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Epoch milliseconds. */
  readonly at: number;
  /** How many requests were being answered when it came, itself included. */
  readonly atOnce: number;
}

/** What to do with a request; it has been read unless the behaviour is `neverRead`. */
export type Behaviour = (request: Received, response: ServerResponse) => void;

/** Answers with the status, and nothing else. */
export function answer(status: number, headers: Record<string, string> = {}, body = ''): Behaviour {
  return (_request, response) => {
    response.writeHead(status, headers).end(body);
  };
}

/** Takes the request and never answers. */
export const silence: Behaviour = () => undefined;

export interface ReceiverOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Accept connections and never read from them. */
  readonly neverRead?: boolean;
  /** Default 0: any free one. */
  readonly port?: number;
}

export class Receiver {
  readonly received: Received[] = [];
  /** May be exchanged at any time. */
  behaviour: Behaviour = answer(204);
  /** TCP connections so far. */
  connections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  #atOnce = 0;
  #scheme: 'http' | 'https';

  private constructor(options: ReceiverOptions) {
    const listener = (request: IncomingMessage, response: ServerResponse): void =>
      this.#take(request, response);
    this.#scheme = options.tls === undefined ? 'http' : 'https';
    this.#server =
      options.tls === undefined ? createServer(listener) : createSecureServer(options.tls, listener);
    this.#server.on('connection', (socket: Socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    if (options.neverRead === true) {
      this.#server.removeAllListeners('connection');
      this.#server.on('connection', (socket: Socket) => {
        this.connections++;
        this.#sockets.add(socket.pause());
        socket.on('error', () => undefined);
      });
    }
  }

  static async start(options: ReceiverOptions = {}): Promise<Receiver> {
    const receiver = new Receiver(options);
    await new Promise<void>((resolve, reject) => {
      receiver.#server.once('error', reject);
      receiver.#server.listen(options.port ?? 0, '127.0.0.1', resolve);
    });
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path = '/', host = '127.0.0.1'): string {
    return `${this.#scheme}://${host}:${this.port}${path}`;
  }

  /** Resolves once that many requests have come. */
  arrived(count: number): Promise<void> {
    if (this.received.length >= count) return Promise.resolve();
    return new Promise(resolve => this.#waiters.push({ count, resolve }));
  }

  /** Stops listening and breaks every connection: the receiver is down. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise(resolve => this.#server.close(resolve));
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    this.#atOnce++;
    response.on('close', () => this.#atOnce--);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => undefined);
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const { method = '', url: path = '', headers } = request;
      const received = { method, path, headers, body, at: Date.now(), atOnce: this.#atOnce };
      this.received.push(received);
      this.behaviour(received, response);
      for (const waiter of this.#waiters) if (this.received.length >= waiter.count) waiter.resolve();
    });
  }
}

/** The signature covers `t`, a dot and the raw body: docs/contract-decisions.md, "Signatures". */
export function hasValidSignature({ headers, body, at }: Received, secret: string): boolean {
  const header = headers['service-signature'];
  if (typeof header !== 'string') return false;
  const [time, ...signatures] = header.split(',');
  const t = /^t=(\d+)$/.exec(time ?? '')?.[1];
  if (t === undefined || Math.abs(at / 1_000 - Number(t)) > 300) return false;
  const expected = createHmac('sha256', secret).update(`${t}.${body}`, 'utf8').digest('hex');
  return signatures.some(
    signature =>
      signature.length === expected.length + 3 &&
      signature.startsWith('v1=') &&
      timingSafeEqual(Buffer.from(signature.slice(3)), Buffer.from(expected)),
  );
}

/** https://www.standardwebhooks.com: the key is the base64 after the prefix, the content `id.timestamp.body`. */
export function hasValidStandardSignature({ headers, body }: Received, secret: string): boolean {
  const content = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = `v1,${createHmac('sha256', key).update(content, 'utf8').digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}

/** Starts an endpoint that stops with the test. */
export async function startReceiver(t: { teardown(handler: () => unknown): unknown }): Promise<Receiver> {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  return receiver;
}
