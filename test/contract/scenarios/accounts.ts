import type { authOperations } from '../../../protocol/operations/auth.ts';
import type { profileOperations } from '../../../protocol/operations/profile.ts';
import { Client, type Reply } from '../../node/client.ts';
import { signUp } from '../../node/tenant.ts';
import { clientId, clientSecret } from '../../support/oidc-provider/index.ts';
import { showCode } from '../../support/totp.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein.ts';
import { anonymously, type ScenariosOf } from '../scenario.ts';
import { newAddress, type TenantEnvironment, type ContractFixture } from '../contract-fixture.ts';

export const password = 'correct horse battery';

/** Somebody who has just signed up, and the refresh cookie that they were given. */
export async function newcomer(fixture: ContractFixture) {
  const email = newAddress();
  const reply = await fixture.anonymous.ask<{ accessToken: string }>('signUp', { body: { email, password } });
  const cookie = String(reply.headers['set-cookie']).split(';')[0] ?? '';
  const person = new Client(fixture.line, reply.body.accessToken);
  const { userId } = await person.get<{ userId: string }>('me');
  return { email, person, userId, cookie: { cookie } };
}

/** The same with a verified address. */
export async function verifiedNewcomer(fixture: ContractFixture) {
  const someone = await newcomer(fixture);
  const token = await fixture.getMailedToken(someone.email, 'verify');
  await fixture.anonymous.get('verifyEmail', { body: { token } });
  return someone;
}

async function newcomerWithoutWorkspace(fixture: ContractFixture) {
  const someone = await newcomer(fixture);
  await fixture.database.query('delete from workspace_members where user_id = $1', [someone.userId]);
  return someone;
}

async function verifyToken(fixture: ContractFixture): Promise<{ userId: string; token: string }> {
  const { email, userId } = await newcomer(fixture);
  return { userId, token: await fixture.getMailedToken(email, 'verify') };
}

async function resetToken(fixture: ContractFixture): Promise<{ userId: string; token: string }> {
  const { email, userId } = await newcomer(fixture);
  await fixture.anonymous.get('forgotPassword', { body: { email } });
  return { userId, token: await fixture.getMailedToken(email, 'reset') };
}

async function invitation({ tenant, fixture }: TenantEnvironment, email = newAddress()) {
  const { invitationId } = await tenant.person.get<{ invitationId: string }>('createInvitation', {
    params: { workspaceId: tenant.workspaceId },
    body: { email },
  });
  return { invitationId, email, token: await fixture.getMailedToken(email, 'join') };
}

/** A new address of a domain whose workspace demands single sign-on. */
export async function createRequiredAddress(fixture: ContractFixture): Promise<string> {
  const { person } = await verifiedNewcomer(fixture);
  const { workspaceId } = await person.get<{ workspaceId: string }>('me');
  const { issuer } = await fixture.identityProvider();
  const body = { issuer, clientId, clientSecret };
  await person.get('setSingleSignOn', { params: { workspaceId }, body });
  const domain = `${workspaceId.replace('_', '-')}.test`;
  await fixture.database.query(
    `insert into sso_domains (workspace_id, domain, proof, proven_at, required, created_at, updated_at)
    values ($1, $2, 'of a test', now(), true, now(), now())`,
    [workspaceId, domain],
  );
  return `somebody@${domain}`;
}

/** Gives the account the address. */
export async function moveAddress(fixture: ContractFixture, userId: string, email: string): Promise<void> {
  await fixture.database.query('update users set email = $1, email_key = $1 where user_id = $2', [
    email,
    userId,
  ]);
}

/** Its time is up. */
export async function lapse(fixture: ContractFixture, userId: string): Promise<void> {
  await fixture.database.query(
    `update email_tokens set expires_at = now() - interval '1 s' where user_id = $1`,
    [userId],
  );
}

