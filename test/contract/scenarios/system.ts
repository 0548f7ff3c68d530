import type { systemOperations } from '../../../protocol/operations/system.ts';
import { newId } from '../../../protocol/ids.ts';
import { type Asked, Client } from '../../node/client.ts';
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

/** Has the service give a command up. Returns the parameters that name it. */
async function giveUp({ database }: ContractFixture, command = 'reopenWebhook') {
  const rows = await database.query<{ deadLetterId: string }>(
    `insert into dead_letters (kind, actor_id, name, payload, error, attempts, created_at)
     values ('channel', $1, $2, $3, 'svc/runtime/conflict: no', 5, now()) returning dead_letter_id as "deadLetterId"`,
    [newId('channel'), command, { requestId: newId('request') }],
  );
  return { params: { deadLetterId: rows[0]?.deadLetterId ?? '' } };
}

const notAdmin = (fixture: ContractFixture, asked: Asked) =>
  Promise.resolve({ by: fixture.sandbox.person, asked });

export const systemScenarios: ScenariosOf<typeof systemOperations> = {
  getSystem: {
    request: () => ({}),
    by: ({ fixture }) => getAdmin(fixture),
    ownAccount: true,
    refusals: {
      'svc/runtime/not_found': fixture => notAdmin(fixture, {}),
    },
  },
  listDeadLetters: {
    request: async ({ fixture }) => {
      await giveUp(fixture);
      return {};
    },
    by: ({ fixture }) => getAdmin(fixture),
    ownAccount: true,
    refusals: {
      'svc/runtime/not_found': fixture => notAdmin(fixture, {}),
    },
  },
  runDeadLetter: {
    request: ({ fixture }) => giveUp(fixture),
    by: ({ fixture }) => getAdmin(fixture),
    ownAccount: true,
    refusals: {
      'svc/runtime/not_found': async fixture => notAdmin(fixture, await giveUp(fixture)),
      'svc/runtime/conflict': async fixture => ({
        by: await getAdmin(fixture),
        asked: await giveUp(fixture, 'of another release'),
      }),
    },
  },
  deleteDeadLetter: {
    request: ({ fixture }) => giveUp(fixture),
    by: ({ fixture }) => getAdmin(fixture),
    ownAccount: true,
    refusals: {
      'svc/runtime/not_found': async fixture => notAdmin(fixture, await giveUp(fixture)),
    },
  },
};
