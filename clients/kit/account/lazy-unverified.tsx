/** The page of somebody whose e-mail address nothing has proved yet, loaded where it is wanted: seldom. */
import { lazy, Suspense } from 'react';

const Page = lazy(() => import('./unverified.tsx'));

export function Unverified() {
  return (
    <Suspense>
      <Page />
    </Suspense>
  );
}
