/**
 * A TCP proxy that can lose what one side says, as a connection dies between a COMMIT and its answer, that can let connections die without a
 * word, as when a laptop sleeps, and that can be away altogether.
 */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

type Side = 'client' | 'server';

interface Target {
  readonly host: string;
  readonly port: number;
}

/** An answer that will be lost. */
interface Trap {
  readonly question: RegExp;
  readonly answer: string;
  readonly sprung: () => void;
}

/** What one client has said. */
interface Connection {
  /** The trap whose question it has asked. */
  asked?: Trap;
  /** It has died without a word: neither side hears of the other any more, not even of its end. */
  isSilent?: boolean;
}

export class Proxy {
  readonly #server: Server;
  #target: Target;
  readonly #sockets = new Set<Socket>();
  readonly #connections = new Set<Connection>();
  /** 0: any free one. */
  #port = 0;
  /** From whom nothing is forwarded any more. */
  #muted: Side | undefined;
  /** Bytes held back since `mute`. */
  held = 0;
  readonly #onHeld = new Set<() => void>();
  /** A connection on which the client says this is broken. */
  #breaksAt: string | undefined;
  #trap: Trap | undefined;
  #replacement: { readonly text: Buffer; readonly by: Buffer; readonly done: () => void } | undefined;

  constructor(target: Target) {
    this.#target = target;
    this.#server = createServer(client => {
      const upstream = connect(this.#target.port, this.#target.host);
      const connection: Connection = {};
      this.#connections.add(connection);
      client.on('close', () => this.#connections.delete(connection));
      this.#forward('client', client, upstream, connection);
      this.#forward('server', upstream, client, connection);
    });
  }

  async listen(): Promise<number> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
    return this.#port;
  }

  /** Breaks every connection and takes no others, until it listens again: on the same port. */
  async leave(): Promise<void> {
    this.#server.close();
    this.cut();
    await once(this.#server, 'close');
  }

  /** Breaks every connection; the next ones lead to another server. */
  redirect(target: Target): void {
    this.#target = target;
    this.cut();
  }

  /** The next connections lead to another server; those that there are stay. */
  directNext(target: Target): void {
    this.#target = target;
  }

  /** The connections that there are die without a word; later ones do not. Gives how many. */
  silence(): number {
    this.held = 0;
    for (const connection of this.#connections) connection.isSilent = true;
    return this.#connections.size;
  }

  /** Loses everything that this side says from now on. */
  mute(side: Side): void {
    this.held = 0;
    this.#muted = side;
  }

  /** Breaks each connection on which the client says this text from now on; undefined: none. */
  breakAt(text: string | undefined): void {
    this.held = 0;
    this.#breaksAt = text;
  }

  /**
   * The next answer with that text, to a client that has said what fits the question before, is lost, and its connection breaks. Resolves
   * when that has happened.
   */
  loseAnswer(question: RegExp, answer: string): Promise<void> {
    return new Promise(sprung => {
      this.#trap = { question, answer, sprung };
    });
  }

  /** Forwards `by` instead of `text` (of the same length) the next time that a client says it. Resolves when that has happened. */
  replaceNext(text: string, by: string): Promise<void> {
    return new Promise(done => {
      this.#replacement = { text: Buffer.from(text), by: Buffer.from(by), done };
    });
  }

  /** Forwards again, on connections old and new; what was lost stays lost. */
  unmute(): void {
    this.#muted = undefined;
  }

  /** Resolves once something was held back: the fault has fired. */
  async fired(): Promise<void> {
    if (this.held === 0) await new Promise<void>(resolve => this.#onHeld.add(resolve));
  }

  /** Breaks every connection and forwards again from the next one on. */
  cut(): void {
    this.#muted = undefined;
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #isLost(side: Side, chunk: Buffer, connection: Connection): boolean {
    const trap = this.#trap;
    if (trap === undefined) return false;
    const text = chunk.toString('latin1');
    if (side === 'client') {
      if (trap.question.test(text)) connection.asked = trap;
      return false;
    }
    if (connection.asked !== trap || !text.includes(trap.answer)) return false;
    this.#trap = undefined;
    trap.sprung();
    return true;
  }

  #replace(chunk: Buffer): void {
    const replacement = this.#replacement;
    const at = replacement === undefined ? -1 : chunk.indexOf(replacement.text);
    if (replacement === undefined || at < 0) return;
    this.#replacement = undefined;
    replacement.by.copy(chunk, at);
    replacement.done();
  }

  #forward(side: Side, from: Socket, to: Socket, connection: Connection): void {
    this.#sockets.add(from);
    from.on('data', chunk => {
      if (side === 'client') this.#replace(chunk);
      if (this.#isLost(side, chunk, connection)) {
        from.destroy();
        return;
      }
      const breaks = side === 'client' && this.#breaksAt !== undefined && chunk.includes(this.#breaksAt);
      if (this.#muted !== side && !breaks && connection.isSilent !== true) {
        to.write(chunk);
        return;
      }
      if (breaks) from.destroy();
      this.held += chunk.length;
      for (const resolve of this.#onHeld) resolve();
      this.#onHeld.clear();
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      if (connection.isSilent !== true) to.destroy();
    });
  }
}
