/** Sign-up, sessions, the signed-in user, and forgotten passwords. */
import { ServiceError } from '../../protocol/errors.ts';
import type { authOperations } from '../../protocol/operations/index.ts';
import type { TokenResponse } from '../../protocol/resources/index.ts';
import {
  type Accounts,
  challengeMs,
  type LoginClient,
  type OpenSession,
  type PasswordResets,
  SecondFactorRequired,
  type Sessions,
} from '../../storage/accounts/index.ts';
import {
  accessTokenSeconds,
  type AccessTokens,
  type Authenticator,
  checkNewPassword,
  type Passwords,
  type RefreshCookie,
  type SignUpPolicy,
} from '../auth/index.ts';
import type { Answer, Call, Handlers } from '../pipeline/index.ts';
import { getRequestOrigin, requireUser } from './caller.ts';

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

/** The name of a workspace whose owner has not named it. */
const defaultWorkspaceName = 'My workspace';

type SessionOperations = Pick<Operations, 'signUp' | 'login' | 'refresh' | 'logout'>;

export function authHandlers(services: AuthServices): Handlers<Operations> {
  return { ...sessionHandlers(services), ...userHandlers(services) };
}

/** A sign-in is answered with the refresh cookie and an access token. */
function sessionHandlers(services: AuthServices): Handlers<SessionOperations> {
  const { accounts, sessions, passwords, policy, cookie, authenticator, mail } = services;
  const signedIn = signIn(services);

  return {
    signUp: async call => {
      const { email, password, workspaceName = defaultWorkspaceName, app = 'studio' } = call.body;
      policy.check(email);
      await checkNewPassword(password, email);
      const session = await accounts.signUp({
        email,
        workspaceName,
        app,
        passwordHash: await passwords.hash(password),
        client: getClient(call),
        now: call.now,
      });
      mail.wake();
      return signedIn(session, call.now);
    },

    login: async call => {
      const { email, password } = call.body;
      const account = await accounts.forLogin(email);
      const right = await passwords.verify(account?.passwordHash ?? undefined, password);
      if (account === undefined || !right) {
        await accounts.recordFailedLogin(account, getRequestOrigin(call), call.now);
        throw new ServiceError('svc/auth/invalid_credentials');
      }
      try {
        return await signedIn(await accounts.login(account, getClient(call), call.now), call.now);
      } catch (error) {
        throw error instanceof SecondFactorRequired ? refuseFirstStep(error) : error;
      }
    },

    refresh: async call => {
      const token = getRefreshToken(cookie, call);
      if (token === undefined) throw new ServiceError('svc/auth/missing_credentials');
      const revoked = (sessionId: string): void => authenticator.forgetSession(sessionId);
      const session = await sessions.refresh(token, call.now, revoked, getRequestOrigin(call));
      return signedIn(session, call.now);
    },

    logout: async call => {
      const origin = getRequestOrigin(call);
      const token = getRefreshToken(cookie, call);
      const byCookie =
        token === undefined ? undefined : await sessions.revokeByToken(token, call.now, origin);
      if (byCookie !== undefined) authenticator.forgetSession(byCookie);
      const byToken = await authenticator.findSession(call.header('authorization'));
      if (byToken !== undefined && byToken !== byCookie) {
        await sessions.revoke(byToken, call.now, origin);
        authenticator.forgetSession(byToken);
      }
      // A page of another site may lead the browser here, by a form: it is to sign nobody out.
      return permitsCookie(cookie, call) ? { headers: { 'Set-Cookie': cookie.clear() } } : {};
    },
  };
}

/** The answer to a right password where a second factor is needed, too. */
export function refuseFirstStep({ challenge, methods }: SecondFactorRequired): ServiceError {
  const details = { challenge, methods, expiresIn: challengeMs / 1_000 };
  return new ServiceError('svc/auth/second_factor_required', { details });
}

/** The refresh token of the request. A cookie that another site made the browser send does not count. */
function getRefreshToken(cookie: RefreshCookie, call: Pick<Call, 'header' | 'cookie'>): string | undefined {
  const value = permitsCookie(cookie, call) ? call.cookie(cookie.name) : undefined;
  return value === '' ? undefined : value;
}

const permitsCookie = (cookie: RefreshCookie, call: Pick<Call, 'header'>): boolean =>
  cookie.permits({
    secFetchSite: call.header('sec-fetch-site'),
    origin: call.header('origin'),
    host: call.header('host'),
  });

/** The signed-in user, and the verification of their e-mail. */
function userHandlers({
  accounts,
  authenticator,
  mail,
}: AuthServices): Handlers<Omit<Operations, keyof SessionOperations>> {
  return {
    me: async call => ({ body: await accounts.studioUser(requireUser(call).userId) }),

    verifyEmail: async call => {
      const { token } = call.body;
      authenticator.forgetUser(
        await call.once(key => accounts.verifyEmail(token, call.now, getRequestOrigin(call), key)),
      );
      return { body: { accepted: true } };
    },

    rejectAccount: async call => {
      const { token } = call.body;
      authenticator.forgetUser(
        await call.once(key => accounts.rejectAccount(token, call.now, getRequestOrigin(call), key)),
      );
      return { body: { accepted: true } };
    },

    resendVerification: async call => {
      const { userId } = requireUser(call);
      const { app = 'studio' } = call.query;
      await call.once(key => accounts.resendVerification(userId, app, call.now, key));
      mail.wake();
      return { body: { accepted: true } };
    },
  };
}

type PasswordOperations = Pick<typeof authOperations, 'forgotPassword' | 'resetPassword'>;

export interface PasswordResetServices {
  readonly resets: PasswordResets;
  readonly passwords: Passwords;
  readonly authenticator: Authenticator;
  /** Told when mail has been committed. */
  readonly mail: { wake(): void };
}

/** Only the mailbox shows whether an address has an account. */
export function passwordResetHandlers(services: PasswordResetServices): Handlers<PasswordOperations> {
  const { resets, passwords, authenticator, mail } = services;

  return {
    forgotPassword: async call => {
      const { email, app = 'studio' } = call.body;
      await call.once(key => resets.request(email, app, call.now, key));
      mail.wake();
      return { body: { accepted: true } };
    },

    resetPassword: async call => {
      const { token, password } = call.body;
      const userId = await call.once(async key => {
        const { email } = await resets.findOwner(token, call.now);
        await checkNewPassword(password, email);
        const passwordHash = await passwords.hash(password);
        return resets.reset(token, passwordHash, call.now, getRequestOrigin(call), key);
      });
      authenticator.forgetUser(userId);
      return { body: { accepted: true } };
    },
  };
}

export interface SignInServices {
  readonly tokens: AccessTokens;
  readonly cookie: RefreshCookie;
}

/** The answer for a session that was opened or refreshed at `now` (epoch milliseconds). */
export function signIn({ tokens, cookie }: SignInServices) {
  return async (session: OpenSession, now: number): Promise<Answer> => {
    const body: TokenResponse = {
      accessToken: await tokens.issue(session.userId, session.sessionId),
      tokenType: 'Bearer',
      expiresIn: accessTokenSeconds,
    };
    return {
      body,
      headers: { 'Set-Cookie': cookie.set(session.refreshToken, session.refreshExpiresAt - now) },
    };
  };
}

/** The client that opens a session. */
export function getClient(call: Pick<Call, 'requestId' | 'address' | 'header'>): LoginClient {
  return { ...getRequestOrigin(call), userAgent: call.header('user-agent') };
}
