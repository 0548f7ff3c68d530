/** The log of events. */
export const events = {
  title: 'Events',
  about:
    'Everything that has happened in this environment, newest first. Webhooks and the live stream carry the same events.',
  event: 'Event',
  name: 'Name',
  at: 'When',
  thread: 'Conversation',
  live: 'Live',
  payload: 'The event',
  toMessage: 'Message timeline',
  none: 'Nothing has happened yet. Send a message on a channel, and its events appear here.',
  noneFound: 'Nothing matches these filters.',
  person: {
    open: 'Personal data',
    title: 'Export personal data',
    about:
      'A copy for somebody who asks for their data: name and fields, messages, notes and agent runs in this environment, one JSON object per line.',
    name: 'Person or conversation',
    nameHint: 'A phone number or name as the channel knows it, or the ID of a conversation.',
    save: 'Download',
    found: (name: string, conversations: number) =>
      conversations === 0
        ? `There is no conversation with ${name} in this environment.`
        : `Saved: ${conversations === 1 ? 'one conversation' : `${conversations} conversations`}.`,
  },
};
