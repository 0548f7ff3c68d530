/** The plain texts of the mails that the service sends. */
import type { ChannelNotice } from '../../actors/channel/index.ts';
import type { AccountNotice, EmailChangeMail, MailKind, VerificationMail } from '../../storage/mail/index.ts';
import type { MailedApp } from '../../protocol/resources/index.ts';
import type { InvitationMail } from '../../storage/tenancy/index.ts';

export interface MailText {
  readonly subject: string;
  readonly text: string;
  /** The link that the mail asks its reader to open. */
  readonly link: string;
}

/** The content of a mail of kind `stitch_stopped`. */
export interface StitchStopped {
  readonly stitchId: string;
  readonly name: string;
  readonly webhookUrl: string | null;
  readonly status: string;
}

/**
 * @param secret the content of the mail: a single-use token, or JSON
 * @param baseUrl the public address of the service
 * @param recipient the address that the mail goes to
 */
export function mailText(kind: MailKind, secret: string, baseUrl: string, recipient: string): MailText {
  switch (kind) {
    case 'verify_email':
      return verifyEmail({ token: secret }, baseUrl, recipient);
    case 'verify_account':
      return verifyEmail(JSON.parse(secret) as VerificationMail, baseUrl, recipient);
    case 'reset_password':
      return resetPassword(secret, baseUrl, recipient, 'studio');
    case 'reset_console_password':
      return resetPassword(secret, baseUrl, recipient, 'console');
    case 'invitation':
      return invitation(JSON.parse(secret) as InvitationMail, baseUrl);
    case 'stitch_stopped':
      return stitchStopped(JSON.parse(secret) as StitchStopped, baseUrl);
    case 'change_email':
      return changeEmail({ token: secret }, baseUrl, recipient);
    case 'change_account_email':
      return changeEmail(JSON.parse(secret) as EmailChangeMail, baseUrl, recipient);
    case 'account_notice':
      return accountNotice(JSON.parse(secret) as AccountNotice, baseUrl);
    case 'channel_credential':
      return channelCredential(JSON.parse(secret) as ChannelNotice, baseUrl);
  }
}

// In the fragment, because browsers send fragments neither to servers nor in referrers.
const linkTo = (baseUrl: string, page: string, token: string, app: MailedApp = 'studio'): string =>
  `${baseUrl}/${app}/${page}#token=${token}`;

/** Longest name in a mail, in code points: enough to know it by, too short for a message of its own. */
const maxNameLength = 40;

/** Longest e-mail address in a mail, in code points: few are longer. */
const maxAddressLength = 80;

/** What a user typed, or a provider said of them: quoted, so that it does not read as ours, and no longer than need be. */
function quote(name: string, maxLength = maxNameLength): string {
  const points = [...name];
  return JSON.stringify(points.length > maxLength ? `${points.slice(0, maxLength - 3).join('')}...` : name);
}

type Verification = Pick<VerificationMail, 'token'> & Partial<VerificationMail>;

function verifyEmail(
  { token, madeAt, madeFrom, app }: Verification,
  baseUrl: string,
  recipient: string,
): MailText {
  const link = linkTo(baseUrl, 'verify', token, app);
  const when = madeAt === undefined ? [] : [`  on ${madeAt.slice(0, 10)} at ${madeAt.slice(11, 16)} UTC`];
  const where = madeFrom === undefined || madeFrom === null ? [] : [`  from ${madeFrom}`];
  return {
    subject: 'Confirm your e-mail address',
    link,
    text: [
      'Welcome to Skein.',
      '',
      'An account was made with your e-mail address:',
      '',
      `  ${recipient}`,
      ...when,
      ...where,
      '',
      'If that was you, open this link to confirm your e-mail address:',
      '',
      link,
      '',
      'or confirm it over the API with this code:',
      '',
      token,
      '',
      'If this was not you, do not confirm it. This link removes the account:',
      '',
      linkTo(baseUrl, 'reject', token, app),
      '',
      'All work for 24 hours, and one of them once.',
      '',
    ].join('\n'),
  };
}

function resetPassword(token: string, baseUrl: string, account: string, app: MailedApp): MailText {
  const link = linkTo(baseUrl, 'reset', token, app);
  return {
    subject: 'Set a new password',
    link,
    text: [
      'Someone asked to reset the password of your account:',
      '',
      `  ${account}`,
      '',
      'Open this link to set one:',
      '',
      link,
      '',
      'It works once, for 60 minutes, and signs you out everywhere.',
      'If you did not ask for this, ignore this mail: your password does not change.',
      '',
    ].join('\n'),
  };
}

function changeEmail(
  { token, account }: Partial<EmailChangeMail> & Pick<EmailChangeMail, 'token'>,
  baseUrl: string,
  recipient: string,
): MailText {
  const link = linkTo(baseUrl, 'email', token);
  return {
    subject: 'Confirm your new e-mail address',
    link,
    text: [
      'Someone asked to change the e-mail address of their account',
      ...(account === undefined ? [] : ['', `  ${quote(account, maxAddressLength)}`, '']),
      'to this one:',
      '',
      `  ${recipient}`,
      '',
      'If that was you, open this link, and confirm it with your password:',
      '',
      link,
      '',
      'It works once, for 24 hours. Until then the account keeps its present address.',
      'If this was not you, ignore this mail.',
      '',
    ].join('\n'),
  };
}

interface NoticeTexts {
  readonly subject: string;
  readonly done: string;
  readonly next: string | undefined;
}

