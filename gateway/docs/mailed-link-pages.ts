/**
 * The pages that the links of mails lead to (gateway/mail/messages.ts): each explains what its button does, and its script
 * (mailed-links.browser.js) does it over the API. Opening a page changes nothing.
 */
import { html, type Html } from './html.ts';

export interface MailedLinkPage {
  /** Of the address: `/studio/verify`. */
  readonly name: string;
  /** The last part of the operation's path: `/v1/studio/auth/verify-email`. */
  readonly operation: string;
  readonly title: string;
  readonly explanation: string;
  readonly fields?: Html;
  readonly button: string;
  readonly done: string;
  /** The words that lead on to the Console. */
  readonly toConsole?: string;
}

function passwordField(name: string, label: string, autocomplete: 'new-password' | 'current-password'): Html {
  return html`<label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      type="password"
      autocomplete="${autocomplete}"
      maxlength="256"
      aria-describedby="problem"
    />`;
}

const newPassword = html`${passwordField('password', 'New password, 8 characters or more', 'new-password')}
${passwordField('repeated', 'The same password again', 'new-password')}`;

export const mailedLinkPages: readonly MailedLinkPage[] = [
  {
    name: 'verify',
    operation: 'verify-email',
    title: 'Confirm your e-mail address',
    explanation: 'Press the button to confirm that you have made the account with this e-mail address.',
    button: 'Confirm the address',
    done: 'Your e-mail address is confirmed. You can close this page.',
  },
  {
    name: 'reject',
    operation: 'reject-account',
    title: 'Remove the account',
    explanation:
      'Somebody has made an account with your e-mail address. If it was not you, press the button: the account is removed.',
    button: 'Remove the account',
    done: 'The account is removed. You can close this page.',
  },
  {
    name: 'reset',
    operation: 'reset-password',
    title: 'Set a new password',
    explanation: 'The new password replaces the old one, and you are signed out everywhere.',
    fields: newPassword,
    button: 'Set the password',
    done: 'Your new password is set.',
    toConsole: 'Sign in to the Console',
  },
  {
    name: 'join',
    operation: 'accept-invitation',
    title: 'Join the workspace',
    explanation: 'Somebody has invited you to their workspace. Press the button to join it.',
    fields: html`<div id="known" hidden>
        ${passwordField('current', 'Password of your account', 'current-password')}
      </div>
      <div id="unknown" hidden>${newPassword}</div>`,
    button: 'Join',
    done: 'You are a member of the workspace now.',
    toConsole: 'Open the Console',
  },
];

/** Addresses are relative to the page's, so that they are right behind a proxy that adds a path. */
export function mailedLinkPage({
  operation,
  title,
  explanation,
  fields,
  button,
  done,
  toConsole,
}: MailedLinkPage): string {
  const link = toConsole === undefined ? '' : html`<a href="../console">${toConsole}</a>`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} - Skein</title>
        <link rel="icon" href="../favicon.svg" />
        <link rel="stylesheet" href="../docs/style.css" />
        <script type="module" src="mailed-links.js"></script>
      </head>
      <body class="single">
        <main>
          <h1>${title}</h1>
          <form data-operation="${operation}" method="post" novalidate>
            <p>${explanation}</p>
            <p id="problem" role="alert" tabindex="-1"></p>
            ${fields}
            <button>${button}</button>
          </form>
          <p id="done" role="status" tabindex="-1" hidden>${done} ${link}</p>
          <noscript><p>This page needs JavaScript.</p></noscript>
        </main>
      </body>
    </html>`.text;
}
