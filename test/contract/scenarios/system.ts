import type { systemOperations } from '../../../protocol/operations/system.ts';
import { Client } from '../../node/client.ts';
import { type ContractFixture, instanceAdmin } from '../contract-fixture.ts';
import type { ScenariosOf } from '../scenario.ts';

const admins = new WeakMap<ContractFixture, Promise<Client>>();

/** Returns the operator with a verified address: the same one each time. */
function getAdmin(fixture: ContractFixture): Promise<Client> {
  let admin = admins.get(fixture);
  if (admin === undefined) admins.set(fixture, (admin = signUpAdmin(fixture)));
  return admin;
}

async function signUpAdmin(fixture: ContractFixture): Promise<Client> {
  const { anonymous, line } = fixture;
  const body = { email: instanceAdmin, password: 'correct horse battery' };
  const { status } = await anonymous.ask('signUp', { body });
  // 409: another file has signed the operator up at this node.
  if (status < 300) {
    const token = await fixture.getMailedToken(instanceAdmin, 'verify');
    await anonymous.get('verifyEmail', { body: { token } });
  }
  const { accessToken } = await anonymous.get<{ accessToken: string }>('login', { body });
  return new Client(line, accessToken);
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
