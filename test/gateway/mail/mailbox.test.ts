/** The development mailbox: what it shows, and to whom it shows nothing. */
import t, { type Test } from 'tap';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveMailbox, servesMailbox } from '../../../gateway/mail/mailbox.ts';
import { mailText } from '../../../gateway/mail/messages.ts';
import { folderTransport } from '../../../gateway/mail/transport.ts';
import { startServer } from '../http/http-fixture.ts';

const mailId = '0b0c1f3e-7f57-4c34-9f0e-6f6a5b8f7a11';
const token = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4';

async function start(t: Test) {
  const folder = await mkdtemp(join(tmpdir(), 'skein-mailbox-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const transport = folderTransport(folder, 'Skein <skein@localhost>', { info: () => undefined });
  const { url } = await startServer(t, server => serveMailbox(server, folder));
  return { folder, transport, url };
}

/** With headers that fetch does not let through. */
function ask(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { headers, setHost: false }, response => {
      response.resume();
      resolve(response.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

t.test('a mail is listed, and shown with its links; what others wrote in it stays text', async t => {
  const { transport, url } = await start(t);
  t.match(await (await fetch(`${url}/mailbox`)).text(), 'There is no mail yet');
  const content = { token, workspace: '<img src=x onerror=alert(1)> Größe', inviter: 'ada@example.com' };
  await transport.send({
    mailId,
    to: 'grace@example.com',
    ...mailText('invitation', JSON.stringify(content), 'http://127.0.0.1:8080', 'ada@example.com'),
  });
  const list = await (await fetch(`${url}/mailbox`)).text();
  t.match(list, 'grace@example.com');
  t.match(list, `<a href="/mailbox/${mailId}">You are invited to a workspace</a>`);
  const answer = await fetch(`${url}/mailbox/${mailId}`);
  const page = await answer.text();
  const link = `http://127.0.0.1:8080/studio/join#token=${token}`;
  t.match(page, `<a href="${link}">${link}</a>`);
  t.match(page, '&lt;img src=x onerror=alert(1)&gt; Größe');
  t.notMatch(page, '<img');
  t.equal(answer.headers.get('cache-control'), 'no-store');
  t.equal(answer.headers.get('referrer-policy'), 'no-referrer');
  t.equal(answer.headers.get('access-control-allow-origin'), null);
  t.match(answer.headers.get('content-security-policy'), /^default-src 'none'; .*frame-ancestors 'none'/);
});

t.test('nothing but mails is read from the folder', async t => {
  const { folder, url } = await start(t);
  await writeFile(join(folder, 'other.eml'), 'no mail of ours');
  t.notMatch(await (await fetch(`${url}/mailbox`)).text(), 'other');
  for (const id of ['other', mailId, '..%2f..%2fetc%2fpasswd', '%2e%2e']) {
    t.equal((await fetch(`${url}/mailbox/${id}`)).status, 404, id);
  }
});

t.test('only a browser on this machine gets it, for itself', async t => {
  const { url } = await start(t);
  const { host, port } = new URL(url);
  t.equal(await ask(`${url}/mailbox`, { host }), 200);
  t.equal(await ask(`${url}/mailbox`, { host: `localhost:${port}` }), 200);
  t.equal(await ask(`${url}/mailbox`, { host: `rebound.example.com:${port}` }), 404, 'DNS rebinding');
  t.equal(await ask(`${url}/mailbox`, { host: '127.0.0.1.example.com' }), 404);
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via']) {
    t.equal(await ask(`${url}/mailbox`, { host, [name]: '192.0.2.1' }), 404, name);
  }
  for (const site of ['cross-site', 'same-site']) {
    const from = { host, 'sec-fetch-site': site };
    t.equal(await ask(`${url}/mailbox`, { ...from, 'sec-fetch-mode': 'no-cors' }), 404, site);
    t.equal(await ask(`${url}/mailbox`, { ...from, 'sec-fetch-mode': 'navigate' }), 200, 'a link leads here');
  }
});

t.test('a node that only its machine reaches serves it, unless it has a mail server', async t => {
  const local = { isLocalOnly: true, smtpUrl: undefined };
  t.equal(servesMailbox(local), true);
  t.equal(servesMailbox({ ...local, isLocalOnly: false }), false);
  t.equal(servesMailbox({ ...local, smtpUrl: 'smtp://mail.example.com' }), false);
});
