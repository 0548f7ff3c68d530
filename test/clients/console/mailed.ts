/** What a node in the test's own process has mailed: it writes each mail into a folder. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { eventually } from '../../support/eventually.ts';
import { findLink, type MailedPage } from '../../support/mailbox.ts';

/** The token of the newest mail to the address with a link to the page. */
export async function readMailedToken(dataFolder: string, to: string, page: MailedPage): Promise<string> {
  return new URL(await readMailedLink(dataFolder, to, page)).hash.slice('#token='.length);
}

/** The link as it is in the newest mail to the address. */
export async function readMailedLink(dataFolder: string, to: string, page: MailedPage): Promise<string> {
  let link = '';
  await eventually(`mail to ${to} with a link to ${page}`, async () => {
    const texts = await readMails(dataFolder, to);
    link = texts.map(text => findLink(text, page)).findLast(found => found !== '') ?? '';
    return link !== '';
  });
  return link;
}

/** All that the address was mailed, in order. */
async function readMails(dataFolder: string, to: string): Promise<readonly string[]> {
  const folder = join(dataFolder, 'mail');
  const names = await readdir(folder).catch(() => []);
  // Those that are still being written have other names. The names say nothing of the order.
  const written = await Promise.all(
    names
      .filter(name => name.endsWith('.eml'))
      .map(async name => ({ file: join(folder, name), at: (await stat(join(folder, name))).mtimeMs })),
  );
  written.sort((a, b) => a.at - b.at);
  const mails = await Promise.all(written.map(({ file }) => readFile(file, 'utf8')));
  return mails
    .filter(mail => mail.includes(to))
    .map(mail => mail.replaceAll('=\r\n', '').replaceAll('=3D', '='));
}

/** For DATA_DIR. Ends with the test. */
export async function createMailFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `skein-test-${process.pid}-mail-`));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
