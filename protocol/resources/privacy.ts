import type { Static } from 'typebox';
import { AgentRun } from './agent.ts';
import { choice, id, instant, optional, resource } from './fields.ts';
import { Message } from './message.ts';
import { ThreadNote } from './note.ts';
import { Thread } from './thread.ts';

export const PersonalDataErasure = resource('PersonalDataErasure', {
  threadId: id('thread'),
  requestedAt: instant(),
});
export type PersonalDataErasure = Static<typeof PersonalDataErasure>;

/** One of the things that are known of the participant of a thread: the field that `kind` names, and no other, is there. */
export const PersonalDataRecord = resource('PersonalDataRecord', {
  kind: choice(['thread', 'message', 'note', 'agentRun']),
  thread: optional(Thread),
  message: optional(Message),
  note: optional(ThreadNote),
  agentRun: optional(AgentRun),
});
export type PersonalDataRecord = Static<typeof PersonalDataRecord>;
