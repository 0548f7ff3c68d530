/** What is not sent, in words: nothing to say while nothing waits. */
import { useSyncExternalStore } from 'react';
import { useTexts } from '../texts/index.ts';
import { keptConversations } from '../thread/kept-conversations.ts';
import type { Outbox } from './outbox.ts';
import { countUnsent } from './unsent.ts';

/** @param here of the environment that is worked in, what waits elsewhere being named apart; undefined: none is */
export function useUnsentTexts(here?: Outbox): readonly string[] {
  const { unsent, refused, unsentElsewhere } = useTexts().shell.connection;
  const all = useSyncExternalStore(keptConversations.onChange, keptConversations.getItems);
  const own = here?.getItems() ?? all;
  const [waits, refusals] = [countUnsent(own, 'waiting'), countUnsent(own, 'refused')];
  const elsewhere = countUnsent(all, 'waiting') + countUnsent(all, 'refused') - waits - refusals;
  return [
    ...(waits > 0 ? [unsent(waits)] : []),
    ...(refusals > 0 ? [refused(refusals)] : []),
    ...(elsewhere > 0 ? [unsentElsewhere(elsewhere)] : []),
  ];
}
