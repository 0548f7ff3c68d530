/** A user's passkeys, and signing in with them. */
import type { passkeyOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize, type Passkey } from '../../protocol/resources/index.ts';
import type {
  AccountChange,
  ListedPasskey,
  PasskeyLogins,
  Passkeys,
  SecondFactors,
} from '../../storage/accounts/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { type AccountServices, checkUser, takeSecondFactor } from './account.ts';
import { getClient, signIn, type SignInServices } from './auth.ts';
import { createUserAuditContext, requireUser, requireVerified } from './caller.ts';

export interface PasskeyServices
  extends SignInServices, Pick<AccountServices, 'accounts' | 'passwords' | 'authenticator' | 'mail'> {
  readonly passkeys: Passkeys;
  readonly passkeyLogins: PasskeyLogins;
  readonly factors: SecondFactors;
}

export function passkeyHandlers(services: PasskeyServices): Handlers<typeof passkeyOperations> {
  const { passkeys, passkeyLogins, authenticator, mail } = services;
  const signedIn = signIn(services);

  return {
    listPasskeys: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      const { data, ...rest } = await passkeys.list(requireUser(call).userId, { cursor, limit });
      return { body: { data: data.map(toResource), ...rest } };
    },

    beginPasskey: async call => {
      // Else whoever made an account with somebody else's address would keep a way into it.
      requireVerified(requireUser(call));
      const options = await passkeys.begin(await checkBoth(services, call));
      return { body: { options } };
    },

    createPasskey: async call => {
      const { userId, sessionId } = requireUser(call);
      const { name, response } = call.body;
      const added = await passkeys.add(name, response, sessionId, createUserAuditContext(call));
      authenticator.forgetUser(userId);
      mail.wake();
      const { passkey, recoveryCodes } = added;
      return { body: { passkey: toResource(passkey), recoveryCodes } };
    },

    updatePasskey: async call => {
      const { userId } = requireUser(call);
      return { body: toResource(await passkeys.rename(userId, call.params.passkeyId, call.body.name)) };
    },

    removePasskey: async call => {
      const { userId } = requireUser(call);
      const { passkeyId } = call.params;
      await passkeys.requireOwn(userId, passkeyId);
      await passkeys.remove(passkeyId, await checkBoth(services, call));
      authenticator.forgetUser(userId);
      mail.wake();
      return {};
    },

    beginPasskeyLogin: async call => ({
      body: { options: await passkeyLogins.begin(call.body.challenge, call.now) },
    }),

    loginWithPasskey: async call => {
      const { challenge, response } = call.body;
      const client = getClient(call);
      const session =
        challenge === undefined
          ? await passkeyLogins.login(response, client, call.now)
          : await passkeyLogins.pass(challenge, response, client, call.now);
      return signedIn(session, call.now);
    },
  };
}

/** A change by the signed-in user, whose password and second factor are right. */
async function checkBoth(
  services: PasskeyServices,
  call: Call<(typeof passkeyOperations)['beginPasskey' | 'removePasskey']>,
): Promise<AccountChange> {
  const change = await checkUser(services, call, call.body.password);
  await takeSecondFactor(services, call, call.body);
  return change;
}

function toResource({ createdAt, lastUsedAt, ...rest }: ListedPasskey): Passkey {
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
