/** Ein Gespräch: seine Nachrichten, was geschrieben wird, der Agent daneben, und wer darin schreibt. */
import type { thread as english } from '../en/thread.ts';

export const thread: typeof english = {
  none: 'Kein Gespräch ausgewählt',
};
