/** The start of an environment. */
export const home = {
  about:
    'From an empty project to a webhook that arrives, in a few steps. Each ticks itself off when it has happened.',
  checklist: 'First steps',
  allDone: 'Everything works',
  done: (done: number, all: number) => `${done} of ${all} done`,
  stepDone: 'Done',
  stepOpen: 'To do',
  toChannels: 'Make a sandbox or custom channel to try it with',
  steps: {
    channel: {
      title: 'Make a channel',
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
      title: 'Make an API key',
      about: 'Your program uses it to read and write over the API.',
      action: 'Create an API key',
    },
    webhook: {
      title: 'Add a webhook',
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
      about: 'Production, live keys and invitations need it.',
    },
  },
};
