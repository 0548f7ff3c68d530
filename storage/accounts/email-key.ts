/** What makes two e-mail addresses the same account: trimmed, NFC, lower case. */
export function emailKey(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}
