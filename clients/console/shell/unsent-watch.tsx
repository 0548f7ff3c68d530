/** Whoever would lose what waits to be sent, by closing the tab or signing out, is asked before. */
import { useEffect } from 'react';
import { beforeSignOut } from '../../kit/browser-session.ts';
import { hasUnsent } from '../composer/unsent.ts';
import { useTexts } from '../texts/index.ts';

export default function UnsentWatch(): null {
  const { signOutUnsent } = useTexts().shell;
  useEffect(() => {
    const isWaiting = (): boolean => hasUnsent(Object.entries(sessionStorage) as [string, string][]);
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
