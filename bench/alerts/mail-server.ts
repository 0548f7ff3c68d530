/** A mail server that can be away, and come back at the same address. */
import type { Socket } from 'node:net';
import { type SmtpServer, startSmtpServer } from '../../test/support/smtp-server.ts';

export class MailServer {
  /** For SMTP_URL. */
  readonly url: string;
  #smtp: SmtpServer;
  readonly #sockets = new Set<Socket>();

  private constructor(smtp: SmtpServer) {
    this.url = smtp.url;
    this.#smtp = smtp;
    this.#follow();
  }

  static async start(): Promise<MailServer> {
    return new MailServer(await startSmtpServer());
  }

  /** Whether it has taken a mail since it was started or came back. */
  get hasTaken(): boolean {
    return this.#smtp.received.length > 0;
  }

  /** Breaks every connection, and refuses those that are made. Idempotent. */
  async goDown(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise(resolve => this.#smtp.server.close(resolve));
  }

  async comeBack(): Promise<void> {
    this.#smtp = await startSmtpServer({ port: Number(new URL(this.url).port) });
    this.#follow();
  }

  #follow(): void {
    this.#smtp.server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }
}
