/** Replies that a project keeps ready for its operators, who insert them by a shortcut. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { body, id, instant, nullable, optional, resource, text } from './fields.ts';
import { maybeProject, page } from './list.ts';

/** The longest text of a canned reply, in code points. */
export const maxCannedBody = 4_096;

/** A slash and 1 to 31 characters. */
const shortcut = (): ReturnType<typeof Type.String> => Type.String({ pattern: '^/[a-z0-9_-]{1,31}$' });

/** `body` may have placeholders, which clients fill in: protocol/placeholders.ts. */
export const CannedReply = resource('CannedReply', {
  cannedReplyId: id('cannedReply'),
  projectId: id('project'),
  shortcut: Type.String(),
  title: Type.String(),
  body: Type.String(),
  createdByUserId: nullable(id('user')),
  updatedByUserId: nullable(id('user')),
  createdAt: instant(),
  updatedAt: instant(),
});
export type CannedReply = Static<typeof CannedReply>;

/** `q`: how the shortcut, with its slash or without, or the title begins, in capitals or not. */
export const ListCannedRepliesQuery = Type.Object({
  projectId: id('project'),
  q: optional(text(1, 64)),
  ...page,
});

export const CreateCannedReplyBody = body('CreateCannedReplyBody', {
  projectId: id('project'),
  shortcut: shortcut(),
  title: text(1, 120),
  body: text(1, maxCannedBody),
});
export type CreateCannedReplyBody = Static<typeof CreateCannedReplyBody>;

export const UpdateCannedReplyBody = body('UpdateCannedReplyBody', {
  ...maybeProject,
  shortcut: optional(shortcut()),
  title: optional(text(1, 120)),
  body: optional(text(1, maxCannedBody)),
});
export type UpdateCannedReplyBody = Static<typeof UpdateCannedReplyBody>;
