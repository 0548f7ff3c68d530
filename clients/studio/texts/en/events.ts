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
  none: 'Nothing has happened yet. Write on a channel, and its events appear here.',
  noneFound: 'Nothing is found by these filters.',
};
