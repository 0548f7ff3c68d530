/** Privacy. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { id, MaybeProjectQuery, PersonalDataErasure } from '../resources/index.ts';
import { access, writing } from './rules.ts';

export const privacyOperations = {
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
