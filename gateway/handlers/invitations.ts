/** Invitations to a workspace, and accepting one (docs/contract-decisions.md, "Invitation"). */
import { invalid, ServiceError } from '../../protocol/errors.ts';
import type { authOperations, invitationOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize } from '../../protocol/resources/index.ts';
import type {
  Acceptance,
  Accounts,
  Invited,
  LoginAccount,
  OpenSession,
} from '../../storage/accounts/index.ts';
import type { Invitations } from '../../storage/tenancy/index.ts';
import { type Authenticator, checkNewPassword, type Passwords, type SignUpPolicy } from '../auth/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { createUserAuditContext, getRequestOrigin, requireUser, requireVerified } from './caller.ts';
import { getClient, signIn, type SignInServices } from './auth.ts';

export interface InvitationServices {
  readonly invitations: Invitations;
  readonly policy: SignUpPolicy;
  /** Told when mail has been committed. */
  readonly mail: { wake(): void };
}

/** The pipeline has checked the caller's role in the workspace of the path. */
export function invitationHandlers(services: InvitationServices): Handlers<typeof invitationOperations> {
  const { invitations, policy, mail } = services;

  return {
    createInvitation: async call => {
      const { email, studioRole = 'admin' } = call.body;
      const { consoleRole = studioRole === 'admin' ? 'project_owner' : 'viewer' } = call.body;
      requireVerified(requireUser(call));
      policy.checkDomain(email);
      const { workspaceId } = call.params;
      const request = { workspaceId, email, studioRole, consoleRole, ...createUserAuditContext(call) };
      const invitation = await call.once(key => invitations.create({ ...request, key }));
      mail.wake();
      return { body: invitation };
    },

    listInvitations: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await invitations.list(call.params.workspaceId, { cursor, limit }) };
    },

    revokeInvitation: async call => {
      const { workspaceId, invitationId } = call.params;
      await invitations.revoke(workspaceId, invitationId, createUserAuditContext(call));
      return {};
    },
  };
}

type AcceptOperations = Pick<typeof authOperations, 'acceptInvitation'>;

export interface AcceptanceServices extends SignInServices {
  readonly acceptance: Acceptance;
  readonly accounts: Pick<Accounts, 'recordFailedLogin'>;
  readonly passwords: Passwords;
  readonly policy: SignUpPolicy;
  readonly authenticator: Authenticator;
}

/**
 * The invited address's account accepts with its access token or its password; an address without one gets its account with
 * the password, also where sign-up is closed to the public.
 */
export function acceptanceHandlers(services: AcceptanceServices): Handlers<AcceptOperations> {
  const { acceptance, accounts, passwords, policy, authenticator } = services;
  const signedIn = signIn(services);

  async function byPassword(call: Call, token: string, password: string, account: LoginAccount) {
    if (!(await passwords.verify(account.passwordHash ?? undefined, password))) {
      await accounts.recordFailedLogin(account, getRequestOrigin(call), call.now);
      throw new ServiceError('svc/auth/login_required');
    }
    return acceptance.join(token, account.userId, account, getClient(call), call.now);
  }

  async function bySignUp(call: Call, token: string, password: string, email: string) {
    policy.checkDomain(email);
    await checkNewPassword(password, email);
    const passwordHash = await passwords.hash(password);
    try {
      return await acceptance.signUp(token, passwordHash, getClient(call), call.now);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'svc/auth/email_in_use') throw error;
      // The address has got its account meanwhile, for instance by another invitation with the same password.
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
    const user = await authenticator.findUser(call.header('authorization'));
    if (user !== undefined && user.userId === account?.userId) {
      return acceptance.join(token, user.userId, user, getClient(call), call.now);
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
    throw refuseWithoutPassword();
  }

  return {
    acceptInvitation: async call => {
      const { token, password } = call.body;
      const session = await accept(call, token, password, await acceptance.invited(token, call.now));
      // From now on the e-mail counts as verified.
      authenticator.forgetUser(session.userId);
      return signedIn(session, call.now);
    },
  };
}

function refuseWithoutPassword(): ServiceError {
  const message = 'is required: the invited address has no account yet';
  return invalid([{ path: '/body/password', message, code: 'required' }]);
}
