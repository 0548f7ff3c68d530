/**
 * The development mailbox, /mailbox: the mails that a node without a mail server has written, as pages, so that a sign-up needs no terminal.
 * Their links sign people in, so only a browser on this machine may see them:
 *
 *   - a node serves the mailbox only if it has no mail server and only its own machine reaches it (`servesMailbox`)
 *   - the address in the browser must be this machine's; otherwise a name that an attacker points at it could read it (DNS rebinding)
 *   - a request that a proxy forwarded, or that a page of another site made, is answered 404
 */
import { html, type Html, textPageHeaders } from '../docs/index.ts';
import type { HttpAnswer, HttpRequest, HttpServer } from '../http/index.ts';
import { type Config, isLoopback } from '../config/index.ts';
import { listMails, readMail, type WrittenMail } from './mail-folder.ts';

export const mailboxPath = '/mailbox';

/** Returns whether a node shows its mails. */
export function servesMailbox({ isLocalOnly, smtpUrl }: Pick<Config, 'isLocalOnly' | 'smtpUrl'>): boolean {
  return smtpUrl === undefined && isLocalOnly;
}

const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'] as const;

/** Whether a browser on this machine asks, for itself. */
function isOwnBrowser(request: HttpRequest): boolean {
  const host = URL.parse(`http://${request.header('host')}`)?.hostname;
  if (host === undefined || !isLoopback(host)) return false;
  if (request.address !== '' && !isLoopback(request.address.replace(/^::ffff:/, ''))) return false;
  if (forwarded.some(name => request.header(name) !== '')) return false;
  // A link in another page may lead here; its scripts and pictures may not.
  const site = request.header('sec-fetch-site');
  return (
    site === '' ||
    site === 'none' ||
    site === 'same-origin' ||
    request.header('sec-fetch-mode') === 'navigate'
  );
}

function layout(title: string, content: Html): HttpAnswer {
  const body = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} - Skein mailbox</title>
        <link rel="icon" href="/favicon.svg" />
        <link rel="stylesheet" href="/docs/style.css" />
      </head>
      <body>
        <nav aria-label="Pages">
          <ul>
            <li><a href="${mailboxPath}">Mailbox</a></li>
            <li><a href="/studio">Studio</a></li>
            <li><a href="/console">Console</a></li>
          </ul>
        </nav>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`.text;
  return {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    body,
    headers: {
      ...textPageHeaders,
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
    },
  };
}

function showList(mails: readonly WrittenMail[]): HttpAnswer {
  const intro = html`<p>
    This node has no mail server (SMTP_URL). It keeps its mails here, for you alone, newest first.
    <a href="${mailboxPath}">Look again</a>.
  </p>`;
  const rows = mails.map(
    ({ mailId, subject, to, date }) =>
      html`<section>
        <h2><a href="${mailboxPath}/${mailId}">${subject}</a></h2>
        <p>To ${to}<br />${date}</p>
      </section>`,
  );
  return layout('Mailbox', html`${intro}${mails.length === 0 ? html`<p>There is no mail yet.</p>` : rows}`);
}

function showMail({ subject, to, date, text }: WrittenMail): HttpAnswer {
  const content = html`<dl>
      <dt>To</dt>
      <dd>${to}</dd>
      <dt>Date</dt>
      <dd>${date}</dd>
    </dl>
    <pre>${linkAddresses(text)}</pre>`;
  return layout(subject, content);
}

/** Addresses in the text become links; what is not http stays text. */
function linkAddresses(text: string): readonly (Html | string)[] {
  return text
    .split(/(https?:\/\/[^\s<>"']+)/)
    .map((piece, index) => (index % 2 === 1 ? html`<a href="${piece}">${piece}</a>` : piece));
}

/** Registers the pages, of a node that `servesMailbox`. */
export function serveMailbox(server: Pick<HttpServer, 'route'>, folder: string): void {
  const absent: HttpAnswer = { status: 404, headers: { 'Cache-Control': 'no-store' } };
  const toOwnBrowser =
    (answer: (request: HttpRequest) => Promise<HttpAnswer>) =>
    (request: HttpRequest): HttpAnswer | Promise<HttpAnswer> =>
      isOwnBrowser(request) ? answer(request) : absent;

  server.route(
    'GET',
    mailboxPath,
    toOwnBrowser(async () => showList(await listMails(folder))),
  );
  server.route(
    'GET',
    `${mailboxPath}/{mailId}`,
    toOwnBrowser(async request => {
      const mail = await readMail(folder, request.params[0] ?? '');
      return mail === undefined ? absent : showMail(mail);
    }),
  );
}
