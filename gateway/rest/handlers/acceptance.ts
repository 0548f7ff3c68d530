/** Accepting an invitation (specification, "Studio authentication operations"; decisions section 4). */
import { invalid, ServiceError } from '../../../protocol/errors.ts';
import type { authOperations } from '../../../protocol/operations/auth.ts';
import type { Acceptance, Invited } from '../../../storage/accounts/acceptance.ts';
import type { LoginAccount } from '../../../storage/accounts/accounts.ts';
import type { OpenSession } from '../../../storage/accounts/sessions.ts';
import type { Authenticator } from '../../auth/authenticate.ts';
import type { Passwords } from '../../auth/passwords.ts';
import type { SignUpPolicy } from '../../auth/sign-up-policy.ts';
import type { Call, Handlers } from '../handler.ts';
import { clientOf, signIn, type SignInServices } from './sign-in.ts';

type Operations = Pick<typeof authOperations, 'acceptInvitation'>;

export interface AcceptanceServices extends SignInServices {
  readonly acceptance: Acceptance;
  readonly passwords: Passwords;
  readonly policy: SignUpPolicy;
  readonly authenticator: Authenticator;
}

/**
 * The invited address's account accepts with its access token or its password; an address without one gets its account with
 * the password, also where sign-up is closed to the public.
 */
export function acceptanceHandlers(services: AcceptanceServices): Handlers<Operations> {
  const { acceptance, passwords, policy, authenticator } = services;
  const signedIn = signIn(services);

  async function byPassword(call: Call, token: string, password: string, account: LoginAccount) {
    if (!(await passwords.verify(account.passwordHash ?? undefined, password))) {
      throw new ServiceError('svc/auth/login_required');
    }
    return acceptance.join(token, account.userId, account, clientOf(call), call.now);
  }

  async function bySignUp(call: Call, token: string, password: string, email: string) {
    policy.checkDomain(email);
    const passwordHash = await passwords.hash(password);
    try {
      return await acceptance.signUp(token, passwordHash, clientOf(call), call.now);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'svc/auth/email_in_use') throw error;
      // The address has got its account meanwhile: by another invitation, say, with the same password.
      const { account } = await acceptance.invited(token, call.now);
      if (account === undefined) throw error;
      return byPassword(call, token, password, account);
    }
  }

  async function accept(
    call: Call,
    token: string,
    password: string | undefined,
    { email, account }: Invited,
  ): Promise<OpenSession> {
    const user = await authenticator.userOf(call.header('authorization'));
    if (user !== undefined && user.userId === account?.userId) {
      return acceptance.join(token, user.userId, user, clientOf(call), call.now);
    }
    if (password !== undefined) {
      return account === undefined
        ? bySignUp(call, token, password, email)
        : byPassword(call, token, password, account);
    }
    if (user !== undefined) {
      const message = 'The invitation is for another e-mail address than that of the session.';
      throw new ServiceError('svc/auth/insufficient_scope', { message });
    }
    if (account !== undefined) throw new ServiceError('svc/auth/login_required');
    const message = 'is required: the invited address has no account yet';
    throw invalid([{ path: '/body/password', message, code: 'required' }]);
  }

  return {
    acceptInvitation: async call => {
      const { token, password } = call.body;
      const session = await accept(call, token, password, await acceptance.invited(token, call.now));
      // Its e-mail counts as verified from now on.
      authenticator.forgetUser(session.userId);
      return signedIn(session, call.now);
    },
  };
}
