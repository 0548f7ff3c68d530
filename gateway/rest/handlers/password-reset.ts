/** Forgotten passwords (specification, "Studio authentication operations"). */
import type { authOperations } from '../../../protocol/operations/auth.ts';
import type { PasswordResets } from '../../../storage/accounts/password-resets.ts';
import type { Authenticator } from '../../auth/authenticate.ts';
import type { Passwords } from '../../auth/passwords.ts';
import type { Handlers } from '../handler.ts';
import { originOf } from './signed-in.ts';

type Operations = Pick<typeof authOperations, 'forgotPassword' | 'resetPassword'>;

export interface PasswordResetServices {
  readonly resets: PasswordResets;
  readonly passwords: Passwords;
  readonly authenticator: Authenticator;
  /** Told when mail has been committed. */
  readonly mail: { wake(): void };
}

/** Whether an address has an account shows in nothing but its mailbox. */
export function passwordResetHandlers(services: PasswordResetServices): Handlers<Operations> {
  const { resets, passwords, authenticator, mail } = services;

  return {
    forgotPassword: async call => {
      await resets.request(call.body.email, call.now);
      mail.wake();
      return { body: { accepted: true } };
    },

    resetPassword: async call => {
      const { token, password } = call.body;
      await resets.ownerOf(token, call.now);
      const passwordHash = await passwords.hash(password);
      authenticator.forgetUser(await resets.reset(token, passwordHash, call.now, originOf(call)));
      return { body: { accepted: true } };
    },
  };
}
