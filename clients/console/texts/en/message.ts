/** What stands in a conversation: messages, files, notes and events. */
export const message = {
  actions: 'Message actions',
  reply: 'Reply to this message',
  timeline: 'Message timeline',
  run: 'How the agent came to it',
  agent: 'Agent',
  program: 'Program',
  system: 'System',
  version: (version: number) => `v${version}`,
  status: {
    queued: 'Queued',
    sent: 'Sent',
    delivered: 'Delivered',
    read: 'Read',
    failed: 'Not delivered',
  },
  failedBecause: (why: string) => `Not delivered: ${why}`,
  unknownOutcome: 'The provider did not respond. The message may still have arrived.',
  retry: 'Send again',
  empty: 'No text',
  forwarded: { once: 'Forwarded', often: 'Forwarded many times' },
  unknownQuote: 'A message that is not shown here',
  showQuote: 'Show this message',
  referral: 'Came from an advertisement',
  reactedWith: (emoji: string) => `Reacted with ${emoji}`,
  reactionRemoved: 'Removed a reaction',
  showMore: 'Show all',
  showLess: 'Show less',
};

export const content = {
  location: 'Location',
  openMap: 'Open the map',
  contact: 'Contact',
  order: 'Order',
  quantity: (count: string) => `${count} ×`,
  interactive: {
    button: 'Chose',
    list: 'Chose from the list',
    form: 'Filled in a form',
    other: 'Answered',
  },
  template: (name: string, language: string) => `Template ${name} (${language})`,
  unsupported: 'This kind of message cannot be shown here',
  system: {
    number_changed: 'The participant has a new number',
    user_id_changed: 'The participant has a new id',
    identity_changed: 'The participant’s security code has changed',
    message_edited: 'The participant has edited a message',
    message_deleted: 'The participant has deleted a message',
    other: 'A notice of the provider',
  },
};

export const files = {
  kinds: { image: 'Picture', audio: 'Audio', video: 'Video', document: 'Document', sticker: 'Sticker' },
  voice: 'Voice message',
  pending: 'Fetching',
  failed: (why: string) => `Could not be fetched: ${why}`,
  unavailable: 'The file cannot be shown',
  unplayable: 'It cannot be played here',
  open: (name: string) => `Open ${name}`,
  download: (name: string) => `Download ${name}`,
  read: 'Read it here',
  empty: 'The file is empty.',
  cut: (size: string) => `These are its first ${size}. Download it for the rest.`,
  next: 'Next picture',
  previous: 'Previous picture',
};

export const note = {
  label: 'Note',
  edited: 'edited',
  edit: 'Edit the note',
  delete: 'Delete the note',
  confirmDelete: 'Delete it',
  keep: 'Keep it',
};

const nameTags = (tags: readonly string[]): string =>
  `${tags.length === 1 ? 'the tag' : 'the tags'} ${tags.join(', ')}`;

export const events = {
  assigned: (by: string, to: string) =>
    by === to ? `${by} took the conversation` : `${by} assigned the conversation to ${to}`,
  released: (by: string) => `${by} released the conversation`,
  status: {
    open: (by: string) => `${by} reopened the conversation`,
    closed: (by: string) => `${by} closed the conversation`,
    archived: (by: string) => `${by} archived the conversation`,
  },
  mode: {
    auto: (by: string) => `${by} let the agent answer by itself`,
    suggest: (by: string) => `${by} had the agent suggest`,
    paused: (by: string) => `${by} paused the agent`,
    none: (by: string) => `${by} gave the conversation the mode of its agent`,
  },
  tags: {
    added: (by: string, tags: readonly string[]) => `${by} tagged the conversation ${tags.join(', ')}`,
    removed: (by: string, tags: readonly string[]) => `${by} removed ${nameTags(tags)}`,
    changed: (by: string, added: readonly string[], removed: readonly string[]) =>
      `${by} changed ${nameTags(removed)} to ${added.join(', ')}`,
  },
  snoozed: (by: string, until: string) => `${by} snoozed the conversation until ${until}`,
  woken: (by: string) => `${by} woke the conversation`,
  handoff: (reason: string) => `The agent asked for a person: ${reason}`,
  discarded: (by: string, reason: string | undefined) =>
    reason === undefined ? `${by} discarded a suggestion` : `${by} discarded a suggestion: ${reason}`,
  budget: 'A budget is used up: the agent has stopped',
  answerLimit: 'Too many automatic answers: the agent only suggests answers now',
  erased: (by: string) => `${by} erased the personal data`,
};
