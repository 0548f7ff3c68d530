/** Whatever needs somebody who is signed in, with what they have set. A session that expires meanwhile takes nothing away that they have typed. */
import { Outlet } from '@tanstack/react-router';
import { ExpiredSession } from '../../kit/account/expired-session.tsx';
import { ProfileSettings } from '../../kit/people/use-profile.ts';
import { useCaller } from './caller.ts';

export function SignedIn() {
  const { data: caller } = useCaller();
  return (
    <>
      <ProfileSettings />
      <Outlet />
      <ExpiredSession email={caller?.user?.email} />
    </>
  );
}
