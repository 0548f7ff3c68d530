/** Whatever needs somebody who is signed in, with what they have set. */
import { Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { lazyWatch } from '../../kit/lazy-watch.tsx';
import { ProfileSettings, useProfile } from '../../kit/people/use-profile.ts';
import { hasUnsent } from '../composer/unsent-scopes.ts';
import { keepPreferences, toPreferences } from '../notifications/preferences.ts';
import { keptConversations } from '../thread/kept-conversations.ts';

/** Mostly nothing waits yet when the page is loaded. What is sent, or was left by the page before, is not to be lost from then on. */
const UnsentWatch = lazyWatch(() => import('./unsent-watch.tsx'), onUnsent);

function onUnsent(want: () => void): () => void {
  if (hasUnsent(Object.entries(sessionStorage) as [string, string][])) want();
  return keptConversations.onChange(() => {
    if (keptConversations.getItems().length > 0) want();
  });
}

export function SignedIn() {
  return (
    <>
      <ProfileSettings />
      <NotificationSettings />
      <UnsentWatch />
      <Outlet />
    </>
  );
}

/** Brings what was set elsewhere into this browser. */
function NotificationSettings(): null {
  const { notifications, userId } = useProfile().profile ?? {};
  useEffect(() => {
    if (notifications === undefined || userId === undefined) return;
    keepPreferences(localStorage, userId, toPreferences(notifications));
  }, [notifications, userId]);
  return null;
}