/** What was done, and what follows from it. */
function describeNotice({ what, email }: Pick<AccountNotice, 'what' | 'email'>): NoticeTexts {
  return {
    email_change_asked: {
      subject: 'Your e-mail address is about to change',
      done: `Somebody who knows your password asked to change the e-mail address of your account to ${email ?? 'another one'}.`,
      next: 'It changes when the link that was mailed there is opened.',
    },
    email_wanted: {
      subject: 'Someone asked to use your e-mail address',
      done: 'Someone asked to change the e-mail address of another account to yours. Nothing has changed: your account keeps the address.',
      next: undefined,
    },
    email_changed: {
      subject: 'Your e-mail address was changed',
      done: `The e-mail address of your account is now ${email ?? 'another one'}. You sign in with that one.`,
      next: undefined,
    },
    password_changed: {
      subject: 'Your password was changed',
      done: 'The password of your account was changed, and all other sessions were signed out.',
      next: undefined,
    },
    second_factor_enabled: {
      subject: 'A second factor was set up',
      done: 'Your account now asks for a code of your authenticator app when you sign in. All other sessions were signed out.',
      next: undefined,
    },
    second_factor_disabled: {
      subject: 'Your second factor was removed',
      done: 'Your account no longer asks for a code of your authenticator app. Without a passkey, whoever has your password can sign in.',
      next: undefined,
    },
    passkey_added: {
      subject: 'A passkey was added',
      done: 'A passkey was added to your account: whoever has it can sign in. If it is the first, your account asks for it after your password, too, and all other sessions were signed out.',
      next: undefined,
    },
    passkey_removed: {
      subject: 'A passkey was removed',
      done: 'A passkey of your account was removed, and does not sign in any more. If it was your only second factor, whoever has your password can sign in.',
      next: undefined,
    },
    account_deleted: {
      subject: 'Your account was deleted',
      done: 'Your account was deleted, with its memberships. This cannot be undone.',
      next: undefined,
    },
  }[what];
}

function accountNotice(notice: AccountNotice, baseUrl: string): MailText {
  const { what, at, from } = notice;
  const { subject, done, next }: NoticeTexts = describeNotice(notice);
  const link = `${baseUrl}/studio/forgot-password`;
  const isLate = what === 'email_changed' || what === 'account_deleted';
  return {
    subject,
    link,
    text: [
      done,
      ...(next === undefined ? [] : [next]),
      '',
      `  on ${at.slice(0, 10)} at ${at.slice(11, 16)} UTC`,
      `  from ${from}`,
      '',
      ...(isLate
        ? ['If this was not you, tell an owner of your workspace at once.']
        : ['If this was not you, set a new password. That also stops a change of address:', '', link]),
      '',
    ].join('\n'),
  };
}

function invitation({ token, workspace, inviter, app }: InvitationMail, baseUrl: string): MailText {
  const link = linkTo(baseUrl, 'join', token, app);
  return {
    subject: 'You are invited to a workspace',
    link,
    text: [
      `${quote(inviter, maxAddressLength)} invites you to the workspace`,
      `${quote(workspace)}.`,
      '',
      'Open this link to join it:',
      '',
      link,
      '',
      'It works once, for 7 days.',
      'If you do not know the sender, ignore this mail.',
      '',
    ].join('\n'),
  };
}

function stitchStopped({ stitchId, name, webhookUrl, status }: StitchStopped, baseUrl: string): MailText {
  // A browser has no credential for the API: the mail leads to the page that says how to ask it.
  const link = `${baseUrl}/docs`;
  const disabled = status === 'disabled';
  return {
    subject: disabled ? 'A webhook was disabled' : 'A webhook is failing',
    link,
    text: [
      `The stitch ${quote(name)} (${stitchId}) could not deliver to ${webhookUrl ?? 'its address'}.`,
      '',
      disabled
        ? 'It is disabled: no more events are queued for it. Set its status to active to continue, then replay what it missed.'
        : 'Its events are queued, and it is tried once a minute. Delivery resumes as soon as the receiver answers.',
      '',
      `Read it with GET /v1/stitches/${stitchId}, and its deliveries with GET /v1/webhook-deliveries. The API reference:`,
      '',
      link,
      '',
    ].join('\n'),
  };
}

/** Longest text of the chat provider in a mail, in code points. */
const maxReasonLength = 200;

/** The day is enough: the mail says what to do, and not how long it is still possible. */
function channelCredential(notice: ChannelNotice, baseUrl: string): MailText {
  const { channelId, name, reason, expiresAt, message } = notice;
  const link = `${baseUrl}/docs`;
  const day = expiresAt === null ? 'soon' : `on ${expiresAt.slice(0, 10)}`;
  const what = {
    expiring: `The access token of the channel ${quote(name)} (${channelId}) ends ${day}, and cannot be renewed automatically.`,
    expired: `The chat provider no longer accepts the access token of the channel ${quote(name)} (${channelId}).`,
    lost: `The channel ${quote(name)} (${channelId}) has lost its connection to the chat provider.`,
  };
  const until =
    reason === 'expiring'
      ? 'From then on nothing is sent.'
      : 'Messages to be sent wait for an hour, and then fail.';
  return {
    subject: reason === 'expiring' ? 'An access token is about to expire' : 'A channel is disconnected',
    link,
    text: [
      what[reason],
      ...(message === null ? [] : ['', `The provider says: ${quote(message, maxReasonLength)}`]),
      '',
      `${until} Connect the channel again, with a new token, by`,
      `POST /v1/channels/${channelId}/chatapp/connect. The API reference:`,
      '',
      link,
      '',
    ].join('\n'),
  };
}
