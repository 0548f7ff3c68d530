import t from 'tap';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mailText } from '../../../gateway/mail/messages.ts';
import {
  folderTransport,
  isRecipientRefused,
  smtpTransport,
  type OutgoingMail,
} from '../../../gateway/mail/transport.ts';
import { startSmtpServer } from '../../support/smtp-server.ts';

const from = 'Skein <skein@example.com>';
const secret = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4';
const mail: OutgoingMail = {
  mailId: '0b0c1f3e-7f57-4c34-9f0e-6f6a5b8f7a11',
  to: 'ada@example.com',
  ...mailText('verify_email', secret, 'http://127.0.0.1:8080', 'ada@example.com'),
};

t.test('the text says what to do, with the token out of servers\u2019 sight', async t => {
  t.equal(mail.link, `http://127.0.0.1:8080/studio/verify#token=${secret}`);
  t.ok(mail.text.split('\n').includes(mail.link));
  t.ok(mail.text.split('\n').includes(secret));
});

t.test('the name of the inviter is quoted and cut, so that it reads as no text of ours', async t => {
  const invite = (inviter: string): string[] =>
    mailText(
      'invitation',
      JSON.stringify({ token: secret, workspace: 'Acme', inviter }),
      'http://skein.test',
      'ada@example.com',
    )
      .text.split('\n')
      .slice(0, 2);
  t.strictSame(invite('ada@example.com'), ['"ada@example.com" invites you to the workspace', '"Acme".']);
  const letter = `Your account is closed.\n\nOpen https://evil.example\n${'Now. '.repeat(100)}@acme.test`;
  const [first = '', second] = invite(letter);
  t.match(first, /^"Your account is closed\.\\n\\nOpen https:\/\/evil\.example\\n[^"]*\.\.\." invites you/);
  t.ok(first.length < 130, `${first.length} characters`);
  t.equal(second, '"Acme".');
});

t.test(
  'without SMTP a mail is a file that its owner can read the link in, and a line in the log without it',
  async t => {
    const folder = await mkdtemp(join(tmpdir(), 'skein-mail-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    const lines: object[] = [];
    const transport = folderTransport(join(folder, 'mail'), from, { info: fields => lines.push(fields) });
    await transport.send(mail);
    await transport.send(mail);
    t.same(await readdir(join(folder, 'mail')), [`${mail.mailId}.eml`], 'sent twice is still one mail');
    const file = join(folder, 'mail', `${mail.mailId}.eml`);
    const text = await readFile(file, 'utf8');
    t.match(text, /^From: Skein <skein@example.com>\r$/m);
    t.match(text, /^To: ada@example.com\r$/m);
    t.match(text, `Message-ID: <${mail.mailId}@example.com>`);
    t.ok(text.includes(mail.link), 'the link is unbroken and unencoded');
    t.equal((await stat(file)).mode & 0o777, 0o600);
    t.match(lines[0], { to: mail.to, file });
    t.notMatch(JSON.stringify(lines), secret, 'whoever reads the log cannot sign in');
    transport.close();
  },
);

t.test('a folder that cannot be written is a failure', async t => {
  const transport = folderTransport('/dev/null/mail', from, { info: () => undefined });
  await t.rejects(transport.send(mail), { code: 'ENOTDIR' });
});

t.test('with SMTP a mail goes to the server, once per send', async t => {
  const { received, server, url } = await startSmtpServer();
  const transport = smtpTransport(url, from);
  t.teardown(() => {
    transport.close();
    server.close();
  });
  await transport.send(mail);
  t.match(received.slice(0, 2), [/^MAIL FROM:<skein@example.com>/, /^RCPT TO:<ada@example.com>/]);
  t.match(received[2], `Message-ID: <${mail.mailId}@example.com>`);
  t.ok(received[2]?.includes(mail.link));
  t.equal(received.length, 3);
});

t.test(
  'outside this machine, a server that offers no STARTTLS gets nothing, unless that is permitted',
  async t => {
    const { received, server, url } = await startSmtpServer();
    t.teardown(() => server.close());
    // Leads to this machine, and is not called so.
    const remote = url.replace('127.0.0.1', '0.0.0.0');
    const strict = smtpTransport(remote, from);
    await t.rejects(strict.send(mail), { code: 'ETLS' });
    t.same(received, []);
    const permitted = smtpTransport(`${remote}?requireTLS=false`, from);
    await permitted.send(mail);
    t.equal(received.length, 3);
    strict.close();
    permitted.close();
  },
);

t.test('an address cannot add a header or a second recipient', async t => {
  const { received, server, url } = await startSmtpServer();
  const transport = smtpTransport(url, from);
  t.teardown(() => {
    transport.close();
    server.close();
  });
  for (const to of ['ada@example.com\r\nBcc: eve@example.com', 'ada@example.com, eve@example.com']) {
    await transport.send({ ...mail, to }).catch(() => undefined);
  }
  for (const text of received) t.notMatch(text, /^(Bcc|RCPT TO:<eve)/m);
  t.ok(received.length > 0, 'something was tried');
});

t.test('a refused recipient is told from a server that fails', async t => {
  const fault = async (answerToData: string, answerToRecipient: string): Promise<unknown> => {
    const { server, url } = await startSmtpServer({ answerToData, answerToRecipient });
    const transport = smtpTransport(url, from);
    t.teardown(() => {
      transport.close();
      server.close();
    });
    return transport.send(mail).then(
      () => undefined,
      (error: unknown) => error,
    );
  };
  for (const refusal of [
    '550 no such user',
    '550 5.1.1 no such user',
    '450 4.1.2 <ada@example.com>: Recipient address rejected: Domain not found',
  ]) {
    t.ok(isRecipientRefused(await fault('250 taken', refusal)), refusal);
  }
  for (const [toData, toRecipient] of [
    ['250 taken', '451 later'],
    ['250 taken', '450 4.2.1 try again later'],
    ['250 taken', '450 4.1.8 <skein@example.com>: Sender address rejected: Domain not found'],
    ['250 taken', '550 5.1.8 <skein@example.com>: Sender address rejected'],
    ['550 no mail from you', '250 fine'],
    ['451 not now', '250 fine'],
  ] as const) {
    const error = await fault(toData, toRecipient);
    t.ok(
      error instanceof Error && error.message.includes((toData + toRecipient).match(/[45]\d\d/)?.[0] ?? ''),
      `${toData}, ${toRecipient}`,
    );
    t.notOk(isRecipientRefused(error), `${toData}, ${toRecipient}`);
  }
  const gone = smtpTransport('smtp://127.0.0.1:1', from);
  t.teardown(() => gone.close());
  const unreachable = await gone.send(mail).catch((error: unknown) => error);
  t.match(unreachable, { code: /ECONNREFUSED|ESOCKET/ });
  t.notOk(isRecipientRefused(unreachable));
});

t.test('a mailed link names the account that it is for', t => {
  const [ada, baseUrl] = ['ada@example.com', 'http://skein.test'];
  const change = JSON.stringify({ token: 'T', account: 'former@example.com' });
  for (const [kind, secret, account] of [
    [
      'verify_account',
      JSON.stringify({ token: 'T', madeAt: '2026-11-20T12:00:00.000Z', madeFrom: null }),
      ada,
    ],
    ['reset_password', 'T', ada],
    ['reset_console_password', 'T', ada],
    ['change_account_email', change, 'former@example.com'],
  ] as const) {
    const { text } = mailText(kind, secret, baseUrl, ada);
    t.match(text, account, kind);
    t.match(text, `  ${ada}`, kind);
  }
  t.end();
});
