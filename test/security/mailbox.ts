/** What a node has mailed to an address: without a mail server it writes each mail into a file, and logs where. */
import { readFile } from 'node:fs/promises';
import type { LogLine, NodeProcess } from '../support/node-process.ts';

const read = new Set<unknown>();

/** The text of the next mail to the address with that subject, once there is one; each is given once. */
export async function readMail(node: NodeProcess, to: string, subject: string): Promise<string> {
  const isNew = (line: LogLine): boolean =>
    line['to'] === to && line['subject'] === subject && !read.has(line['file']);
  const { file } = node.lines.find(isNew) ?? (await node.said(isNew));
  read.add(file);
  const text = await readFile(String(file), 'utf8');
  return text.replaceAll('=\r\n', '').replaceAll('=3D', '=');
}

/** The token of the link in the mail that leads to that page. */
export function findToken(mail: string, page: string): string {
  return new RegExp(`/studio/${page}#token=([\\w-]+)`).exec(mail)?.[1] ?? '';
}
