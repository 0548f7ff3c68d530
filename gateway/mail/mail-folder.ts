/** Reads the mails that the folder transport has written: its own form, and no more of RFC 5322. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface WrittenMail {
  readonly mailId: string;
  readonly to: string;
  readonly subject: string;
  readonly date: string;
  readonly text: string;
}

/** What the transport calls its files: an id of the outbox. */
const fileForm = /^([0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.eml$/;

/** Mails that are listed. */
const shown = 100;

/** The newest first; none where there is no folder. */
export async function listMails(folder: string): Promise<readonly WrittenMail[]> {
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(
    names
      .filter(name => fileForm.test(name))
      .map(async name => ({
        name,
        at: (await stat(join(folder, name)).catch(() => undefined))?.mtimeMs ?? 0,
      })),
  );
  const newest = files.sort((a, b) => b.at - a.at).slice(0, shown);
  const mails = await Promise.all(newest.map(({ name }) => readMail(folder, name.slice(0, -'.eml'.length))));
  return mails.filter(mail => mail !== undefined);
}

/** Undefined where there is no such mail, and for what is no id of one. */
export async function readMail(folder: string, mailId: string): Promise<WrittenMail | undefined> {
  const name = `${mailId}.eml`;
  if (!fileForm.test(name)) return undefined;
  const source = await readFile(join(folder, name), 'utf8').catch(() => undefined);
  return source === undefined ? undefined : { mailId, ...parseMail(source) };
}

/** Of a mail with one part of text. */
export function parseMail(source: string): Omit<WrittenMail, 'mailId'> {
  const end = source.indexOf('\r\n\r\n');
  const head = source.slice(0, end).replace(/\r\n[ \t]+/g, ' ');
  const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';
  const text = decode(source.slice(end + 4), field('Content-Transfer-Encoding').toLowerCase());
  return {
    to: decodeWords(field('To')).replace(/^"" ?|[<>]/g, ''),
    subject: decodeWords(field('Subject')),
    date: field('Date'),
    text: text.replaceAll('\r\n', '\n'),
  };
}

function decode(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return body;
  return decodeQuoted(body.replaceAll('=\r\n', ''));
}

/** RFC 2045, 6.7. */
function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** RFC 2047: words of other letters than ASCII. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, encoding: string, word: string) =>
      encoding.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString('utf8')
        : decodeQuoted(word.replaceAll('_', ' ')),
    );
}
