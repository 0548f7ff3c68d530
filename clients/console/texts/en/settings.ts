/** What an operator sets for themselves, and what notifications say. */
export const settings = {
  title: 'Settings',
  back: 'Back to the conversations',
  profile: { title: 'Account' },
  appearance: { title: 'Appearance and language', languageHint: 'The page is loaded again.' },
  notifications: {
    title: 'Notifications',
    inTitle: 'Number in the title of the page',
    inTitleHint: 'How many conversations have something new since you looked away.',
    desktop: 'Notifications on the desktop',
    desktopHint: 'While you look elsewhere. They name the participant.',
    refused: 'The browser does not allow it: change that in its settings for this page.',
    text: 'With what was written',
    textHint: 'Whoever sees your screen reads it, too.',
    sound: 'A sound',
    about: 'For',
    abouts: {
      mine: 'My conversations',
      unassigned: 'My conversations, and those that nobody has',
      all: 'All conversations',
    },
  },
  notices: {
    message: 'New message',
    assigned: 'Assigned to you',
    suggestion: 'A suggestion waits for you',
  },
};
