/** Websockets whose other side is the test. */
import type { SocketLike, WebSocketFactory } from '../../../clients/sdk/index.ts';

type Listener = (event: never) => void;

export class FakeSocket implements SocketLike {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** What the client has sent. */
  readonly sent: unknown[] = [];
  isClosed = false;
  readonly #listeners = new Map<string, Listener[]>();

  constructor(url: string, headers: Readonly<Record<string, string>> | undefined) {
    this.url = new URL(url);
    this.headers = headers;
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.isClosed = true;
  }

  open(): this {
    this.#tell('open', {});
    return this;
  }

  /** A frame of the server. */
  receive(frame: object | string): this {
    this.#tell('message', { data: typeof frame === 'string' ? frame : JSON.stringify(frame) });
    return this;
  }

  end(code: number, reason = ''): void {
    this.#tell('close', { code, reason });
  }

  fail(): void {
    this.#tell('error', {});
  }

  #tell(type: string, event: object): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event as never);
  }
}

/** A factory, and the sockets that it makes, in their order. */
export function createSockets(): {
  readonly webSocket: WebSocketFactory;
  readonly next: () => Promise<FakeSocket>;
  readonly all: FakeSocket[];
} {
  const all: FakeSocket[] = [];
  const unseen: FakeSocket[] = [];
  let wake: (() => void) | undefined;
  return {
    all,
    webSocket: (url, headers) => {
      const socket = new FakeSocket(url, headers);
      all.push(socket);
      unseen.push(socket);
      wake?.();
      return socket;
    },
    async next() {
      while (unseen.length === 0) await new Promise<void>(resolve => (wake = resolve));
      return unseen.shift() as FakeSocket;
    },
  };
}
