/** The texts of the mails that the service sends, in plain text. */
import type { MailKind } from '../../storage/accounts/mails.ts';

export interface MailText {
  readonly subject: string;
  readonly text: string;
  /** The link that the text is about. */
  readonly link: string;
}

/** `baseUrl` is the public address of the service; `secret` the single-use token that the link carries. */
export function mailText(kind: MailKind, secret: string, baseUrl: string): MailText {
  switch (kind) {
    case 'verify_email': {
      // In the fragment the token stays out of server logs and referrers.
      const link = `${baseUrl}/studio/verify#token=${secret}`;
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
          secret,
          '',
          'Both work once, for 24 hours. If you did not sign up, ignore this mail.',
          '',
        ].join('\n'),
      };
    }
  }
}
