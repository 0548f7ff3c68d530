/** The page of somebody whose e-mail address nothing has proved yet, loaded where it is wanted: seldom. */
import { Suspense } from 'react';
import { lazyPart } from '../lazy-part.ts';

const Page = lazyPart(() => import('./unverified.tsx'));

export function Unverified() {
  return (
    <Suspense>
      <Page />
    </Suspense>
  );
}
