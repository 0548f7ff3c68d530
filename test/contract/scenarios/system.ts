import type { systemOperations } from '../../../protocol/operations/system.ts';
import { Client } from '../../node/client.ts';
import { type ContractFixture, instanceAdmin } from '../contract-fixture.ts';
import type { ScenariosOf } from '../scenario.ts';

const admins = new WeakMap<ContractFixture, Promise<Client>>();

/** The one whose address the node was told: signed up and verified once. */
function getAdmin(fixture: ContractFixture): Promise<Client> {
  let admin = admins.get(fixture);
  if (admin === undefined) admins.set(fixture, (admin = signUpAdmin(fixture)));
  return admin;
}

async function signUpAdmin(fixture: ContractFixture): Promise<Client> {
  const body = { email: instanceAdmin, password: 'correct horse battery' };
  const { accessToken } = await fixture.anonymous.get<{ accessToken: string }>('signUp', { body });
  const token = await fixture.getMailedToken(instanceAdmin, 'verify');
  await fixture.anonymous.get('verifyEmail', { body: { token } });
  return new Client(fixture.line, accessToken);
}

export const systemScenarios: ScenariosOf<typeof systemOperations> = {
  getSystem: {
    request: () => ({}),
    by: ({ fixture }) => getAdmin(fixture),
    ownAccount: true,
    refusals: {
      'svc/runtime/not_found': fixture => Promise.resolve({ by: fixture.sandbox.person, asked: {} }),
    },
  },
};
