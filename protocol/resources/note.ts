import type { Static } from 'typebox';
import { body, id, instant, resource, text } from './fields.ts';

/** Code points of a note's body. */
export const maxNoteLength = 4_000;

/** A note that operators write on a thread; the participant never sees it. */
export const ThreadNote = resource('ThreadNote', {
  threadNoteId: id('note'),
  projectId: id('project'),
  threadId: id('thread'),
  authorUserId: id('user'),
  /** Empty after an erasure of personal data: in events, and in the answer to a repeated request. */
  body: text(0, maxNoteLength),
  createdAt: instant(),
  updatedAt: instant(),
});
export type ThreadNote = Static<typeof ThreadNote>;

export const CreateNoteBody = body('CreateNoteBody', {
  projectId: id('project'),
  body: text(1, maxNoteLength),
});
export type CreateNoteBody = Static<typeof CreateNoteBody>;

export const UpdateNoteBody = body('UpdateNoteBody', {
  projectId: id('project'),
  body: text(1, maxNoteLength),
});
export type UpdateNoteBody = Static<typeof UpdateNoteBody>;
