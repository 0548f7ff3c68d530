/** [+] Erasing personal data (decisions section 2). */
import type { Static } from 'typebox';
import { id, instant, resource } from './fields.ts';

export const PersonalDataErasure = resource('PersonalDataErasure', {
  threadId: id('thread'),
  requestedAt: instant(),
});
export type PersonalDataErasure = Static<typeof PersonalDataErasure>;
