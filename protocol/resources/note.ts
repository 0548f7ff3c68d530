import Type from 'typebox';
import type { Static } from 'typebox';
import { body, id, instant, nullable, optional, resource, text } from './fields.ts';
import { page } from './list.ts';
import { QueueCount } from './queue.ts';

/** Code points of a note's body. */
export const maxNoteLength = 4_000;
/** Users that one note mentions. */
export const maxMentions = 20;

const mentions = () => Type.Array(id('user'), { maxItems: maxMentions, uniqueItems: true });

/** A note that operators write on a thread; the participant never sees it. */
export const ThreadNote = resource('ThreadNote', {
  threadNoteId: id('note'),
  projectId: id('project'),
  threadId: id('thread'),
  authorUserId: id('user'),
  /** Empty after an erasure of personal data: in events, and in the answer to a repeated request. */
  body: text(0, maxNoteLength),
  /** The users whom it mentions, who are told of it; absent in events and answers of before there were mentions. */
  mentions: optional(mentions()),
  createdAt: instant(),
  updatedAt: instant(),
});
export type ThreadNote = Static<typeof ThreadNote>;

export const CreateNoteBody = body('CreateNoteBody', {
  projectId: id('project'),
  body: text(1, maxNoteLength),
  mentions: optional(mentions()),
});
export type CreateNoteBody = Static<typeof CreateNoteBody>;

export const UpdateNoteBody = body('UpdateNoteBody', {
  projectId: id('project'),
  body: text(1, maxNoteLength),
  /** Absent: they stay. */
  mentions: optional(mentions()),
});
export type UpdateNoteBody = Static<typeof UpdateNoteBody>;

/** A note that mentions the user who asks. */
export const Mention = resource('Mention', {
  note: ThreadNote,
  environmentId: id('environment'),
  /** The participant of the note's thread, where their name is known. */
  participantName: nullable(Type.String()),
  /** When the note first mentioned the user: of one that was changed, later than its creation. */
  mentionedAt: instant(),
  /** Null: not read yet. */
  readAt: nullable(instant()),
});
export type Mention = Static<typeof Mention>;

export const ListMentionsQuery = Type.Object({
  environmentId: optional(id('environment')),
  /** Only those that were not read, or only those that were. */
  unread: optional(Type.Boolean()),
  ...page,
});

/** Of the thread all mentions are read; without one, the oldest unread ones of the environment, up to 1,000. */
export const ReadMentionsBody = body('ReadMentionsBody', {
  environmentId: optional(id('environment')),
  threadId: optional(id('thread')),
});
export type ReadMentionsBody = Static<typeof ReadMentionsBody>;

/** What is left unread. */
export const UnreadMentions = resource('UnreadMentions', {
  projectId: id('project'),
  environmentId: id('environment'),
  unread: QueueCount,
});
export type UnreadMentions = Static<typeof UnreadMentions>;
