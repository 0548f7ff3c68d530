/** Partner apps: the apps at the chat provider by which channels are connected. */
export const partnerApps = {
  title: 'Partner apps',
  about:
    'The apps that you have at the chat provider. Channels of all projects of the workspace are connected by them; the secret of an app also verifies what the provider sends.',
  create: 'Register app',
  name: 'Name',
  appId: 'App id',
  fingerprint: 'Secret',
  fingerprintHint: 'A fingerprint: the secret itself is never shown again.',
  config: 'Sign-up configuration',
  status: 'State',
  states: { active: 'Active', revoked: 'Revoked' },
  created: 'Registered',
  changed: 'Changed',
  revokedAt: 'Revoked',
  id: 'ID',
  none: 'No app yet',
  noneHint:
    'Make an app at the chat provider, and register it here with its secret. Then channels can be connected, by a sign-up in the browser or by a token.',
  forAdmins: 'Owners and admins of the workspace register apps.',
  guide: 'How channels are connected',
  actions: (name: string) => `Change ${name}`,
  rotate: 'New secret',
  revoke: 'Revoke',
  form: {
    nameHint: 'As your team knows it.',
    appIdHint: 'The number that the provider shows in the app’s settings.',
    appSecret: 'App secret',
    appSecretHint: 'From the app’s settings. It is stored encrypted, and never shown again.',
    config: 'Configuration id of the embedded sign-up',
    configHint:
      'From “Facebook Login for Business” in the app’s settings. Only for connecting in the browser; it may be typed then, too.',
  },
  made: {
    about:
      'Copy the verify token now: it is shown only once. You need it only if you set the app’s own callback at the provider by hand.',
    webhookUrl:
      'Callback address of the app, with the id of a channel in place of ch_REPLACE_WITH_CHANNEL_ID',
    copyWebhookUrl: 'Copy the callback address',
    redirectUri: 'Redirect address, for the app’s valid redirect addresses at the provider',
    copyRedirect: 'Copy the redirect address',
    done: 'I have copied it',
  },
  rotateTitle: (name: string) => `A new secret for ${name}`,
  rotateHint:
    'First create a new secret at the provider, then enter it here right away. Calls use it from now on. Webhooks still signed with the old one are accepted for 24 hours.',
  rotated: 'The new secret is in use.',
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeHint:
    'No channel can be connected with it any more, and its secret is deleted. This cannot be undone. An app that a channel uses cannot be revoked.',
  inUse: 'Disconnect these channels first, or connect them with another app:',
  close: 'Close',
};

export type PartnerAppTexts = typeof partnerApps;
