/** Privacy. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  createList,
  id,
  MaybeProjectQuery,
  NestedListQuery,
  PersonalDataErasure,
  PersonalDataRecord,
} from '../resources/index.ts';
import { access, listing, writing } from './rules.ts';

export const privacyOperations = {
  listPersonalData: {
    method: 'GET',
    path: '/threads/{threadId}/personal-data',
    tag: 'Privacy',
    summary: 'List what is known of the participant of a thread',
    description:
      'A copy to hand to the participant: the thread first, then its messages in their order, then the notes and the agent runs of the thread, newest first. The field that `kind` names is the resource, as its own operations show it; the steps of a run are those of getAgentRun, and files are those of getAttachmentUrl. A participant of several channels has a thread in each: see `participantRef` of listThreads.',
    auth: 'project',
    access: access.exportPersonalData,
    params: Type.Object({ threadId: id('thread') }),
    query: NestedListQuery,
    success: { status: 200, body: createList(PersonalDataRecord) },
    errors: listing,
    rate: 'read',
    idempotency: 'none',
  },
  erasePersonalData: {
    method: 'DELETE',
    path: '/threads/{threadId}/personal-data',
    tag: 'Privacy',
    summary: 'Erase the personal data of the participant of a thread',
    description:
      'The participant, tags, custom fields and metadata of the thread are erased at once; the texts and files of its messages, its notes, the payloads of its events and the traces of its runs follow within minutes. Counts and times stay, and so does the thread; later messages are not affected. Its id stays, too: for a thread with an externalRef it is a hash of the environment, the channel and the participant’s name in the channel. The name cannot be read from it, but somebody who knows the name, or tries many, can still find out whether that participant had a thread.',
    auth: 'project',
    access: access.erase,
    params: Type.Object({ threadId: id('thread') }),
    query: MaybeProjectQuery,
    success: { status: 202, body: PersonalDataErasure },
    errors: writing,
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
