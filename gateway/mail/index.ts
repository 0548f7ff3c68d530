/** Mail: the texts, the sender of the outbox, the transports, and the pages of a node that has no mail server. */
export { mailboxPath, serveMailbox, servesMailbox } from './mailbox.ts';
export { MailMetrics } from './metrics.ts';
export { MailSender } from './sender.ts';
export { folderTransport, type MailTransport, smtpTransport } from './transport.ts';
