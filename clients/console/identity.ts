import type { AppIdentity } from '../kit/app-identity.ts';

export const identity: AppIdentity = { name: 'Skein Console', path: '/console' };
