/** The account of who is signed in. */
export const ownAccount = {
  presentPassword: 'Current password',
  code: 'Code from your app',
  codeOrRecovery: 'Code from your app, or a recovery code',
  cancel: 'Cancel',
  email: {
    title: 'E-mail address',
    intro: 'We send a link to the new address. Until you open it, you sign in with the current one.',
    newEmail: 'New e-mail address',
    submit: 'Send the link',
    mailed: (email: string) => `A mail is on its way to ${email}. Its link works for 24 hours.`,
    tooMany: 'Too many attempts. At most five links are mailed in an hour: try again later.',
  },
  password: {
    title: 'Password',
    intro: 'A new password signs you out everywhere else.',
    submit: 'Change the password',
    done: 'Your password is changed.',
  },
  passkeys: {
    title: 'Passkeys',
    intro:
      'A passkey signs you in with your fingerprint, face or PIN. Once you have one, signing in with your password also requires it, or a recovery code.',
    elsewhere: 'Passkeys work at this address only:',
    unknown: 'This browser does not support passkeys.',
    facts: (added: string, used: string | undefined) =>
      used === undefined ? `Added ${added}, not used yet` : `Added ${added}, last used ${used}`,
    backedUp: 'Synced',
    add: 'Add a passkey',
    name: 'Name',
    nameHint: 'For example the device or the keychain that keeps it.',
    rename: 'Rename',
    renameOne: (name: string) => `Rename the passkey: ${name}`,
    save: 'Save the name',
    remove: 'Remove',
    removeOne: (name: string) => `Remove the passkey: ${name}`,
    removing: (name: string) => `To remove “${name}”, enter your password.`,
    more: 'Show more',
  },
  secondFactor: {
    title: 'Second factor',
    intro: 'With it, signing in takes your password and a code from an app on your phone, or a passkey.',
    on: (since: string) => `Your app has been set up since ${since}.`,
    left: (left: number) => (left === 1 ? 'One recovery code is left.' : `${left} recovery codes are left.`),
    setUp: 'Set up a second factor',
    proceed: 'Continue',
    scan: 'Scan this code with your authenticator app, then enter the six digits it shows.',
    qrCode: 'QR code for your authenticator app',
    type: 'If you cannot scan it, type this key into the app:',
    confirm: 'Turn it on',
    renew: 'Get new recovery codes',
    remove: 'Remove the second factor',
  },
  recoveryCodes: {
    title: 'Your recovery codes',
    intro:
      'If you lose your phone, each of these works once in place of a code. They are not shown again: keep them in a safe place.',
    copy: 'Copy the codes',
    copied: 'Copied',
    kept: 'I have saved them',
  },
  sessions: {
    title: 'Where you are signed in',
    intro: 'If you do not recognise one of these, end it and change your password.',
    device: (browser: string | null, system: string | null) =>
      browser === null ? (system ?? 'Unknown device') : system === null ? browser : `${browser} on ${system}`,
    current: 'This session',
    facts: (address: string, since: string, used: string) =>
      `From ${address}, since ${since}, last used ${used}`,
    end: 'End',
    endOne: (device: string) => `End the session: ${device}`,
    endOthers: 'End all others',
    more: 'Show more',
  },
  remove: {
    title: 'Delete this account',
    intro:
      'Your name and address go from all workspaces, and nobody can sign in with them. What you wrote and the API keys that you made stay with their projects. This cannot be undone.',
    sure: 'I want to delete my account.',
    submit: 'Delete the account',
    owned: 'You are the last owner here. Hand these workspaces over to somebody else, or archive them:',
  },
};
