/** Mail that has to go out: rows of the transaction that causes it, sent after the commit, retried until it expires. */
export { createEmailToken, emailKey } from './email.ts';
export { findOldestMail } from './oldest-mail.ts';
export {
  type AccountNotice,
  type ClaimedMail,
  type EmailChangeMail,
  type MailKind,
  resetMailKinds,
  MailOutbox,
  mailOwners,
  type OwnerMail,
  type SealedMail,
  type VerificationMail,
} from './mail-outbox.ts';
