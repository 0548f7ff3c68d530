/** The hint at a second factor, loaded where it may be wanted: seldom. */
import { Suspense } from 'react';
import { lazyPart } from '../lazy-part.ts';

const Hint = lazyPart(() => import('./second-factor-hint.tsx'));

export function SecondFactorHint() {
  return (
    <Suspense>
      <Hint />
    </Suspense>
  );
}
