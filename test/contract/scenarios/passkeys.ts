import type { passkeyOperations } from '../../../protocol/operations/passkeys.ts';
import type { Client, Reply } from '../../node/client.ts';
import { Authenticator } from '../../support/authenticator.ts';
import type { ContractFixture } from '../contract-fixture.ts';
import { anonymously, type ScenariosOf } from '../scenario.ts';
import { confirmed, secondFactorRefusals } from './second-factor.ts';
import { createRequiredAddress, moveAddress, newcomer, password, verifiedNewcomer } from './accounts.ts';

type Json = Readonly<Record<string, unknown>>;

/** The origin that a node on a loopback address has passkeys for. */
function getOrigin({ url }: ContractFixture): string {
  return url.replace('127.0.0.1', 'localhost');
}

/** Somebody who has begun to add a passkey, and the answer of their authenticator. */
async function begun(fixture: ContractFixture) {
  const someone = await verifiedNewcomer(fixture);
  const { options } = await someone.person.get<{ options: Json }>('beginPasskey', { body: { password } });
  const authenticator = new Authenticator(getOrigin(fixture));
  return { ...someone, authenticator, response: authenticator.create(options) };
}

const toCreate = (response: Json) => ({ body: { name: 'laptop', response } });

async function withPasskey(fixture: ContractFixture) {
  const { response, ...someone } = await begun(fixture);
  const { passkey, recoveryCodes } = await someone.person.get<{
    passkey: { passkeyId: string };
    recoveryCodes: readonly string[];
  }>('createPasskey', toCreate(response));
  return { ...someone, params: { passkeyId: passkey.passkeyId }, code: recoveryCodes[0] ?? '' };
}

/** The answer of an authenticator to a login without a password. */
async function signed(fixture: ContractFixture) {
  const someone = await withPasskey(fixture);
  const { options } = await fixture.anonymous.get<{ options: Json }>('beginPasskeyLogin', { body: {} });
  return { ...someone, asked: { body: { response: someone.authenticator.get(options) } } };
}

/** A login whose password was right. */
async function challenged(fixture: ContractFixture) {
  const someone = await withPasskey(fixture);
  const reply: Reply<{ details?: { challenge?: string } }> = await fixture.anonymous.request('login', {
    body: { email: someone.email, password },
  });
  return { ...someone, challenge: reply.body.details?.challenge ?? '' };
}

/** Gives a request and its sender what belongs together: the request is always made first. */
function createPairs<T>(make: (fixture: ContractFixture) => Promise<T>) {
  let last: Promise<T> | undefined;
  return (fixture: ContractFixture, part: 'request' | 'sender'): Promise<T> => {
    if (last === undefined || part === 'request') last = make(fixture);
    return last;
  };
}

async function expire({ database }: ContractFixture, table: string, userId: string | null): Promise<void> {
  await database.query(
    `update ${table} set expires_at = now() - interval '1 s' where user_id is not distinct from $1`,
    [userId],
  );
}

const wrongPassword = (make: (fixture: ContractFixture) => Promise<{ person: Client; params?: object }>) => {
  return async (fixture: ContractFixture) => {
    const { person, params = {} } = await make(fixture);
    return { by: person, asked: { params: { ...params }, body: { password: 'something else' } } };
  };
};

const creations = createPairs(begun);
const renamings = createPairs(withPasskey);
const removals = createPairs(withPasskey);
const notSigned = { id: 'AAAA', response: {} };

