/** The texts of the mails that the service sends, in plain text. */
import type { MailKind } from '../../storage/accounts/mails.ts';
import type { InvitationMail } from '../../storage/tenancy/invitations.ts';

export interface MailText {
  readonly subject: string;
  readonly text: string;
  /** The link that the text is about. */
  readonly link: string;
}

/** What a mail of kind `stitch_stopped` carries. */
export interface StitchStopped {
  readonly stitchId: string;
  readonly name: string;
  readonly webhookUrl: string | null;
  readonly status: string;
}

/** `baseUrl` is the public address of the service; `secret` what the mail carries: a single-use token, or JSON of its news. */
export function mailText(kind: MailKind, secret: string, baseUrl: string): MailText {
  switch (kind) {
    case 'verify_email':
      return verifyEmail(secret, baseUrl);
    case 'reset_password':
      return resetPassword(secret, baseUrl);
    case 'invitation':
      return invitation(JSON.parse(secret) as InvitationMail, baseUrl);
    case 'stitch_stopped':
      return stitchStopped(JSON.parse(secret) as StitchStopped, baseUrl);
  }
}

// In the fragment the token stays out of server logs and referrers.
const linkTo = (baseUrl: string, page: string, token: string): string =>
  `${baseUrl}/studio/${page}#token=${token}`;

function verifyEmail(token: string, baseUrl: string): MailText {
  const link = linkTo(baseUrl, 'verify', token);
  return {
    subject: 'Confirm your e-mail address',
    link,
    text: [
      'Welcome to Skein.',
      '',
      'Open this link to confirm your e-mail address:',
      '',
      link,
      '',
      'or enter this code:',
      '',
      token,
      '',
      'Both work once, for 24 hours. If you did not sign up, ignore this mail.',
      '',
    ].join('\n'),
  };
}

function resetPassword(token: string, baseUrl: string): MailText {
  const link = linkTo(baseUrl, 'reset', token);
  return {
    subject: 'Set a new password',
    link,
    text: [
      'Somebody, you we hope, has asked for a new password for your account.',
      '',
      'Open this link to set one:',
      '',
      link,
      '',
      'It works once, for 60 minutes, and signs you out everywhere.',
      'If you did not ask for it, ignore this mail: your password stays as it is.',
      '',
    ].join('\n'),
  };
}

function invitation({ token, workspace, inviter }: InvitationMail, baseUrl: string): MailText {
  const link = linkTo(baseUrl, 'join', token);
  return {
    subject: 'You are invited to a workspace',
    link,
    text: [
      `${inviter} invites you to the workspace`,
      // Quoted: the name is whatever somebody has typed.
      `${JSON.stringify(workspace)}.`,
      '',
      'Open this link to join it:',
      '',
      link,
      '',
      'It works once, for 7 days.',
      'If you do not know who invites you, ignore this mail.',
      '',
    ].join('\n'),
  };
}

function stitchStopped({ stitchId, name, webhookUrl, status }: StitchStopped, baseUrl: string): MailText {
  const link = `${baseUrl}/v1/stitches/${stitchId}`;
  const disabled = status === 'disabled';
  return {
    subject: disabled ? 'A webhook was disabled' : 'A webhook is failing',
    link,
    text: [
      `The stitch ${JSON.stringify(name)} (${stitchId}) could not deliver to ${webhookUrl ?? 'its address'}.`,
      '',
      disabled
        ? 'It is disabled: events are not queued for it any more. Set its status to active to go on, then replay what it missed.'
        : 'Events are kept for it, and it is tried once a minute; it goes on by itself as soon as the receiver answers.',
      '',
      link,
      '',
    ].join('\n'),
  };
}