/** Returns the answer of a node with `SIGNUP=disabled`. */
async function askClosedNode(): Promise<Reply<unknown>> {
  const ends: (() => Promise<void>)[] = [];
  const ending = { teardown: (end: () => Promise<void>) => ends.push(end) };
  try {
    const { url } = await startTestDatabase(ending);
    const node = await startSkeinOn(ending, url, { SIGNUP: 'disabled' });
    const text = JSON.stringify({ email: newAddress(), password });
    return await node.client().send('POST', '/v1/studio/auth/signup', { text });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** What takes the token of a verification mail. */
const byVerifyToken: ScenariosOf<typeof authOperations>['verifyEmail'] = {
  request: async ({ fixture }) => ({ body: { token: (await verifyToken(fixture)).token } }),
  refusals: {
    'svc/auth/invalid_token': anonymously({ body: { token: 'unknown' } }),
    'svc/auth/expired_token': async fixture => {
      const { userId, token } = await verifyToken(fixture);
      await lapse(fixture, userId);
      return { by: fixture.anonymous, asked: { body: { token } } };
    },
  },
};

export const profileScenarios: ScenariosOf<typeof profileOperations> = {
  getProfile: { request: () => ({}), refusals: {} },
  updateProfile: {
    request: () => ({
      body: {
        displayName: 'Ada',
        avatarColor: 'grape',
        notifications: { sound: true, title: false, about: 'mine' },
        theme: 'dark',
        language: 'pt-BR',
        timeZone: 'Europe/Berlin',
        savedFilters: {
          prj_1: { Late: { queue: 'waitingLongest', filters: { tag: ['vip'], unread: true } } },
        },
      },
    }),
    variants: [
      () => ({ body: { displayName: null, avatarColor: null, language: null, timeZone: null } }),
      () => ({ body: { savedFilters: { prj_1: { Late: null } } } }),
    ],
    refusals: {},
  },
};

export const accountScenarios: ScenariosOf<typeof authOperations> = {
  signUp: {
    request: () => ({ body: { email: newAddress(), password } }),
    variants: [() => ({ body: { email: newAddress(), password, workspaceName: 'Acme' } })],
    refusals: {
      'svc/auth/signup_disabled': askClosedNode,
      'svc/auth/email_in_use': async fixture => {
        const { email } = fixture.foreign.tenant;
        return { by: fixture.anonymous, asked: { body: { email, password } } };
      },
      'svc/auth/email_domain_not_allowed': anonymously({
        body: { email: 'someone@mailinator.com', password },
      }),
      'svc/auth/sso_required': async fixture => ({
        by: fixture.anonymous,
        asked: { body: { email: await createRequiredAddress(fixture), password } },
      }),
    },
  },
  login: {
    request: async ({ fixture }) => ({ body: { email: (await newcomer(fixture)).email, password } }),
    refusals: {
      'svc/auth/invalid_credentials': async fixture => ({
        by: fixture.anonymous,
        asked: { body: { email: newAddress(), password } },
      }),
      'svc/auth/second_factor_required': async fixture => {
        const { email, person } = await verifiedNewcomer(fixture);
        const { secret } = await person.get<{ secret: string }>('enrolSecondFactor', { body: { password } });
        await person.get('confirmSecondFactor', { body: { code: showCode(secret, Date.now()) } });
        return { by: fixture.anonymous, asked: { body: { email, password } } };
      },
      'svc/auth/sso_required': async fixture => {
        const { userId } = await newcomer(fixture);
        const email = await createRequiredAddress(fixture);
        await moveAddress(fixture, userId, email);
        return { by: fixture.anonymous, asked: { body: { email, password } } };
      },
      'svc/auth/no_workspace': async fixture => {
        const { email } = await newcomerWithoutWorkspace(fixture);
        return { by: fixture.anonymous, asked: { body: { email, password } } };
      },
    },
  },
  refresh: {
    request: async ({ fixture }) => ({ headers: (await newcomer(fixture)).cookie }),
    refusals: {
      'svc/auth/missing_credentials': anonymously({}),
      'svc/auth/invalid_token': anonymously({ headers: { cookie: 'svc_refresh=nobody.knows' } }),
      'svc/auth/expired_token': async fixture => {
        const { userId, cookie } = await newcomer(fixture);
        await fixture.database.query(
          `update sessions set idle_expires_at = now() - interval '1 s' where user_id = $1`,
          [userId],
        );
        return { by: fixture.anonymous, asked: { headers: cookie } };
      },
      'svc/auth/no_workspace': async fixture => {
        const { cookie } = await newcomerWithoutWorkspace(fixture);
        return { by: fixture.anonymous, asked: { headers: cookie } };
      },
    },
  },
  logout: {
    request: async ({ fixture }) => ({ headers: (await newcomer(fixture)).cookie }),
    variants: [() => ({})],
    refusals: {},
  },
  me: {
    request: () => ({}),
    refusals: {
      'svc/auth/no_workspace': async fixture => ({
        by: (await newcomerWithoutWorkspace(fixture)).person,
        asked: {},
      }),
    },
  },
  verifyEmail: byVerifyToken,
  rejectAccount: byVerifyToken,
  resendVerification: {
    request: () => ({}),
    by: async ({ fixture }) => (await newcomer(fixture)).person,
    refusals: {},
  },
  forgotPassword: {
    request: ({ tenant }) => ({ body: { email: tenant.email } }),
    variants: [
      () => ({ body: { email: newAddress() } }),
      () => ({ body: { email: '' } }),
      ({ tenant }) => ({ body: { email: tenant.email, app: 'console' } }),
    ],
    refusals: {},
  },
  resetPassword: {
    request: async ({ fixture }) => ({
      body: { token: (await resetToken(fixture)).token, password },
    }),
    refusals: {
      'svc/auth/invalid_token': anonymously({ body: { token: 'unknown', password } }),
      'svc/auth/expired_token': async fixture => {
        const { userId, token } = await resetToken(fixture);
        await lapse(fixture, userId);
        return { by: fixture.anonymous, asked: { body: { token, password } } };
      },
    },
  },
  acceptInvitation: {
    request: async env => ({ body: { token: (await invitation(env)).token, password } }),
    refusals: {
      'svc/auth/insufficient_scope': async fixture => {
        const { token } = await invitation(fixture.sandbox);
        return { by: fixture.outsider, asked: { body: { token } } };
      },
      'svc/runtime/not_found': anonymously({ body: { token: 'unknown', password } }),
      'svc/auth/login_required': async fixture => {
        const { email } = await signUp(fixture.line);
        const { token } = await invitation(fixture.sandbox, email);
        return { by: fixture.anonymous, asked: { body: { token } } };
      },
      'svc/auth/expired_token': async fixture => {
        const { token, invitationId } = await invitation(fixture.sandbox);
        await fixture.database.query(
          `update invitations set expires_at = now() - interval '1 s' where invitation_id = $1`,
          [invitationId],
        );
        return { by: fixture.anonymous, asked: { body: { token, password } } };
      },
      'svc/auth/email_domain_not_allowed': async fixture => {
        const { token, invitationId } = await invitation(fixture.sandbox);
        // The domain was allowed when the invitation was made.
        const address = `${invitationId}@mailinator.com`;
        await fixture.database.query(
          `update invitations set email = $2, email_key = $2 where invitation_id = $1`,
          [invitationId, address],
        );
        return { by: fixture.anonymous, asked: { body: { token, password } } };
      },
      'svc/auth/sso_required': async fixture => {
        const { token, invitationId } = await invitation(fixture.sandbox);
        await fixture.database.query(
          `update invitations set email = $2, email_key = $2 where invitation_id = $1`,
          [invitationId, await createRequiredAddress(fixture)],
        );
        return { by: fixture.anonymous, asked: { body: { token, password } } };
      },
    },
  },
};
