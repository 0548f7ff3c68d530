/** Who a credential is: so that an API key alone is enough to begin with. */
import type { Operation } from '../operation.ts';
import { Caller } from '../resources/index.ts';
import { always, checked, credential } from './rules.ts';

export const callerOperations = {
  getCaller: {
    method: 'GET',
    path: '/caller',
    tag: 'Credentials',
    summary: 'Read who the credential of the request is',
    description:
      'An API key is bound to the project and environment that are shown, and has the scopes that are shown. A signed-in user is shown with the workspaces of which they are a member (the first 100): what they may do there is up to their roles. `expiresAt` is when the credential stops working; null: not by itself.',
    auth: 'any',
    beforeVerification: true,
    success: { status: 200, body: Caller },
    errors: [...always, ...checked, ...credential],
    rate: 'read',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
