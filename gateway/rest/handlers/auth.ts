/** Sign-up, sessions and the signed-in user (specification, "Studio authentication operations"). */
import { ServiceError } from '../../../protocol/errors.ts';
import type { authOperations } from '../../../protocol/operations/auth.ts';
import type { Accounts } from '../../../storage/accounts/accounts.ts';
import type { Sessions } from '../../../storage/accounts/sessions.ts';
import type { AccessTokens } from '../../auth/access-tokens.ts';
import type { Authenticator } from '../../auth/authenticate.ts';
import type { Passwords } from '../../auth/passwords.ts';
import type { RefreshCookie } from '../../auth/refresh-cookie.ts';
import type { SignUpPolicy } from '../../auth/sign-up-policy.ts';
import type { Call, Handlers } from '../handler.ts';
import { clientOf, signIn } from './sign-in.ts';
import { originOf, requireUser } from './signed-in.ts';

type Operations = Omit<typeof authOperations, 'forgotPassword' | 'resetPassword' | 'acceptInvitation'>;

export interface AuthServices {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly tokens: AccessTokens;
  readonly passwords: Passwords;
  readonly policy: SignUpPolicy;
  readonly cookie: RefreshCookie;
  readonly authenticator: Authenticator;
  /** Told when mail has been committed. */
  readonly mail: { wake(): void };
}

/** What a workspace is called whose owner has not named it. */
const defaultWorkspaceName = 'My workspace';

/**
 * Sign-up, login, refresh, logout, me, e-mail verification; whoever signs in gets the refresh cookie and an access
 * token.
 */
export function authHandlers(services: AuthServices): Handlers<Operations> {
  const { accounts, sessions, passwords, policy, cookie, authenticator, mail } = services;
  const signedIn = signIn(services);

  /** The refresh token of the request; a cookie that another site made the browser send counts as none. */
  function refreshToken(call: Call): string | undefined {
    const permitted = cookie.permits({
      secFetchSite: call.header('sec-fetch-site'),
      origin: call.header('origin'),
      host: call.header('host'),
    });
    const value = permitted ? call.cookie(cookie.name) : undefined;
    return value === '' ? undefined : value;
  }

  return {
    signUp: async call => {
      const { email, password, workspaceName = defaultWorkspaceName } = call.body;
      policy.check(email);
      const session = await accounts.signUp({
        email,
        workspaceName,
        passwordHash: await passwords.hash(password),
        client: clientOf(call),
        now: call.now,
      });
      mail.wake();
      return signedIn(session, call.now);
    },

    login: async call => {
      const { email, password } = call.body;
      const account = await accounts.forLogin(email);
      const right = await passwords.verify(account?.passwordHash ?? undefined, password);
      if (account === undefined || !right) throw new ServiceError('svc/auth/invalid_credentials');
      return signedIn(await accounts.login(account, clientOf(call), call.now), call.now);
    },

    refresh: async call => {
      const token = refreshToken(call);
      if (token === undefined) throw new ServiceError('svc/auth/missing_credentials');
      const revoked = (sessionId: string): void => authenticator.forgetSession(sessionId);
      const session = await sessions.refresh(token, call.now, revoked, originOf(call));
      return signedIn(session, call.now);
    },

    logout: async call => {
      const origin = originOf(call);
      const token = refreshToken(call);
      const byCookie =
        token === undefined ? undefined : await sessions.revokeByToken(token, call.now, origin);
      if (byCookie !== undefined) authenticator.forgetSession(byCookie);
      const byToken = await authenticator.sessionOf(call.header('authorization'));
      if (byToken !== undefined && byToken !== byCookie) {
        await sessions.revoke(byToken, call.now, origin);
        authenticator.forgetSession(byToken);
      }
      return { headers: { 'Set-Cookie': cookie.clear() } };
    },

    me: async call => ({ body: await accounts.studioUser(requireUser(call).userId) }),

    verifyEmail: async call => {
      authenticator.forgetUser(await accounts.verifyEmail(call.body.token, call.now, originOf(call)));
      return { body: { accepted: true } };
    },

    resendVerification: async call => {
      await accounts.resendVerification(requireUser(call).userId, call.now);
      mail.wake();
      return { body: { accepted: true } };
    },
  };
}
