/** Enough of RFC 5321 for one client that behaves. It offers no TLS, and keeps what it is given. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

export interface SmtpServer {
  /** For each mail: the lines MAIL and RCPT, then the mail as it came. */
  readonly received: string[];
  readonly server: Server;
  readonly url: string;
}

export interface SmtpServerOptions {
  /** What it says to a mail. Default: that it has taken it. */
  readonly answerToData?: string;
  /** To each RCPT. Default: that it is fine. */
  readonly answerToRecipient?: string;
  /** Default: a free one. */
  readonly port?: number;
}

export async function startSmtpServer({
  answerToData = '250 taken',
  answerToRecipient = '250 fine',
  port = 0,
}: SmtpServerOptions = {}): Promise<SmtpServer> {
  const received: string[] = [];
  const server = createServer(socket => {
    let inData = false;
    let buffer = '';
    socket.setEncoding('utf8').write('220 test\r\n');
    socket.on('error', () => undefined);
    socket.on('data', (chunk: string) => {
      buffer += chunk;
      for (;;) {
        const end = inData ? buffer.indexOf('\r\n.\r\n') : buffer.indexOf('\r\n');
        if (end < 0) return;
        const text = buffer.slice(0, end);
        buffer = buffer.slice(end + (inData ? 5 : 2));
        if (inData) {
          received.push(text);
          inData = false;
          socket.write(`${answerToData}\r\n`);
        } else if (text === 'DATA') {
          inData = true;
          socket.write('354 go on\r\n');
        } else {
          if (/^(MAIL|RCPT)/.test(text)) received.push(text);
          const fine = text.startsWith('RCPT') ? answerToRecipient : '250 fine';
          socket.write(`${text === 'STARTTLS' ? '502 no TLS here' : fine}\r\n`);
        }
      }
    });
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return { received, server, url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
