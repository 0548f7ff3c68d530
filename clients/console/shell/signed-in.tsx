/** Whatever needs somebody who is signed in, with what they have set. */
import { Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { lazyWatch } from '../../kit/lazy-watch.tsx';
import { ProfileSettings, useProfile } from '../../kit/people/use-profile.ts';
import { keepPreferences, toPreferences } from '../notifications/preferences.ts';

/** Nothing waits yet when the page is loaded, or what does was left by the page before. */
const UnsentWatch = lazyWatch(() => import('./unsent-watch.tsx'));

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
