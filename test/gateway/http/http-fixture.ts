/** A client that sends exactly the bytes it is told to, and a server with a log to read afterwards. */
import { connect, type Socket } from 'node:net';
import type { Test } from 'tap';
import { HttpServer, type HttpServerOptions } from '../../../gateway/http/server.ts';
import type { Log } from '../../../runtime/observability/log.ts';

export interface Entry {
  readonly level: keyof Log;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export class MemoryLog implements Log {
  readonly entries: Entry[] = [];
  readonly debug = this.#at('debug');
  readonly info = this.#at('info');
  readonly warn = this.#at('warn');
  readonly error = this.#at('error');

  #at(level: keyof Log) {
    return (fields: object, message: string): void => {
      this.entries.push({ level, fields: { ...fields }, message });
    };
  }
}

export const docsUrl = 'https://docs.example.com';

/** A server on a free port that is closed with the test; `set` registers its routes. */
export async function startServer(
  t: Test,
  set: (server: HttpServer) => void,
  options: Partial<HttpServerOptions> = {},
): Promise<{ server: HttpServer; port: number; log: MemoryLog; url: string }> {
  const log = new MemoryLog();
  const server = new HttpServer({ log, docsUrl, ...options });
  set(server);
  const port = await server.listen('127.0.0.1', 0);
  t.teardown(() => server.close(0));
  return { server, port, log, url: `http://127.0.0.1:${port}` };
}

export interface RawAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class RawClient {
  readonly socket: Socket;
  /** Everything received, one character a byte. */
  received = '';
  /** Resolves when the connection is over, however it ends. */
  readonly closed: Promise<void>;
  #changed: (() => void)[] = [];

  constructor(port: number, t: Test) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', data => {
      this.received += data.toString('latin1');
      this.#wake();
    });
    // A reset is one of the ways to be closed.
    this.socket.on('error', () => undefined);
    this.closed = new Promise(resolve => {
      this.socket.on('close', () => {
        resolve();
        this.#wake();
      });
    });
    t.teardown(() => this.socket.destroy());
  }

  #wake(): void {
    for (const resolve of this.#changed.splice(0)) resolve();
  }

  send(...texts: string[]): this {
    this.socket.write(texts.join(''), 'latin1');
    return this;
  }

  /** The first `count` answers; fewer when the connection was closed before. `bare`: which of them have no body (HEAD). */
  async answers(count: number, bare: readonly number[] = []): Promise<RawAnswer[]> {
    for (;;) {
      const answers = parse(this.received, bare);
      if (answers.length >= count || this.socket.destroyed) return answers;
      await new Promise<void>(resolve => this.#changed.push(resolve));
    }
  }

  /** Everything that was answered until the server closed the connection. */
  async untilClosed(): Promise<RawAnswer[]> {
    await this.closed;
    return parse(this.received, []);
  }
}

function parse(text: string, bare: readonly number[]): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let at = 0;
  for (;;) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) return answers;
    const [first = '', ...lines] = text.slice(at, end).split('\r\n');
    const headers = Object.fromEntries(
      lines.map(line => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = bare.includes(answers.length) ? 0 : Number(headers['content-length'] ?? 0);
    if (text.length < end + 4 + length) return answers;
    const status = Number(first.split(' ')[1]);
    answers.push({ status, headers, body: text.slice(end + 4, end + 4 + length) });
    at = end + 4 + length;
  }
}

/** A request with the headers that every request has. */
export function rawRequest(method: string, path: string, headers: readonly string[] = [], body = ''): string {
  return `${[`${method} ${path} HTTP/1.1`, 'Host: test', ...headers].join('\r\n')}\r\n\r\n${body}`;
}

/** A promise and the function that settles it. */
export function gate(): { readonly opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>(resolve => (open = resolve));
  return { opened, open };
}
