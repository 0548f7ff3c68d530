/** Mail: the texts, the sender of the outbox, and the transports. */
export { MailSender } from './sender.ts';
export { folderTransport, type MailTransport, smtpTransport } from './transport.ts';
