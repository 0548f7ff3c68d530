/** Which colleagues look at the thread, or write in it, at this moment. */
import type { Present } from '../live/presence.ts';
import { useLanguageTag } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';
import { usePresent } from '../thread/conversations-context.tsx';
import type { Names } from '../thread/names.tsx';
import classes from './composer.module.css';

interface PresenceProps {
  readonly threadId: string;
  readonly names: Names;
}

export function Presence({ threadId, names }: PresenceProps) {
  const texts = useTexts().thread.composer;
  const list = new Intl.ListFormat(useLanguageTag(), { type: 'conjunction' });
  const present = usePresent(threadId);
  const toNames = (some: readonly Present[]): string[] =>
    some.map(({ userId, displayName }) => displayName ?? names.person(userId));
  const typing = toNames(present.filter(({ isTyping }) => isTyping));
  const viewing = toNames(present.filter(({ isTyping }) => !isTyping));
  const said: string[] = [];
  if (typing.length > 0)
    said.push((typing.length === 1 ? texts.typing : texts.severalTyping)(list.format(typing)));
  if (viewing.length > 0)
    said.push((viewing.length === 1 ? texts.viewing : texts.severalViewing)(list.format(viewing)));
  return (
    <div className={classes['presence']} role="status">
      <bdi>{said.join(' · ')}</bdi>
    </div>
  );
}
