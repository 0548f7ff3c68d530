/** What the page before has left is sent; and whoever would lose what waits, by closing the tab or signing out, is asked before. */
import { useEffect } from 'react';
import { beforeSignOut } from '../../kit/browser-session.ts';
import { useProfile } from '../../kit/people/use-profile.ts';
import { findUnsentScopes, hasUnsent, type KeptTexts } from '../composer/unsent-scopes.ts';
import { useTexts } from '../texts/index.ts';
import { keptConversations } from '../thread/kept-conversations.ts';

const getKept = (): KeptTexts => Object.entries(sessionStorage) as [string, string][];

export default function UnsentWatch(): null {
  const { signOutUnsent } = useTexts().shell;
  const { userId } = useProfile().profile ?? {};
  useEffect(() => {
    if (userId !== undefined) keptConversations.resume(findUnsentScopes(getKept(), userId));
  }, [userId]);
  useEffect(() => {
    const isWaiting = (): boolean => hasUnsent(getKept());
    const ask = (event: BeforeUnloadEvent): void => {
      if (isWaiting()) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    const stopAsking = beforeSignOut(() => !isWaiting() || confirm(signOutUnsent));
    return () => {
      removeEventListener('beforeunload', ask);
      stopAsking();
    };
  }, [signOutUnsent]);
  return null;
}
