import { randomBytes } from 'node:crypto';

/** The single-use token of a link in a mail: 192 bits in 32 characters, so that the link fits a line of mail unbroken. */
export function emailSecret(): string {
  return randomBytes(24).toString('base64url');
}
