import type { AppIdentity } from '../kit/app-identity.ts';
import { lazyWatch } from '../kit/lazy-watch.tsx';

export const identity: AppIdentity = {
  name: 'Skein Studio',
  path: '/studio',
  SignOutWatch: lazyWatch(() => import('./shell/watches.tsx')),
};
