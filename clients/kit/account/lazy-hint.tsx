/** The hint at a second factor, loaded where it may be wanted: seldom. */
import { lazy, Suspense } from 'react';

const Hint = lazy(() => import('./second-factor-hint.tsx'));

export function SecondFactorHint() {
  return (
    <Suspense>
      <Hint />
    </Suspense>
  );
}
