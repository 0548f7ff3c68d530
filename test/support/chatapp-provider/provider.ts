/**
 * The chat provider as its clients meet it: an HTTP server that behaves as the real one is known to, and that a test or a demonstration
 * scripts. It keeps everything in memory, and forgets nothing that a test may ask for.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Accounts, type Callback, type PhoneNumber } from './accounts.ts';
import { challenge, connectRoutes } from './connect.ts';
import { Deliveries, type Delivery } from './deliveries.ts';
import { noSuchObject, ProviderError, toErrorAnswer } from './errors.ts';
import { Faults, strike } from './faults.ts';
import { MediaFiles } from './media.ts';
import { Messages, newMessageId, type SentMessage } from './messages.ts';
import type { ProviderAnswer, ProviderRequest, Route } from './requests.ts';
import { signupRoute } from './signup.ts';
import { Templates } from './templates.ts';
import { createContact, createPayload, type Json, type Participant, writeJson } from './webhooks.ts';

export interface ProviderOptions {
  /** Default: the time of the machine. Epoch milliseconds. */
  readonly now?: () => number;
  /** Default: a free one. */
  readonly port?: number;
}

export type Status = 'sent' | 'delivered' | 'read' | 'played' | 'failed';

export class ChatappProvider {
  readonly accounts: Accounts;
  readonly media: MediaFiles;
  readonly templates: Templates;
  readonly messages: Messages;
  readonly faults = new Faults();
  readonly deliveries = new Deliveries();
  /** `GET /123/phone_numbers` and the like, in the order in which they came. */
  readonly requests: string[] = [];
  /** What it answers, the first that knows the path: a demonstration may add to them. */
  readonly routes: Route[];
  readonly #now: () => number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** While it is down: where it was. */
  #port = 0;

  private constructor({ now = Date.now }: ProviderOptions) {
    this.#now = now;
    this.accounts = new Accounts(now);
    this.media = new MediaFiles(this.accounts, now);
    this.templates = new Templates(this.accounts);
    this.messages = new Messages(this.accounts, this.media, this.templates, now);
    this.routes = [
      this.messages.route,
      this.media.route,
      this.templates.route,
      signupRoute(this.accounts),
      connectRoutes(this.accounts, now),
    ];
    this.#server = createServer((request, response) => void this.#take(request, response));
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(options: ProviderOptions = {}): Promise<ChatappProvider> {
    const provider = new ChatappProvider(options);
    await provider.#listen(options.port ?? 0);
    provider.media.baseUrl = provider.url;
    return provider;
  }

  /** The address without a version. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await this.deliveries.stop();
    await this.goDown();
  }

  /** Breaks every connection, and refuses those that are made. It forgets nothing. */
  async goDown(): Promise<void> {
    if (!this.#server.listening) return;
    this.#port = Number(new URL(this.url).port);
    for (const socket of this.#sockets) socket.destroy();
    await new Promise(resolve => this.#server.close(resolve));
  }

  /** Listens again at the same address. */
  async comeBack(): Promise<void> {
    await this.#listen(this.#port);
  }

  #listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', resolve);
    });
  }

  /** Somebody sets an app's callback in its settings; rejects where the callback does not answer the challenge. */
  async setCallback(appId: string, callback: Callback): Promise<void> {
    const app = this.accounts.findApp(appId);
    if (app === undefined) throw noSuchObject(appId);
    await challenge(callback);
    app.callback = callback;
  }

  /** Epoch seconds as text, as webhooks tell the time. */
  timestamp(): string {
    return String(Math.floor(this.#now() / 1_000));
  }

  /** A participant writes; resolves when every subscribed app has got the webhook, or never will. Gives the id of the message. */
  async write(
    number: PhoneNumber,
    participant: Participant,
    message: Json,
  ): Promise<{ readonly id: string; readonly deliveries: readonly Delivery[] }> {
    const [written] = this.compose(number, participant, message);
    const contacts = [createContact(participant)];
    const deliveries = await this.deliver(number, createPayload(number, { contacts, messages: [written] }));
    return { id: String(written['id']), deliveries };
  }

  /** The messages that a participant writes, for a payload; each opens the window. */
  compose<Messages extends readonly Json[]>(
    number: PhoneNumber,
    { phone, userId }: Participant,
    ...messages: Messages
  ): { readonly [Index in keyof Messages]: Json } {
    const composed = messages.map(message => {
      const id = newMessageId();
      this.messages.noteInbound(number, phone, id);
      const from = userId === undefined ? { from: phone } : { from: phone, from_user_id: userId };
      return { ...from, id, timestamp: this.timestamp(), ...message };
    });
    return composed as { readonly [Index in keyof Messages]: Json };
  }

  /** Reports what became of a message that was sent. */
  report(sent: SentMessage, status: Status, more: Json = {}): Promise<readonly Delivery[]> {
    return this.deliver(
      sent.number,
      createPayload(sent.number, { statuses: [this.createStatus(sent, status, more)] }),
    );
  }

  createStatus({ id, to, callbackData }: SentMessage, status: Status, more: Json = {}): Json {
    return {
      id,
      status,
      timestamp: this.timestamp(),
      recipient_id: to,
      ...(callbackData === undefined ? {} : { biz_opaque_callback_data: callbackData }),
      ...more,
    };
  }

  /** Posts a payload to the callback of every app that is subscribed to the number's account, until each has taken it. */
  async deliver(number: PhoneNumber, payload: Json): Promise<readonly Delivery[]> {
    const account = this.accounts.findAccount(number.accountId);
    if (account === undefined) return [];
    const body = writeJson(payload);
    const receivers = this.accounts.listSubscribers(account).flatMap(app => {
      const callback = this.accounts.findCallback(app, number);
      return callback === undefined ? [] : [{ app, callback }];
    });
    return Promise.all(
      receivers.map(({ app, callback }) => this.deliveries.deliver(callback.url, body, app.secret)),
    );
  }

  async #take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming);
    this.requests.push(`${request.method} /${request.path.join('/')}`);
    const fault = this.faults.take(request);
    if (fault !== undefined && strike(fault, response) === 'done') return;
    const { status = 200, body, contentType, location } = await this.#answer(request);
    if (fault?.kind === 'lost') {
      incoming.socket.destroy();
      return;
    }
    const [type, bytes] = Buffer.isBuffer(body)
      ? [contentType ?? 'application/octet-stream', body]
      : ['application/json', JSON.stringify(body)];
    const headers = { 'content-type': type, ...(location === undefined ? {} : { location }) };
    response.writeHead(status, headers).end(bytes);
  }

  async #answer(request: ProviderRequest): Promise<ProviderAnswer> {
    try {
      for (const route of this.routes) {
        const answer = await route(request);
        if (answer !== undefined) return answer;
      }
      throw noSuchObject(request.path[0] ?? '');
    } catch (error) {
      if (error instanceof ProviderError) return toErrorAnswer(error);
      throw error;
    }
  }
}

async function readRequest(incoming: IncomingMessage): Promise<ProviderRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { pathname, searchParams: query } = new URL(incoming.url ?? '/', 'http://provider');
  const path = pathname
    .split('/')
    .filter(each => each !== '' && !/^v\d+\.\d+$/.test(each))
    .map(decodeURIComponent);
  const bearer = /^Bearer (.+)$/.exec(incoming.headers.authorization ?? '')?.[1];
  return {
    method: incoming.method ?? 'GET',
    path,
    query,
    headers: incoming.headers,
    body: Buffer.concat(chunks),
    token: bearer ?? query.get('access_token') ?? undefined,
  };
}
