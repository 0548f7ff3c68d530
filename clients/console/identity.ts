import type { AppIdentity } from '../kit/app-identity.ts';
import { lazyWatch } from '../kit/lazy-watch.tsx';

export const identity: AppIdentity = {
  name: 'Skein Console',
  path: '/console',
  SignOutWatch: lazyWatch(() => import('./shell/sign-out-watch.tsx')),
};
