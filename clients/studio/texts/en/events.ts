/** The log of events. */
export const events = {
  title: 'Events',
  about:
    'Everything that has happened in this environment, newest first. Webhooks and the live stream carry the same.',
  event: 'Event',
  name: 'Name',
  at: 'When',
  thread: 'Conversation',
  live: 'Live',
  payload: 'The event',
  toMessage: 'What became of the message',
  none: 'Nothing has happened yet. Write on a channel, and its events appear here.',
  noneFound: 'Nothing is found by these filters.',
  person: {
    open: 'Data of a person',
    title: 'What is known of a person',
    about:
      'A copy to hand to somebody who asks for it: their name and fields, messages, notes and agent runs of this environment, a JSON object a line.',
    name: 'Person or conversation',
    nameHint: 'A phone number or name as the channel knows it, or the ID of a conversation.',
    save: 'Save as a file',
    found: (name: string, conversations: number) =>
      conversations === 0
        ? `There is no conversation with ${name} in this environment.`
        : `Saved: ${conversations === 1 ? 'one conversation' : `${conversations} conversations`}.`,
  },
};
