/** A conversation: its messages, what is written, the agent beside it, and its participant. */
export const thread = {
  none: 'No conversation selected',
};
