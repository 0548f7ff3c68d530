/**
 * What the page before has left is sent; and whoever would lose what they have written is asked before: by closing the tab, signing out, or
 * loading the page anew for files that it lacks.
 */
import { useEffect } from 'react';
import { session } from '../../kit/browser-session.ts';
import { getErrorTexts } from '../../kit/error-texts.ts';
import type { WatchProps } from '../../kit/lazy-watch.tsx';
import { useProfile } from '../../kit/people/use-profile.ts';
import { MissingFiles } from '../../kit/shell/missing-files.tsx';
import { findUnsentScopes } from '../composer/unsent-scopes.ts';
import { getKeptTexts, isAnythingUnsent, useUnsentLoss } from '../composer/use-unsent-loss.ts';
import { useTexts } from '../texts/index.ts';
import { keptConversations } from '../thread/kept-conversations.ts';

export default function UnsentWatch({ onWatching }: WatchProps) {
  const { missingFiles } = useTexts().shell;
  const { userId } = useProfile().profile ?? {};
  useEffect(() => {
    if (userId !== undefined) keptConversations.resume(findUnsentScopes(getKeptTexts(), userId));
  }, [userId]);
  // When the connection is gone, they cannot be loaded any more.
  useEffect(() => void getErrorTexts(), []);
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => {
      // A session that has ended by itself leads to the page of signing in, and what waits is kept for afterwards.
      if (session.isSignedIn && isAnythingUnsent()) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
  useUnsentLoss();
  // From now on it asks.
  useEffect(onWatching, [onWatching]);
  return <MissingFiles text={missingFiles} />;
}
