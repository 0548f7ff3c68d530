/** Whether the session of the page has expired while it is shown: then its user signs in again above it. */
import { Suspense, useSyncExternalStore } from 'react';
import { session } from '../browser-session.ts';
import { lazyPart } from '../lazy-part.ts';

const SignInAgain = lazyPart(() => import('./sign-in-again.tsx'));

function subscribe(listener: () => void): () => void {
  const removers = [session.onEnd(listener), session.onStart(listener)];
  return () => {
    for (const remove of removers) remove();
  };
}

const isExpired = (): boolean => session.lastEnd === 'expired';

export function ExpiredSession({ email }: { readonly email: string | undefined }) {
  if (!useSyncExternalStore(subscribe, isExpired)) return null;
  return (
    <Suspense>
      <SignInAgain email={email} />
    </Suspense>
  );
}
