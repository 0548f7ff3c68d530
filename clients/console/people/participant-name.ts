import { toShownName } from '../../kit/shown-name.ts';
import type { Thread } from '../../sdk/index.ts';
import type { ConsoleTexts } from '../texts/index.ts';

/** By which a conversation's participant is called wherever it is shown. One who writes again after an erasure has a name again. */
export function toParticipantName(
  { participant, externalRef, erasedAt }: Pick<Thread, 'participant' | 'externalRef' | 'erasedAt'>,
  texts: ConsoleTexts['list']['participantNames'],
): string {
  const name = participant?.displayName ?? externalRef;
  if (name != null) return toShownName(name);
  return erasedAt == null ? texts.unknown : texts.erased;
}
