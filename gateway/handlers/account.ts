/** A user's own account: sessions, password, e-mail address, and its end. */
import { conflict, ServiceError } from '../../protocol/errors.ts';
import type { accountOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize, type Session } from '../../protocol/resources/index.ts';
import {
  type AccountChange,
  type AccountChanges,
  type AccountRemoval,
  type Accounts,
  LastOwner,
  type ListedSession,
  type LoginAccount,
  type OwnSessions,
  type PasskeyLogins,
  type SecondFactors,
} from '../../storage/accounts/index.ts';
import { describeDevice } from '../accounts/index.ts';
import { type Authenticator, checkNewPassword, type Passwords, type SignUpPolicy } from '../auth/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { createUserAuditContext, getRequestOrigin, requireUser } from './caller.ts';
import { unassignThreads, type UnassignServices } from './members.ts';

export interface AccountServices extends UnassignServices {
  readonly accounts: Pick<Accounts, 'findAccount'>;
  readonly ownSessions: OwnSessions;
  readonly changes: AccountChanges;
  readonly removal: AccountRemoval;
  readonly factors: Pick<SecondFactors, 'find' | 'use'>;
  readonly passkeyLogins: Pick<PasskeyLogins, 'confirm'>;
  readonly passwords: Passwords;
  readonly policy: SignUpPolicy;
  readonly authenticator: Authenticator;
  /** Told when mail has been committed. */
  readonly mail: { wake(): void };
}

type SessionOperations = Pick<typeof accountOperations, 'listSessions' | 'endSession' | 'endOtherSessions'>;

export function accountHandlers(services: AccountServices): Handlers<typeof accountOperations> {
  return { ...ownSessionHandlers(services), ...changeHandlers(services) };
}

function ownSessionHandlers({ ownSessions, authenticator }: AccountServices): Handlers<SessionOperations> {
  return {
    listSessions: async call => {
      const { userId, sessionId } = requireUser(call);
      const { cursor, limit = defaultPageSize } = call.query;
      const { data, ...rest } = await ownSessions.list(userId, call.now, { cursor, limit });
      return { body: { data: data.map(session => toResource(session, sessionId)), ...rest } };
    },

    endSession: async call => {
      const { sessionId } = call.params;
      await ownSessions.end(sessionId, createUserAuditContext(call));
      authenticator.forgetSession(sessionId);
      return {};
    },

    endOtherSessions: async call => {
      const { userId, sessionId } = requireUser(call);
      const ended = await ownSessions.endOthers(sessionId, createUserAuditContext(call));
      authenticator.forgetUser(userId);
      return { body: { ended } };
    },
  };
}

function toResource(session: ListedSession, currentSessionId: string): Session {
  const { sessionId, userAgent, address } = session;
  return {
    sessionId,
    current: sessionId === currentSessionId,
    device: describeDevice(userAgent),
    userAgent,
    address,
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
  };
}

function changeHandlers(
  services: AccountServices,
): Handlers<Omit<typeof accountOperations, keyof SessionOperations>> {
  const { changes, removal, passwords, policy, authenticator, mail } = services;
  const check = (call: Call, password: string) => checkUser(services, call, password);

  return {
    changePassword: async call => {
      const { userId, sessionId, email } = requireUser(call);
      const { newPassword } = call.body;
      await checkNewPassword(newPassword, email, '/body/newPassword');
      const change = await check(call, call.body.password);
      await takeSecondFactor(services, call, call.body);
      const passwordHash = await passwords.hash(newPassword);
      await changes.changePassword({ ...change, passwordHash, sessionId });
      authenticator.forgetUser(userId);
      mail.wake();
      return {};
    },

    changeEmail: async call => {
      const { newEmail: email, password } = call.body;
      await call.once(async key => {
        policy.checkDomain(email);
        const presentEmail = requireUser(call).email;
        await changes.askEmail({ ...(await check(call, password)), email, presentEmail, key });
      });
      mail.wake();
      return { body: { accepted: true } };
    },

    confirmEmail: async call => {
      const { token, password } = call.body;
      const userId = await call.once(async key => {
        const account = await changes.findChange(token, call.now);
        const checkedHash = await checkPassword(passwords, account, password);
        const audit = { byUserId: account.userId, origin: getRequestOrigin(call), now: call.now };
        return changes.confirmEmail(token, { ...audit, checkedHash, key });
      });
      authenticator.forgetUser(userId);
      mail.wake();
      return { body: { accepted: true } };
    },

    deleteAccount: async call => {
      const { userId } = requireUser(call);
      const change = await check(call, call.body.password);
      const left = await removal.remove(change).catch((error: unknown) => {
        throw error instanceof LastOwner ? refuseLastOwner(error) : error;
      });
      authenticator.forgetUser(userId);
      mail.wake();
      for (const workspaceId of left) await unassignThreads(services, call, { workspaceId, userId });
      return {};
    },
  };
}

/** A second factor in a request. */
interface SecondFactorProof {
  readonly code?: string;
  readonly passkey?: Readonly<Record<string, unknown>>;
}

/**
 * Takes the second factor of the signed-in user, if the user has one: 401 `svc/auth/second_factor_required` without it. A stolen session and
 * the password together then change neither the password nor the passkeys. Call it after the password was checked.
 */
export async function takeSecondFactor(
  { factors, passkeyLogins }: Pick<AccountServices, 'factors' | 'passkeyLogins'>,
  call: Call,
  { code, passkey }: SecondFactorProof,
): Promise<void> {
  const { userId } = requireUser(call);
  const { enabled, passkeys } = await factors.find(userId);
  if (!enabled && passkeys === 0) return;
  if (code !== undefined) return factors.use(userId, code, call.now);
  if (passkey !== undefined) return passkeyLogins.confirm(userId, passkey, call.now);
  const methods = [...(enabled ? ['totp'] : []), ...(passkeys > 0 ? ['passkey'] : [])];
  throw new ServiceError('svc/auth/second_factor_required', { details: { methods } });
}

/** A change by the signed-in user, whose password is right. */
export async function checkUser(
  { accounts, passwords }: Pick<AccountServices, 'accounts' | 'passwords'>,
  call: Call,
  password: string,
): Promise<AccountChange> {
  const account = await accounts.findAccount(requireUser(call).userId);
  return { ...createUserAuditContext(call), checkedHash: await checkPassword(passwords, account, password) };
}

/** The hash that the password fits; 401 where it is wrong. As slow without an account as with one. */
async function checkPassword(
  passwords: Passwords,
  account: LoginAccount | undefined,
  password: string,
): Promise<string | null> {
  const right = await passwords.verify(account?.passwordHash ?? undefined, password);
  if (account === undefined || !right) {
    throw new ServiceError('svc/auth/invalid_credentials', { message: 'The password is wrong.' });
  }
  return account.passwordHash;
}

function refuseLastOwner({ workspaces }: LastOwner): ServiceError {
  const names = workspaces.map(({ name }) => JSON.stringify(name)).join(', ');
  const message = `You are the last owner of ${names}: hand each of them over to somebody else, or archive it.`;
  return conflict(message, { workspaces });
}
