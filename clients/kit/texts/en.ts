/** What all web apps say, in English: signing in and up, pages that cannot be shown, the menu of who is signed in. */

import { ownAccount } from './own-account-en.ts';

export const english = {
  account: {
    email: 'E-mail',
    password: 'Password',
    newPassword: 'New password',
    passwordHint: '8 characters or more',
    required: 'Please fill this in.',
    emailForm: 'This is no e-mail address.',
    passwordLength: 'A password has 8 to 256 characters.',
    toSignIn: 'Back to sign in',
    openMailbox: 'Open the mailbox',
    signIn: {
      title: 'Sign in',
      submit: 'Sign in',
      forgot: 'Forgotten your password?',
      signUp: 'Create an account',
    },
    secondStep: {
      title: 'Enter your code',
      intro: 'Your account has a second factor: the code is in your authenticator app.',
      over: 'This sign-in is over. Enter your password again.',
    },
    secondFactorHint: {
      about: (workspaces: string) => `You need a second factor for: ${workspaces}.`,
      setUp: 'Set it up in your account',
    },
    signUp: {
      title: 'Create an account',
      intro:
        'It comes with a workspace of its own. To join that of your team, open the invitation in your mail.',
      workspace: 'Name of your workspace',
      workspaceHint: 'You can change it later.',
      submit: 'Create the account',
    },
    forgot: {
      title: 'Forgotten your password?',
      intro: 'We send a link to your address, by which you set a new one.',
      submit: 'Send the link',
      sent: (email: string) =>
        `If ${email} has an account here, a mail is on its way to it. Its link works once, for 60 minutes.`,
    },
    reset: {
      title: 'Set a new password',
      intro: 'It replaces the old one, and signs you out everywhere.',
      submit: 'Set the password',
      done: 'Your new password is set.',
    },
    changeEmail: {
      title: 'Confirm your new e-mail address',
      intro: 'Enter the password of your account. Then you sign in with this address.',
      submit: 'Change the address',
      done: 'Your e-mail address is changed.',
    },
    join: {
      title: 'Join the workspace',
      intro: 'Somebody has invited you to their workspace.',
      submit: 'Join',
      known: 'Your address has an account here. Enter its password to join.',
      wrong:
        'That is not the password of your account. If it has a second factor, sign in first, then open the link again.',
      fresh: 'Your address has no account here yet. Choose a password for it.',
    },
    verify: {
      title: 'Confirm your e-mail address',
      intro: 'Confirm that you have made the account with this e-mail address.',
      submit: 'Confirm the address',
      done: 'Your e-mail address is confirmed.',
      goOn: (app: string) => `Go to ${app}`,
      unverified: 'Confirm your e-mail address first',
      mailed: (email: string) => `A mail with a link was sent to ${email}. Open it to begin.`,
      resend: 'Send the mail again',
      resent: 'A mail is on its way.',
      proceed: 'I have confirmed it',
      signOut: 'Sign out',
    },
    reject: {
      title: 'Remove the account',
      intro:
        'Somebody has made an account with your e-mail address. If it was not you, press the button: the account is removed.',
      submit: 'Remove the account',
      done: 'The account is removed. You can close this page.',
    },
    problems: {
      wrong: 'The e-mail address or the password is wrong.',
      noWorkspace: 'Your account belongs to no workspace any more. Ask for an invitation.',
      closed: 'This server takes no new accounts. Ask somebody of your team for an invitation.',
      inUse: 'This address has an account already. Sign in with it.',
      domain: 'This server takes no accounts with addresses like yours.',
      usedLink:
        'This link is not valid. It may have been used already, or a newer mail may have replaced it.',
      expiredLink: 'This link has expired. Ask for a new mail.',
      wrongPassword: 'That is not the password of your account.',
      wrongCode: 'This code is wrong, or was used before. Wait for the next one.',
      tooMany: 'These were too many tries. Wait a minute, then try again.',
      busy: 'The server is busy. Try again in a moment.',
      unreachable: 'The server cannot be reached. Check your connection, then try again.',
      incompleteLink: 'This address is not complete. Open the link as it is in the mail.',
      other: (reason: string, requestId: string) => `${reason} (${requestId})`,
    },
  },
  ownAccount,
  shell: {
    close: 'Close',
    sandbox: 'Sandbox',
    production: 'Production: real customers',
    place: 'Project and environment',
    loading: 'Loading',
    unreachable: 'The server cannot be reached. This page goes on by itself as soon as it can.',
    failed: 'This page could not be shown.',
    reload: 'Load it again',
    notFound: 'There is nothing at this address.',
    toStart: (app: string) => `Go to ${app}`,
    user: (name: string) => `${name}: settings and sign out`,
    appearance: 'Appearance',
    schemes: { light: 'Light', dark: 'Dark', auto: 'Like the system' },
    language: 'Language',
    signOut: 'Sign out',
  },
};
