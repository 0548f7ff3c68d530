/** Who is active on a thread, and how far they have read it. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { body, choice, id, instant, nullable, resource } from './fields.ts';
import { avatarColors } from './profile.ts';

export const typingStates = ['started', 'stopped'] as const;

/** Repeat `started` every few seconds: clients let it expire. */
export const TypingBody = body('TypingBody', {
  projectId: id('project'),
  state: choice(typingStates),
});
export type TypingBody = Static<typeof TypingBody>;

/** `sequence`: everything up to this number in the thread has been read. */
export const ReadCursorBody = body('ReadCursorBody', {
  projectId: id('project'),
  sequence: Type.Integer({ minimum: 0 }),
});
export type ReadCursorBody = Static<typeof ReadCursorBody>;

/** How far one user has read one thread. It only moves forward. */
export const ReadCursor = resource('ReadCursor', {
  threadId: id('thread'),
  projectId: id('project'),
  userId: id('user'),
  sequence: Type.Integer({ minimum: 0 }),
  updatedAt: instant(),
});
export type ReadCursor = Static<typeof ReadCursor>;

/** An operator who looks at a thread. */
export const ThreadViewer = resource('ThreadViewer', {
  userId: id('user'),
  displayName: Type.String(),
  avatarColor: nullable(choice(avatarColors)),
  since: instant(),
});
export type ThreadViewer = Static<typeof ThreadViewer>;
