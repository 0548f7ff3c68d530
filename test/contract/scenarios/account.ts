import type { accountOperations } from '../../../protocol/operations/account.ts';
import { anonymously, type ScenariosOf } from '../scenario.ts';
import { newAddress, type ContractFixture, type TenantEnvironment } from '../contract-fixture.ts';
import { secondFactorRefusals } from './second-factor.ts';
import { createRequiredAddress, lapse, moveAddress, newcomer, password } from './accounts.ts';

const wrongPassword = 'something else entirely';

const person = async ({ fixture }: Pick<TenantEnvironment, 'fixture'>) => (await newcomer(fixture)).person;

/** Somebody who has asked for another address, and the token that was mailed there. */
async function change(fixture: ContractFixture, newEmail = newAddress()) {
  const { person, userId } = await newcomer(fixture);
  await person.get('changeEmail', { body: { newEmail, password } });
  return { userId, newEmail, token: await fixture.getMailedToken(newEmail, 'email') };
}

export const ownAccountScenarios: ScenariosOf<typeof accountOperations> = {
  listSessions: { request: () => ({}), refusals: {} },
  endSession: {
    by: ({ tenant }) => tenant.person,
    ownAccount: true,
    request: async ({ fixture, tenant }) => {
      const { data } = await tenant.person.get<{ data: readonly { sessionId: string; current: boolean }[] }>(
        'listSessions',
      );
      const other = data.find(session => !session.current);
      if (other !== undefined) return { params: { sessionId: other.sessionId } };
      const [row] = await fixture.database.query<{ id: string }>(
        `insert into sessions (session_id, user_id, family_id, token_hash, idle_expires_at, expires_at, created_at, updated_at)
         select 'ses_' || substr(session_id, 5, 20) || substr(md5(random()::text), 1, 6), user_id, md5(random()::text),
           decode(md5(random()::text), 'hex'), now() + interval '1 day', now() + interval '1 day', now(), now()
         from sessions where user_id = $1 limit 1 returning session_id as id`,
        [tenant.userId],
      );
      return { params: { sessionId: row?.id ?? '' } };
    },
    refusals: {},
  },
  endOtherSessions: { request: () => ({}), by: person, ownAccount: true, refusals: {} },
  changePassword: {
    request: () => ({ body: { password, newPassword: 'staple of another sort' } }),
    by: person,
    ownAccount: true,
    refusals: {
      'svc/auth/invalid_credentials': async fixture => ({
        by: await person({ fixture }),
        asked: { body: { password: wrongPassword, newPassword: 'staple of another sort' } },
      }),
      ...secondFactorRefusals({ password, newPassword: 'staple of another sort' }),
    },
  },
  changeEmail: {
    request: () => ({ body: { newEmail: newAddress(), password } }),
    by: person,
    ownAccount: true,
    refusals: {
      'svc/auth/invalid_credentials': async fixture => ({
        by: await person({ fixture }),
        asked: { body: { newEmail: newAddress(), password: wrongPassword } },
      }),
      'svc/auth/email_domain_not_allowed': async fixture => ({
        by: await person({ fixture }),
        asked: { body: { newEmail: 'someone@mailinator.com', password } },
      }),
      'svc/auth/sso_required': async fixture => {
        const { person, userId } = await newcomer(fixture);
        await moveAddress(fixture, userId, await createRequiredAddress(fixture));
        return { by: person, asked: { body: { newEmail: newAddress(), password } } };
      },
    },
  },
  confirmEmail: {
    request: async ({ fixture }) => ({ body: { token: (await change(fixture)).token, password } }),
    refusals: {
      'svc/auth/invalid_token': anonymously({ body: { token: 'unknown', password } }),
      'svc/auth/expired_token': async fixture => {
        const { userId, token } = await change(fixture);
        await lapse(fixture, userId);
        return { by: fixture.anonymous, asked: { body: { token, password } } };
      },
      'svc/auth/invalid_credentials': async fixture => ({
        by: fixture.anonymous,
        asked: { body: { token: (await change(fixture)).token, password: wrongPassword } },
      }),
      'svc/auth/email_in_use': async fixture => {
        const { token, newEmail } = await change(fixture);
        await fixture.anonymous.get('signUp', { body: { email: newEmail, password } });
        return { by: fixture.anonymous, asked: { body: { token, password } } };
      },
      'svc/auth/sso_required': async fixture => {
        const { token, userId } = await change(fixture);
        await moveAddress(fixture, userId, await createRequiredAddress(fixture));
        return { by: fixture.anonymous, asked: { body: { token, password } } };
      },
    },
  },
  deleteAccount: {
    request: () => ({ body: { password } }),
    by: async ({ fixture }) => {
      const { person } = await newcomer(fixture);
      const { workspaceId } = await person.get<{ workspaceId: string }>('me');
      await person.ask('archiveWorkspace', { params: { workspaceId } });
      return person;
    },
    ownAccount: true,
    refusals: {
      'svc/auth/invalid_credentials': async fixture => ({
        by: await person({ fixture }),
        asked: { body: { password: wrongPassword } },
      }),
      'svc/runtime/conflict': async fixture => ({
        by: await person({ fixture }),
        asked: { body: { password } },
      }),
    },
  },
};
