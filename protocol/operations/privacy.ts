/** [+] Privacy (decisions sections 2 and 9). */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { id } from '../resources/fields.ts';
import { MaybeProjectQuery } from '../resources/list.ts';
import { PersonalDataErasure } from '../resources/privacy.ts';
import { access, writing } from './rules.ts';

export const privacyOperations = {
  erasePersonalData: {
    method: 'DELETE',
    path: '/threads/{threadId}/personal-data',
    tag: 'Privacy',
    summary: 'Erase what is known of the participant of a thread',
    description:
      'The thread forgets its participant, tags, custom fields and metadata at once; texts and files of its messages, its notes, the payloads of its events and the traces of its runs follow within minutes. Counts and times stay, and so does the thread: what comes later is new. Its id stays, too: where the thread has an identity, that is a hash of the environment, the channel and the name that the participant has in the channel. Nobody can read the name from it, but who knows the name, or tries many, can still tell whether that participant had a thread.',
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
