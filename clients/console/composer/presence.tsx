/** Which colleagues look at the thread, or write in it, at this moment. */
import { useTexts } from '../texts/index.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import type { Names } from '../thread/names.tsx';
import type { ThreadState } from '../thread/open-thread.ts';
import { useLanguageTag } from '../texts/index.ts';
import classes from './composer.module.css';

export function Presence({ state, names }: { readonly state: ThreadState; readonly names: Names }) {
  const texts = useTexts().thread.composer;
  const list = new Intl.ListFormat(useLanguageTag(), { type: 'conjunction' });
  const { userId } = useConversing();
  const toNames = (userIds: readonly string[]): string[] =>
    userIds.filter(each => each !== userId).map(each => names.person(each));
  const typing = toNames(state.typing);
  const viewing = toNames(state.viewers.filter(each => !state.typing.includes(each)));
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
