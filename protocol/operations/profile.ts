/** How the signed-in user is shown to others, and what they have set for the Console. */
import type { Operation } from '../operation.ts';
import { Profile, UpdateProfileBody } from '../resources/index.ts';
import { always, checked, signedIn } from './rules.ts';

const tag = 'Profile';

export const profileOperations = {
  getProfile: {
    method: 'GET',
    path: '/studio/profile',
    tag,
    summary: 'Read your profile',
    description:
      'Until a name is set, `displayName` is what stands before the @ of the e-mail address. `avatarColor`, `language` and `timeZone` are null where the client is to choose.',
    auth: 'user',
    success: { status: 200, body: Profile },
    errors: [...always, ...checked, ...signedIn],
    rate: 'read',
    idempotency: 'none',
  },
  updateProfile: {
    method: 'PATCH',
    path: '/studio/profile',
    tag,
    summary: 'Change your profile',
    description:
      'What is absent stays, also within `notifications`. `displayName: null` is the beginning of the e-mail address again. `timeZone` is a name of the IANA database.',
    auth: 'user',
    body: UpdateProfileBody,
    success: { status: 200, body: Profile },
    errors: [...always, ...checked, ...signedIn],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
