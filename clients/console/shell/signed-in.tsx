/** Whatever needs somebody who is signed in, with what they have set. */
import { Outlet } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ProfileSettings, useProfile } from '../../kit/people/use-profile.ts';
import { keepPreferences, toPreferences } from '../notifications/preferences.ts';

export function SignedIn() {
  return (
    <>
      <ProfileSettings />
      <NotificationSettings />
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
