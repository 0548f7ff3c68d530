/** Mails of a node: without a mail server it writes each mail into a file, and logs the path. */
import { readFile } from 'node:fs/promises';
import type { LogLine, LogSource } from './test-log.ts';

/** The page that a link leads to, and the subject of the mails with such a link. */
const subjects = {
  verify: 'Confirm your e-mail address',
  reject: 'Confirm your e-mail address',
  reset: 'Set a new password',
  email: 'Confirm your new e-mail address',
  join: 'You are invited to a workspace',
} as const;
export type MailedPage = keyof typeof subjects;

const given = new Set<unknown>();

/** The text of the newest mail to the address with a link to the page, once there is one; each is given once. */
export async function readMail(node: LogSource, to: string, page: MailedPage): Promise<string> {
  const isNew = (line: LogLine): boolean =>
    line['to'] === to && line['subject'] === subjects[page] && !given.has(line['file']);
  const { file } = node.lines.findLast(isNew) ?? (await node.said(isNew));
  given.add(file);
  return decode(await readFile(String(file), 'utf8'));
}

/** A mail with long lines is quoted-printable (RFC 2045, section 6.7). In another one a token may start with `3D`. */
function decode(mail: string): string {
  if (!/^Content-Transfer-Encoding: quoted-printable/im.test(mail)) return mail;
  return mail.replaceAll('=\r\n', '').replaceAll('=3D', '=');
}

/** The link in the mail that leads to the page, of whichever app. */
export function findLink(mail: string, page: MailedPage): string {
  return new RegExp(`http\\S+/(?:studio|console)/${page}#token=[\\w-]+`).exec(mail)?.[0] ?? '';
}

/** The link of the newest mail, as {@link readMail}. */
export async function readMailedLink(node: LogSource, to: string, page: MailedPage): Promise<string> {
  return findLink(await readMail(node, to, page), page);
}

/** The token of that link. */
export function findToken(mail: string, page: MailedPage): string {
  return findLink(mail, page).split('#token=')[1] ?? '';
}

/** Of the newest mail, as {@link readMail}. */
export async function readMailedToken(node: LogSource, to: string, page: MailedPage): Promise<string> {
  return findToken(await readMail(node, to, page), page);
}
