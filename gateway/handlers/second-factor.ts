/** The second factor of a user, and the second step of a login. */
import type { secondFactorOperations } from '../../protocol/operations/index.ts';
import type { LoginChallenges, SecondFactors } from '../../storage/accounts/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { type AccountServices, checkUser } from './account.ts';
import { getClient, signIn, type SignInServices } from './auth.ts';
import { createUserAuditContext, requireUser, requireVerified } from './caller.ts';

export interface SecondFactorServices
  extends SignInServices, Pick<AccountServices, 'accounts' | 'passwords' | 'authenticator' | 'mail'> {
  readonly factors: SecondFactors;
  readonly challenges: LoginChallenges;
}

export function secondFactorHandlers(
  services: SecondFactorServices,
): Handlers<typeof secondFactorOperations> {
  const { factors, challenges, authenticator, mail } = services;
  const signedIn = signIn(services);

  return {
    getSecondFactor: async call => {
      const { since, ...state } = await factors.find(requireUser(call).userId);
      return { body: { ...state, since: since?.toISOString() ?? null } };
    },

    enrolSecondFactor: async call => {
      // Else whoever made an account with somebody else's address would keep its owner out of it.
      requireVerified(requireUser(call));
      return { body: await factors.enrol(await checkUser(services, call, call.body.password)) };
    },

    confirmSecondFactor: async call => {
      const user = requireUser(call);
      requireVerified(user);
      const { userId, sessionId } = user;
      const codes = await factors.confirm(call.body.code, sessionId, createUserAuditContext(call));
      authenticator.forgetUser(userId);
      mail.wake();
      return { body: { recoveryCodes: codes } };
    },

    renewRecoveryCodes: async call => {
      const { code, password } = call.body;
      const codes = await factors.renewCodes(code, await checkUser(services, call, password));
      return { body: { recoveryCodes: codes } };
    },

    disableSecondFactor: async call => {
      const { code, password } = call.body;
      await factors.disable(code, await checkUser(services, call, password));
      authenticator.forgetUser(requireUser(call).userId);
      mail.wake();
      return {};
    },

    loginWithSecondFactor: async call => {
      const { challenge, code } = call.body;
      const session = await challenges.pass(challenge, code, getClient(call), call.now);
      return signedIn(session, call.now);
    },
  };
}
