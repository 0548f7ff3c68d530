/** What becomes of a message, and of a webhook delivery: parts of the apps' catalogues, so that both say it in the same words. */
export const fate = {
  title: 'Message timeline',
  /** By the name of the event that tells of it. */
  events: {
    'thread.message.received': 'Received',
    'thread.message.created': 'Written',
    'thread.message.updated': 'Changed',
    'channel.message.requested': 'Given to the channel',
    'channel.message.sent': 'Sent',
    'channel.message.delivered': 'Delivered',
    'channel.message.read': 'Read',
    'channel.message.delivery_failed': 'Not delivered',
  },
  delivery: {
    pending: 'Waiting',
    delivering: 'Sending',
    delivered: 'Delivered',
    retrying: 'Retrying',
    failed: 'Failed',
    cancelled: 'Cancelled',
  },
};
