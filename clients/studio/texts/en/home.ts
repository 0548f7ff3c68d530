/** The start of an environment. */
export const home = {
  about:
    'A few steps from an empty project to your first delivered webhook. Each one ticks itself off once it has happened.',
  checklist: 'First steps',
  allDone: 'Everything works',
  done: (done: number, all: number) => `${done} of ${all} done`,
  stepDone: 'Done',
  stepOpen: 'To do',
  toChannels: 'Create a sandbox or custom channel to try it with',
  steps: {
    channel: {
      title: 'Create a channel',
      about:
        'Participants write on a channel. A sandbox channel needs no provider: you play the participant.',
      action: 'Create a channel',
    },
    message: {
      title: 'Send a first message',
      about: 'Write as a participant would. The conversation appears here, and in the Console.',
      action: 'Send',
    },
    key: {
      title: 'Create an API key',
      about: 'Your program uses it to read and write over the API.',
      action: 'Create an API key',
    },
    webhook: {
      title: 'Create a webhook',
      about: 'The server tells your program what happens, signed and in order.',
      action: 'Create a webhook',
    },
    delivery: {
      title: 'Watch a delivery arrive',
      about: 'Send a test event, and see what your receiver answers.',
      action: 'Open the webhook',
    },
    verify: {
      title: 'Confirm your e-mail address',
      about:
        'Production, live keys, invitations, a second factor, passkeys and single sign-on need it. Mails about your account and your webhooks go to confirmed addresses only.',
    },
  },
};
