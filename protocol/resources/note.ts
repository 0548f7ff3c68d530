import type { Static } from 'typebox';
import { id, instant, resource, text } from './fields.ts';

export const ThreadNote = resource('ThreadNote', {
  threadNoteId: id('note'),
  projectId: id('project'),
  threadId: id('thread'),
  authorUserId: id('user'),
  body: text(1, 4000),
  createdAt: instant(),
  updatedAt: instant(),
});
export type ThreadNote = Static<typeof ThreadNote>;