export const passkeyScenarios: ScenariosOf<typeof passkeyOperations> = {
  listPasskeys: { request: () => ({}), refusals: {} },
  beginPasskey: {
    request: () => ({ body: { password } }),
    by: async ({ fixture }) => (await verifiedNewcomer(fixture)).person,
    ownAccount: true,
    refusals: {
      'svc/auth/invalid_credentials': wrongPassword(verifiedNewcomer),
      'svc/auth/email_not_verified': async fixture => ({
        by: (await newcomer(fixture)).person,
        asked: { body: { password } },
      }),
      'svc/runtime/conflict': async fixture => {
        const { person, userId, code } = await confirmed(fixture);
        await addRows(fixture, userId, 20);
        return { by: person, asked: { body: { password, code } } };
      },
      ...secondFactorRefusals({ password }),
    },
  },
  createPasskey: {
    request: async ({ fixture }) => toCreate((await creations(fixture, 'request')).response),
    by: async ({ fixture }) => (await creations(fixture, 'sender')).person,
    ownAccount: true,
    refusals: {
      'svc/auth/invalid_passkey': async fixture => ({
        by: (await begun(fixture)).person,
        asked: toCreate(notSigned),
      }),
      'svc/runtime/conflict': async fixture => {
        const { person, userId, response } = await begun(fixture);
        await addRows(fixture, userId, 20);
        return { by: person, asked: toCreate(response) };
      },
    },
  },
  updatePasskey: {
    request: async ({ fixture }) => ({
      params: (await renamings(fixture, 'request')).params,
      body: { name: 'phone' },
    }),
    by: async ({ fixture }) => (await renamings(fixture, 'sender')).person,
    ownAccount: true,
    refusals: {},
  },
  removePasskey: {
    request: async ({ fixture }) => {
      const { params, code } = await removals(fixture, 'request');
      return { params, body: { password, code } };
    },
    by: async ({ fixture }) => (await removals(fixture, 'sender')).person,
    ownAccount: true,
    refusals: {
      'svc/auth/invalid_credentials': wrongPassword(withPasskey),
      ...secondFactorRefusals({ password }, withPasskey),
    },
  },
  beginPasskeyLogin: {
    request: () => ({ body: {} }),
    variants: [async ({ fixture }) => ({ body: { challenge: (await challenged(fixture)).challenge } })],
    refusals: {
      'svc/auth/invalid_token': anonymously({ body: { challenge: 'unknown' } }),
      'svc/auth/expired_token': async fixture => {
        const { challenge, userId } = await challenged(fixture);
        await expire(fixture, 'login_challenges', userId);
        return { by: fixture.anonymous, asked: { body: { challenge } } };
      },
      'svc/auth/invalid_passkey': async fixture => {
        const { challenge, userId } = await challenged(fixture);
        await fixture.database.query('delete from passkeys where user_id = $1', [userId]);
        return { by: fixture.anonymous, asked: { body: { challenge } } };
      },
    },
  },
  loginWithPasskey: {
    request: async ({ fixture }) => (await signed(fixture)).asked,
    variants: [
      async ({ fixture }) => {
        const { challenge, authenticator } = await challenged(fixture);
        const { options } = await fixture.anonymous.get<{ options: Json }>('beginPasskeyLogin', {
          body: { challenge },
        });
        return { body: { challenge, response: authenticator.get(options) } };
      },
    ],
    refusals: {
      'svc/auth/invalid_passkey': anonymously({ body: { response: notSigned } }),
      'svc/auth/invalid_token': async fixture => {
        const { asked } = await signed(fixture);
        await fixture.anonymous.ask('loginWithPasskey', asked);
        return { by: fixture.anonymous, asked };
      },
      'svc/auth/expired_token': async fixture => {
        const { asked } = await signed(fixture);
        await expire(fixture, 'passkey_challenges', null);
        return { by: fixture.anonymous, asked };
      },
      'svc/auth/sso_required': async fixture => {
        const { asked, userId } = await signed(fixture);
        await moveAddress(fixture, userId, await createRequiredAddress(fixture));
        return { by: fixture.anonymous, asked };
      },
      'svc/auth/no_workspace': async fixture => {
        const { asked, userId } = await signed(fixture);
        await fixture.database.query('delete from workspace_members where user_id = $1', [userId]);
        return { by: fixture.anonymous, asked };
      },
    },
  },
};

/** As many passkeys as that, of no authenticator. */
async function addRows({ database }: ContractFixture, userId: string, count: number): Promise<void> {
  await database.query(
    `insert into passkeys (passkey_id, user_id, credential_id, public_key, counter, name, backed_up, created_at)
    select $1 || n, $1, sha256(($1 || n)::bytea), '', 0, 'row', false, now() from generate_series(1, $2::int) n`,
    [userId, count],
  );
}
