/** Mail transports: an SMTP server (SMTP_URL), or without one a folder of .eml files. */
import { createTransport } from 'nodemailer';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isLoopback } from '../config/index.ts';
import type { MailText } from './messages.ts';

export interface OutgoingMail extends MailText {
  /** The same for every attempt. It becomes the Message-ID, by which receivers drop duplicates. */
  readonly mailId: string;
  readonly to: string;
}

export interface MailTransport {
  /** Resolves when the mail has been accepted; rejects when it should be retried. */
  send(mail: OutgoingMail): Promise<void>;
  close(): void;
}

/** The part of a pino logger that the folder transport uses. */
export interface MailLog {
  info(fields: object, message: string): void;
}

/** As an object, because a text would be parsed as a list, and a malformed address could become several recipients. */
function recipient(mail: OutgoingMail): { name: string; address: string } {
  return { name: '', address: mail.to };
}

/** RFC 5322 requires a domain in the Message-ID; this uses the sender's. */
function messageId(mail: OutgoingMail, from: string): string {
  const domain = /@([^\s<>@]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return `<${mail.mailId}@${domain}>`;
}

/**
 * @param url as nodemailer reads it: `smtp://user:password@host:587`, which demands STARTTLS outside the loopback address, or
 * `smtps://...` for TLS from the first byte. A server that does not answer is given 10 s to accept the connection and 30 s between answers.
 */
export function smtpTransport(url: string, from: string): MailTransport {
  const smtp = createTransport({
    url,
    pool: true,
    maxConnections: 2,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    ...(demandsTls(url) && { requireTLS: true }),
  });
  return {
    send: async mail => {
      await smtp.sendMail({
        from,
        to: recipient(mail),
        subject: mail.subject,
        text: mail.text,
        messageId: messageId(mail, from),
      });
    },
    close: () => {
      smtp.close();
    },
  };
}

/**
 * Whether a mail must not leave without TLS: by `smtp://` a password and links that sign people in would else go through the network
 * in the clear where somebody in the middle hides that the server offers STARTTLS. `?requireTLS=false` and `?ignoreTLS=true` permit it.
 */
function demandsTls(url: string): boolean {
  const { protocol, hostname, searchParams } = new URL(url);
  return (
    protocol === 'smtp:' &&
    !isLoopback(hostname) &&
    !searchParams.has('requireTLS') &&
    !searchParams.has('ignoreTLS')
  );
}

/**
 * Whether the mail server will not have this recipient, and not mail as such: most are mistyped, and no fault of the mail server. It says so
 * for good (RFC 5321, 4.2.1), or for now by the status of an address (RFC 3463, 3.2), such as 4.1.2 of Postfix for a domain that does not
 * exist. Those of the sender's address come to this command, too, and are a fault. `error`: of `send`.
 */
export function isRecipientRefused(error: unknown): boolean {
  if (!(error instanceof Error) || !('command' in error) || !('responseCode' in error)) return false;
  if (error.command !== 'RCPT TO') return false;
  const response = 'response' in error ? String(error.response) : '';
  const addressStatus = /^\d{3}[ -][45]\.1\.(\d+)/.exec(response)?.[1];
  if (addressStatus === '7' || addressStatus === '8') return false;
  return addressStatus !== undefined || Number(error.responseCode) >= 500;
}

/** Writes `<mailId>.eml` into the folder, readable by its owner only. For development. The link is a secret, and not logged. */
export function folderTransport(folder: string, from: string, log: MailLog): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
  return {
    send: async mail => {
      const { message } = await composer.sendMail({
        from,
        to: recipient(mail),
        subject: mail.subject,
        text: mail.text,
        messageId: messageId(mail, from),
      });
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const file = join(folder, `${mail.mailId}.eml`);
      // Written under another name first, so that nobody who watches the folder reads half a mail.
      await writeFile(`${file}.part`, message, { mode: 0o600 });
      await rename(`${file}.part`, file);
      log.info({ to: mail.to, subject: mail.subject, file }, 'mail written to a file');
    },
    close: () => {
      composer.close();
    },
  };
}
