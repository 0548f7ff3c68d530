/** Whatever needs somebody who is signed in, with what they have set. */
import { Outlet } from '@tanstack/react-router';
import { ProfileSettings } from '../../kit/people/use-profile.ts';

export function SignedIn() {
  return (
    <>
      <ProfileSettings />
      <Outlet />
    </>
  );
}
