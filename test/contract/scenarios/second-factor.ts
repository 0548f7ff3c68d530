import type { secondFactorOperations } from '../../../protocol/operations/second-factor.ts';
import type { Client, Reply } from '../../node/client.ts';
import { showCode } from '../../support/totp.ts';
import type { ContractFixture } from '../contract-fixture.ts';
import type { ScenariosOf } from '../scenario.ts';
import { newcomer, password, verifiedNewcomer } from './accounts.ts';

interface Enrolled {
  readonly person: Client;
  readonly userId: string;
  readonly email: string;
  readonly secret: string;
}

async function enrolled(fixture: ContractFixture): Promise<Enrolled> {
  const { person, userId, email } = await verifiedNewcomer(fixture);
  const { secret } = await person.get<{ secret: string }>('enrolSecondFactor', { body: { password } });
  return { person, userId, email, secret };
}

/** Somebody with a second factor, and what stands for a code. */
export async function confirmed(fixture: ContractFixture) {
  const { secret, ...someone } = await enrolled(fixture);
  const { recoveryCodes } = await someone.person.get<{ recoveryCodes: readonly string[] }>(
    'confirmSecondFactor',
    { body: { code: showCode(secret, Date.now()) } },
  );
  return { ...someone, code: recoveryCodes[0] ?? '' };
}

/** A login whose password was right. */
async function challenged(fixture: ContractFixture) {
  const someone = await confirmed(fixture);
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

/** Refusals of a change that takes the second factor of a user who has one. */
export function secondFactorRefusals(
  body: object,
  make: (fixture: ContractFixture) => Promise<{ person: Client; params?: object }> = confirmed,
) {
  const refuse = (proof: object) => async (fixture: ContractFixture) => {
    const { person, params } = await make(fixture);
    return { by: person, asked: { ...(params && { params: { ...params } }), body: { ...body, ...proof } } };
  };
  return {
    'svc/auth/second_factor_required': refuse({}),
    'svc/auth/invalid_code': refuse({ code: '000000' }),
    'svc/auth/invalid_passkey': refuse({ passkey: { id: 'AAAA', response: {} } }),
  };
}

const withCode = (code: string) => ({ body: { password, code } });

/** What takes the password and a code. */
function takesPasswordAndCode(): ScenariosOf<typeof secondFactorOperations>['disableSecondFactor'] {
  const pairs = createPairs(confirmed);
  return {
    request: async ({ fixture }) => withCode((await pairs(fixture, 'request')).code),
    by: async ({ fixture }) => (await pairs(fixture, 'sender')).person,
    ownAccount: true,
    refusals: {
      'svc/auth/invalid_credentials': async fixture => {
        const { person, code } = await confirmed(fixture);
        return { by: person, asked: { body: { password: 'something else', code } } };
      },
      'svc/auth/invalid_code': async fixture => ({
        by: (await confirmed(fixture)).person,
        asked: withCode('000000'),
      }),
      'svc/runtime/conflict': async fixture => ({
        by: (await newcomer(fixture)).person,
        asked: withCode('000000'),
      }),
    },
  };
}

const enrolments = createPairs(enrolled);
const toLogin = (challenge: string, code: string) => ({ body: { challenge, code } });

export const secondFactorScenarios: ScenariosOf<typeof secondFactorOperations> = {
  getSecondFactor: { request: () => ({}), refusals: {} },
  enrolSecondFactor: {
    request: () => ({ body: { password } }),
    by: async ({ fixture }) => (await verifiedNewcomer(fixture)).person,
    ownAccount: true,
    refusals: {
      'svc/auth/invalid_credentials': async fixture => ({
        by: (await verifiedNewcomer(fixture)).person,
        asked: { body: { password: 'something else' } },
      }),
      'svc/auth/email_not_verified': async fixture => ({
        by: (await newcomer(fixture)).person,
        asked: { body: { password } },
      }),
      'svc/runtime/conflict': async fixture => ({
        by: (await confirmed(fixture)).person,
        asked: { body: { password } },
      }),
    },
  },
  confirmSecondFactor: {
    request: async ({ fixture }) => ({
      body: { code: showCode((await enrolments(fixture, 'request')).secret, Date.now()) },
    }),
    by: async ({ fixture }) => (await enrolments(fixture, 'sender')).person,
    ownAccount: true,
    refusals: {
      'svc/auth/invalid_code': async fixture => ({
        by: (await enrolled(fixture)).person,
        asked: { body: { code: 'no code' } },
      }),
      'svc/auth/email_not_verified': async fixture => ({
        by: (await newcomer(fixture)).person,
        asked: { body: { code: '000000' } },
      }),
      'svc/runtime/conflict': async fixture => ({
        by: (await verifiedNewcomer(fixture)).person,
        asked: { body: { code: '000000' } },
      }),
    },
  },
  renewRecoveryCodes: takesPasswordAndCode(),
  disableSecondFactor: takesPasswordAndCode(),
  loginWithSecondFactor: {
    request: async ({ fixture }) => {
      const { challenge, code } = await challenged(fixture);
      return toLogin(challenge, code);
    },
    refusals: {
      'svc/auth/invalid_token': async fixture => ({
        by: fixture.anonymous,
        asked: toLogin('unknown', '000000'),
      }),
      'svc/auth/expired_token': async fixture => {
        const { challenge, code, userId } = await challenged(fixture);
        await fixture.database.query(
          `update login_challenges set expires_at = now() - interval '1 s' where user_id = $1`,
          [userId],
        );
        return { by: fixture.anonymous, asked: toLogin(challenge, code) };
      },
      'svc/auth/invalid_code': async fixture => ({
        by: fixture.anonymous,
        asked: toLogin((await challenged(fixture)).challenge, 'no code'),
      }),
      'svc/auth/no_workspace': async fixture => {
        const { challenge, code, userId } = await challenged(fixture);
        await fixture.database.query('delete from workspace_members where user_id = $1', [userId]);
        return { by: fixture.anonymous, asked: toLogin(challenge, code) };
      },
    },
  },
};
