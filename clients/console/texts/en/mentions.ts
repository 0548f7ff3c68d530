/** Notes that mention the reader. */
export const mentions = {
  title: 'Mentions',
  none: 'No note mentions you yet. Colleagues mention you with @ and your name.',
  reading: 'Loading your mentions',
  failed: 'Your mentions could not be loaded.',
  readAgain: 'Try again',
  readAll: 'Mark all as read',
  more: 'Show more',
  unread: 'Unread',
  by: (author: string, participant: string) => `${author}, about ${participant}`,
  mentionedBy: (author: string) => `${author} mentions you`,
  open: 'Open the conversation',
  dismiss: 'Dismiss',
};
