import { randomBytes } from 'node:crypto';

/** What makes two e-mail addresses the same account: trimmed, NFC, lower case. */
export function emailKey(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}

/** The single-use token of a link in a mail: 192 bits in 32 characters, so that the link fits one line of the mail. */
export function createEmailToken(): string {
  return randomBytes(24).toString('base64url');
}
